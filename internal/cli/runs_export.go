package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// exported is the file of an exported run.
type exported struct {
	Version int               `json:"toolgraphRun"` // of the format
	Run     journal.Run       `json:"run"`
	Events  []execution.Event `json:"events"`
}

const exportVersion = 1

func newRunsExport(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Print a recorded run as JSON",
		Long: `Print a recorded run with all its events: as one JSON object, which toolgraph runs import
reads, or with one event a line.`,
		Example: `  toolgraph runs export last > run.json
  toolgraph runs export last --format ndjson | jq .record.nodeId`,
		Args: program.Args(1, 1, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return history.Read(func(store *journal.Store) error {
				r, err := store.Run(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				events, err := store.Load(cmd.Context(), r.ID)
				if err != nil {
					return err
				}
				if format == "json" {
					return program.WriteEscaped(std.Out, exported{Version: exportVersion, Run: r, Events: events}, "  ")
				}
				for _, e := range events {
					if err := program.WriteEscaped(std.Out, e, ""); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	program.ChoiceFlag(cmd, &format, "format", "f", "output format", "json", "ndjson")
	program.JSONFlag(cmd, &format)
	return cmd
}

// readExported reads the file of an exported run.
func readExported(path string, src []byte) (file exported, err error) {
	if err := json.Unmarshal(src, &file); err != nil {
		return file, fmt.Errorf("%s is not an exported run: %w", path, err)
	}
	if file.Version != exportVersion {
		return file, fmt.Errorf("%s: toolgraphRun is %d, expected %d; import a file that toolgraph runs export wrote", path, file.Version, exportVersion)
	}
	return file, nil
}

// maxExported bounds what import reads, in bytes.
const maxExported = 1 << 30

func newRunsImport(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import an exported run",
		Long:  `Import a run that toolgraph runs export wrote, under its own id. - is standard input.`,
		Example: `  toolgraph runs import run.json
  ssh host toolgraph runs export last | toolgraph runs import -`,
		Args: program.Args(1, 1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := std.In
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			src, err := program.ReadInput(cmd.Context(), in, maxExported)
			if err != nil {
				return err
			}
			file, err := readExported(args[0], src)
			if err != nil {
				return err
			}
			err = history.Read(func(store *journal.Store) error { return store.Import(cmd.Context(), file.Run, file.Events) })
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if format == "json" {
				return program.WriteEscaped(std.Out, map[string]string{"run": file.Run.ID}, "  ")
			}
			_, err = fmt.Fprintf(std.Err, "toolgraph: imported run %s\n", wording.Printable(file.Run.ID))
			return err
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}
