package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/wording"
)

// exported is the file of an exported run.
type exported struct {
	Version int               `json:"toolgraphRun"` // of the format
	Run     journal.Run       `json:"run"`
	Events  []execution.Event `json:"events"`
}

const exportVersion = 1

func newRunsExport(std streams, history *historyFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Print a recorded run as JSON",
		Long: `Print a recorded run with all its events: as one JSON object, which toolgraph runs import
reads, or with one event a line.`,
		Example: `  toolgraph runs export last > run.json
  toolgraph runs export last --format ndjson | jq .record.nodeId`,
		Args: args(1, 1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return history.read(func(store *journal.Store) error {
				r, err := store.Run(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				events, err := store.Load(cmd.Context(), r.ID)
				if err != nil {
					return err
				}
				if format == "json" {
					return writeEscaped(std.out, exported{Version: exportVersion, Run: r, Events: events}, "  ")
				}
				for _, e := range events {
					if err := writeEscaped(std.out, e, ""); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	choiceFlag(cmd, &format, "format", "f", "output format", "json", "ndjson")
	return cmd
}

// maxExported bounds what import reads, in bytes.
const maxExported = 1 << 30

func newRunsImport(std streams, history *historyFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Import an exported run",
		Long:  `Import a run that toolgraph runs export wrote, under its own id. - is standard input.`,
		Example: `  toolgraph runs import run.json
  ssh host toolgraph runs export last | toolgraph runs import -`,
		Args: args(1, 1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := std.in
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			src, err := readInput(cmd.Context(), in, maxExported)
			if err != nil {
				return err
			}
			var file exported
			if err := json.Unmarshal(src, &file); err != nil {
				return fmt.Errorf("%s is not an exported run: %w", args[0], err)
			}
			if err := file.check(); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return history.read(func(store *journal.Store) error { return file.importInto(cmd.Context(), std, store) })
		},
	}
}

// check rejects a file that is not a complete run.
func (x *exported) check() error {
	if x.Version != exportVersion {
		return fmt.Errorf("toolgraphRun is %d, expected %d; import a file that toolgraph runs export wrote", x.Version, exportVersion)
	}
	if err := execution.CheckEvents(x.Events); err != nil {
		return err
	}
	if id := x.Events[0].Run; id == "" || id != x.Run.ID {
		return fmt.Errorf("the events belong to run %q and the file to run %q, expected the same id", id, x.Run.ID)
	}
	if strings.Trim(x.Run.ID, idCharacters) != "" || len(x.Run.ID) > idMost {
		return fmt.Errorf("the id of the run is %.100q, expected at most %d letters, digits, - and _", x.Run.ID, idMost)
	}
	if err := checkNames(x.Run.File, x.Run.Server); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	for i, e := range x.Events {
		if err := checkNames(namesOf(e)...); err != nil {
			return fmt.Errorf("event %d of %d: %w", i+1, len(x.Events), err)
		}
	}
	return nil
}

const (
	idCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	idMost       = 128 // characters
)

// namesOf returns the names in an event.
func namesOf(e execution.Event) []string {
	switch {
	case e.Start != nil:
		return []string{e.Start.Tool, e.Start.Graph}
	case e.Step != nil:
		return []string{e.Step.NodeID, e.Step.Server, e.Step.Tool, e.Step.Digest}
	case e.Record != nil && e.Record.Error != nil:
		return append(failureNames(e.Record.Error), e.Record.NodeID)
	case e.Record != nil:
		return []string{e.Record.NodeID}
	case e.End.Failure != nil:
		return failureNames(e.End.Failure)
	}
	return nil
}

func failureNames(f *execution.Failure) []string {
	return []string{string(f.Code), f.Detail, f.Node, f.Pos.File}
}

// checkNames rejects names with characters that are invisible or change how others are shown.
func checkNames(names ...string) error {
	for _, name := range names {
		if wording.OneLine(name) != name || strings.ContainsRune(name, unicode.ReplacementChar) {
			return fmt.Errorf("the name %.100q has control or hidden characters", name)
		}
	}
	return nil
}

// importInto records the run in a store.
func (x *exported) importInto(ctx context.Context, std streams, store *journal.Store) error {
	if _, err := store.Run(ctx, x.Run.ID); err == nil {
		return fmt.Errorf("run %s is already recorded", x.Run.ID)
	} else if !errors.Is(err, journal.ErrNotFound) {
		return err
	}
	j := store.Journal(nil, journal.About{File: x.Run.File, Server: x.Run.Server})
	for _, e := range x.Events {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	if err := store.Close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.err, "toolgraph: imported run %s\n", wording.Printable(x.Run.ID))
	return err
}
