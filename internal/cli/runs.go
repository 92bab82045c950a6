package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newRuns(std program.Streams) *cobra.Command {
	history := &program.HistoryFlags{}
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, watch, show, explain, compare, export, cancel and delete recorded runs",
		Long: `Manage recorded runs. A recorded run has its arguments, each step with its value, and its
result or failure, but no secrets. RUN is the id of a run, the beginning of its id, or last.

Runs are recorded in the user's state directory, or in the place that --state or $` + program.StateVariable + `
names: another directory, or a Postgres database.`,
		Example: `  toolgraph runs list --tool count_files --status failed
  toolgraph runs watch
  toolgraph runs show last
  toolgraph runs explain
  toolgraph runs diff 5GNF last
  toolgraph runs export last > run.json
  toolgraph runs cancel 3QK7
  toolgraph runs rm --older-than 7d`,
	}
	program.OnlyCommands(cmd)
	history.RegisterState(cmd.PersistentFlags())
	cmd.AddCommand(
		newRunsList(std, history), newRunsWatch(std, history), newRunsShow(std, history), newRunsExplain(std, history), newRunsDiff(std, history),
		newRunsExport(std, history), newRunsImport(std, history), newRunsCancel(std, history), newRunsRemove(std, history),
	)
	return cmd
}

// inspectRuns prints the answer to a question about recorded runs.
func inspectRuns[T any](
	std program.Streams, h *program.HistoryFlags, format string, ask func(*inspect.Inspector) (*T, error), show func(io.Writer, *T) error,
) error {
	return h.Read(func(store *journal.Store) error {
		return printAnswer(std, &inspect.Inspector{Store: store, Version: program.VersionText()}, format, ask, show)
	})
}

// printAnswer prints the answer of an inspector, as JSON or with show.
func printAnswer[T any](
	std program.Streams, i *inspect.Inspector, format string, ask func(*inspect.Inspector) (*T, error), show func(io.Writer, *T) error,
) error {
	answer, err := ask(i)
	if err != nil {
		return err
	}
	if format == "json" {
		return program.WriteEscaped(std.Out, answer, "  ")
	}
	return show(std.Out, answer)
}

// filterFlags select runs.
type filterFlags struct {
	tool, status, graph, text, since, until string
	old                                     bool
}

func (f *filterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tool, "tool", "", "only runs of this `tool`")
	cmd.Flags().StringVar(&f.status, "status", "", "only runs with this `status`: "+program.Alternatives(statuses()))
	cmd.Flags().StringVarP(&f.graph, "graph", "g", "", "only runs of this graph `file`, instead of the argument FILE")
	cmd.Flags().StringVar(&f.text, "text", "", "only runs with this `text` in their id, tool, arguments or failure")
	cmd.Flags().StringVar(&f.since, "since", "", "only runs that started at this `time` or later: 90m, 7d, 2026-01-31 …")
	cmd.Flags().StringVar(&f.until, "until", "", "only runs that started before this `time`")
	cmd.Flags().BoolVar(&f.old, "old", false, "only runs that are old, but not deleted because they can continue (see toolgraph retention)")
}

// statuses are the statuses of recorded runs, as people read them.
func statuses() (names []string) {
	for _, s := range journal.Statuses {
		names = append(names, wording.Status(s))
	}
	return names
}

// statusOf returns the status of a word of people or of JSON; empty when there is none.
func statusOf(word string) journal.Status {
	at := slices.IndexFunc(journal.Statuses, func(s journal.Status) bool { return word == string(s) || word == wording.Status(s) })
	if at < 0 {
		return ""
	}
	return journal.Statuses[at]
}

func (f *filterFlags) filter() (journal.Filter, error) {
	filter := journal.Filter{Tool: f.tool, Status: statusOf(f.status), Text: f.text, Old: f.old}
	if f.status != "" && filter.Status == "" {
		return filter, program.Usagef("--status is %q, expected %s", f.status, program.Alternatives(statuses()))
	}
	var err error
	now := time.Now()
	if filter.Since, err = parseTime("--since", f.since, now); err != nil {
		return filter, err
	}
	if filter.Until, err = parseTime("--until", f.until, now); err != nil {
		return filter, err
	}
	if f.graph != "" {
		if filter.File, err = filepath.Abs(f.graph); err != nil {
			return filter, err
		}
	}
	return filter, nil
}

func newRunsList(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var selected filterFlags
	var limit int
	var before, format string
	cmd := &cobra.Command{
		Use:   "list [FILE]",
		Short: "List recorded runs, newest first",
		Long: `List recorded runs, newest first. The user of a waiting run was asked a question and has not
answered yet. The process of an interrupted run died before the run ended; the record of a
damaged run was changed after it was written. An old run is one that retention would have
deleted, if it could not continue: resume it, answer it or delete it.`,
		Example: `  toolgraph runs list
  toolgraph runs list --tool count_files --status failed --since 7d
  toolgraph runs list --format json --limit 1000`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := selected.filter()
			if err != nil {
				return err
			}
			if limit < 0 {
				return program.Usagef("--limit is %d, expected a number of runs, or 0 for all", limit)
			}
			filter.Limit, filter.Before = limit, before
			if limit == 0 {
				filter.Limit = -1
			}
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.Runs, error) {
				return i.ListRuns(cmd.Context(), filter)
			}, printRuns)
		},
	}
	selected.register(cmd)
	cmd.Flags().IntVar(&limit, "limit", journal.DefaultList, "maximum `number` of runs; 0 for all")
	cmd.Flags().StringVar(&before, "before", "", "only runs that started before the run with this `id`, for the next page")
	program.FormatFlag(cmd, &format)
	return program.TakesGraph(cmd, &selected.graph)
}

// idShown is how many characters of an id identify a run well enough.
const idShown = 10

// statusColumn is the column of the status in the list of runs.
const statusColumn = 3

// statusStyle is how a status is painted; a question may follow it.
func statusStyle(text string) terminal.Style {
	status := text[:max(0, strings.IndexAny(text+" ", ":, "))]
	switch statusOf(status) {
	case journal.Finished:
		return terminal.Good
	case journal.Running:
		return terminal.Active
	case journal.Waiting, journal.Interrupted, journal.Cancelled:
		return terminal.Notice
	case journal.Failed:
	}
	return terminal.Bad // damaged, too
}

func printRuns(w io.Writer, answer *inspect.Runs) error {
	if len(answer.Runs) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	if err := program.ListRows(w, runRows(answer.Runs, terminal.On(w), time.Now()), func(column int, text string) terminal.Style {
		if column == statusColumn {
			return statusStyle(text)
		}
		return terminal.Plain
	}); err != nil {
		return err
	}
	if answer.Next != "" {
		fmt.Fprintf(w, "more runs: --before %s\n", wording.OneLine(answer.Next))
	}
	return nil
}

// usageColumns is how wide a terminal must be to have what each run has used beside it.
const usageColumns = 120

// runRows returns the list of runs. On a terminal it says how long ago a run began, and in a narrow one it leaves out what the run
// has used; in a file or for a program everything is exact.
func runRows(runs []journal.Run, screen terminal.Screen, now time.Time) [][]string {
	usage := !screen.Live() || screen.Columns() >= usageColumns
	head := []string{"run", "started", "tool", "status", "time", "steps"}
	if usage {
		head = append(head, "calls", "bytes in", "bytes out", savedTitle)
	}
	rows := [][]string{append(head, "arguments")}
	for _, r := range runs {
		started := r.Started.Local().Format(time.DateTime)
		if screen.Live() {
			started = ago(now.Sub(r.Started), started)
		}
		row := []string{shortID(r.ID), started, r.Tool, statusText(r), milliseconds(r.Duration), strconv.Itoa(r.Steps)}
		if usage {
			row = append(row, usageCells(r.Usage)...)
		}
		rows = append(rows, append(row, shortened(r.Args, outputShown)))
	}
	return rows
}

const day = 24 * time.Hour

// ago says how long ago something was; exact is for what is older than a week, or still to come.
func ago(was time.Duration, exact string) string {
	switch {
	case was < 0 || was >= 7*day:
		return exact
	case was < time.Minute:
		return fmt.Sprintf("%d s ago", was/time.Second)
	case was < time.Hour:
		return fmt.Sprintf("%d min ago", was/time.Minute)
	case was < day:
		return fmt.Sprintf("%d h ago", was/time.Hour)
	}
	return fmt.Sprintf("%d d ago", was/day)
}

func shortID(id string) string {
	return wording.OneLine(string([]rune(id)[:min(idShown, len([]rune(id)))]))
}

func newRunsRemove(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var selected filterFlags
	var olderThan, format string
	var all bool
	cmd := &cobra.Command{
		Use:   "rm [RUN …] [FILE]",
		Short: "Delete recorded runs",
		Long: `Delete recorded runs, by id or selected by flags. Running runs are not deleted. Deleting
every run requires --all.`,
		Example: `  toolgraph runs rm 5GNFQ
  toolgraph runs rm --older-than 7d --status finished
  toolgraph runs rm --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := selected.filter()
			if err != nil {
				return err
			}
			if olderThan != "" {
				if selected.until != "" {
					return program.Usagef("--older-than and --until mean the same; give one of them")
				}
				if filter.Until, err = parseTime("--older-than", olderThan, time.Now()); err != nil {
					return err
				}
			}
			filter.Limit = -1
			none := filter == journal.Filter{Limit: -1}
			switch {
			case len(args) > 0 && (!none || all):
				return program.Usagef("runs are named or selected by flags, not both")
			case len(args) == 0 && none && !all:
				return program.Usagef("no runs to delete; name them, select them by flags, or give --all")
			case all && !none:
				return program.Usagef("--all is every run; remove it or the other flags")
			}
			return history.Read(func(store *journal.Store) error {
				return removeRuns(cmd.Context(), std, store, args, filter, format)
			})
		},
	}
	selected.register(cmd)
	cmd.Flags().StringVar(&olderThan, "older-than", "", "only runs older than this `age`: 12h, 7d")
	cmd.Flags().BoolVar(&all, "all", false, "delete every run")
	program.FormatFlag(cmd, &format)
	return program.TakesGraph(cmd, &selected.graph)
}

func removeRuns(ctx context.Context, std program.Streams, store *journal.Store, named []string, filter journal.Filter, format string) error {
	var ids []string
	for _, name := range named {
		r, err := store.Run(ctx, name)
		var damaged *journal.DamagedError
		if errors.As(err, &damaged) {
			r.ID, err = damaged.Run, nil
		}
		if err != nil {
			return err
		}
		if r.InProgress() {
			return fmt.Errorf("run %s is running; only runs that have ended can be deleted", r.ID)
		}
		ids = append(ids, r.ID)
	}
	if len(named) == 0 {
		runs, err := store.List(ctx, filter)
		if err != nil {
			return err
		}
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
	}
	n, err := store.Delete(ctx, ids...)
	if err != nil {
		return err
	}
	if format == "json" {
		return program.WriteEscaped(std.Out, map[string]int{"deleted": n}, "  ")
	}
	_, err = fmt.Fprintf(std.Err, "toolgraph: deleted %s\n", wording.Count(n, "run"))
	return err
}

// parseTime reads a date, a date with a time, or an age.
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
	return time.Time{}, program.Usagef("%s is %q, expected an age (90m, 7d), a date (2026-01-31) or a time (2026-01-31 15:04)", flag, text)
}

// parseAge reads a duration, in which d are days.
func parseAge(text string) (time.Duration, error) {
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		days, err := strconv.ParseFloat(number, 64)
		if err != nil || !(days >= 0 && days <= program.MaxDays) {
			return 0, fmt.Errorf("%q is not a number of days", number)
		}
		return time.Duration(days * 24 * float64(time.Hour)), nil
	}
	age, err := time.ParseDuration(text)
	if err == nil && age < 0 {
		return 0, fmt.Errorf("%q is in the future", text)
	}
	return age, err
}
