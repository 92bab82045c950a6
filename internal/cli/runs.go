package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/inspect"
)

func newRuns(std streams) *cobra.Command {
	history := &historyFlags{}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, show, compare, export and delete kept runs",
		Long: `Serve and run keep what happened in each run: its arguments, each step with its value,
and how it ended. RUN is a run's id, the beginning of one, or last.

Runs are kept in the user's state directory, or where --state or ` + stateVariable + ` says.
Secrets are never among what is kept.`,
		Example: `  toolgraph runs list --tool count_files --status error
  toolgraph runs show last
  toolgraph runs diff 5GNF last
  toolgraph runs export last > run.json
  toolgraph runs rm --older-than 7d`,
	}
	onlyCommands(cmd)
	history.registerState(cmd.PersistentFlags())
	cmd.AddCommand(
		newRunsList(std, history), newRunsShow(std, history), newRunsDiff(std, history),
		newRunsExport(std, history), newRunsImport(std, history), newRunsRemove(std, history),
	)
	return cmd
}

// looking lets f look at the kept runs.
func (f *historyFlags) looking(look func(*journal.Store) error) error {
	store, err := f.open(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	err = look(store)
	if closeErr := store.Close(); err == nil {
		err = closeErr
	}
	return err
}

// answering prints the answer to a question about the kept runs, as JSON or by show.
func answering[T any](std streams, f *historyFlags, format string, ask func(*inspect.Inspector) (*T, error), show func(io.Writer, *T) error) error {
	return f.looking(func(store *journal.Store) error {
		return answered(std, &inspect.Inspector{Store: store, Version: versionText()}, format, ask, show)
	})
}

// answered prints what an inspector answers, as JSON or by show.
func answered[T any](std streams, i *inspect.Inspector, format string, ask func(*inspect.Inspector) (*T, error), show func(io.Writer, *T) error) error {
	if format != "text" && format != "json" {
		return usagef("--format is %q, expected text or json", format)
	}
	answer, err := ask(i)
	if err != nil {
		return err
	}
	if format == "json" {
		return printJSON(std.out, answer)
	}
	return show(std.out, answer)
}

// printJSON writes an answer as indented JSON.
func printJSON(w io.Writer, answer any) error { return writeEscaped(w, answer, "  ") }

// writeEscaped writes JSON in which characters that a terminal acts on, or hides, are escaped.
func writeEscaped(w io.Writer, answer any, indent string) error {
	var src bytes.Buffer
	out := json.NewEncoder(&src)
	out.SetEscapeHTML(false)
	out.SetIndent("", indent)
	if err := out.Encode(answer); err != nil {
		return err
	}
	_, err := w.Write(escaped(src.Bytes()))
	return err
}

func formatFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "format", "f", "text", "text or json")
}

// parseTime reads a moment: a date, a date with a time, or how long ago.
func parseTime(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, err := parseAge(text); err == nil {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usagef("%s is %q, expected how long ago (90m, 7d), a date (2026-01-31) or a time (2026-01-31 15:04)", flag, text)
}

// mostDays keeps an age within what a duration holds.
const mostDays = 36500

// parseAge reads a duration, in which d are days.
func parseAge(text string) (time.Duration, error) {
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		days, err := strconv.ParseFloat(number, 64)
		if err != nil || !(days >= 0 && days <= mostDays) {
			return 0, fmt.Errorf("%q is no number of days", number)
		}
		return time.Duration(days * 24 * float64(time.Hour)), nil
	}
	age, err := time.ParseDuration(text)
	if err == nil && age < 0 {
		return 0, fmt.Errorf("%q is in the future", text)
	}
	return age, err
}

// milliseconds is a duration for people.
func milliseconds(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(10 * time.Millisecond).String()
}
