package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/inspect"
	"toolgraph/internal/wording"
)

// filterFlags select runs.
type filterFlags struct {
	tool, status, graph, text, since, until string
}

func (f *filterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tool, "tool", "", "only runs of this tool")
	cmd.Flags().StringVar(&f.status, "status", "", "only runs that are running, finished, error, cancelled or interrupted")
	cmd.Flags().StringVarP(&f.graph, "graph", "g", "", "only runs of this graph file, instead of the argument FILE")
	cmd.Flags().StringVar(&f.text, "text", "", "only runs with this text in their id, tool, arguments or failure")
	cmd.Flags().StringVar(&f.since, "since", "", "only runs that began then or later: 90m, 7d, 2026-01-31 …")
	cmd.Flags().StringVar(&f.until, "until", "", "only runs that began before then")
}

func (f *filterFlags) filter() (journal.Filter, error) {
	filter := journal.Filter{Tool: f.tool, Status: journal.Status(f.status), Text: f.text}
	if f.status != "" && !slices.Contains(journal.Statuses, filter.Status) {
		return filter, usagef("--status is %q, expected one of running, finished, error, cancelled, interrupted", f.status)
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

func newRunsList(std streams, history *historyFlags) *cobra.Command {
	var selected filterFlags
	var limit int
	var before, format string
	cmd := &cobra.Command{
		Use:   "list [FILE]",
		Short: "List kept runs, the newest first",
		Long: `List kept runs, the newest first. An interrupted run is one whose process is gone
without having ended it; a damaged one is not in the store as it was recorded.`,
		Example: `  toolgraph runs list
  toolgraph runs list --tool count_files --status error --since 7d
  toolgraph runs list --format json --limit 1000`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := selected.filter()
			if err != nil {
				return err
			}
			if limit < 0 {
				return usagef("--limit is %d, expected a number of runs, or 0 for all", limit)
			}
			filter.Limit, filter.Before = limit, before
			if limit == 0 {
				filter.Limit = -1
			}
			return answering(std, history, format, func(i *inspect.Inspector) (*inspect.Runs, error) {
				return i.ListRuns(cmd.Context(), filter)
			}, printRuns)
		},
	}
	selected.register(cmd)
	cmd.Flags().IntVar(&limit, "limit", journal.DefaultList, "at most so many runs; 0: all")
	cmd.Flags().StringVar(&before, "before", "", "only runs that began before the run with this id, for the next page")
	formatFlag(cmd, &format)
	return takesGraph(cmd, &selected.graph)
}

// idShown is how many characters of an id tell runs apart well enough.
const idShown = 10

func printRuns(w io.Writer, answer *inspect.Runs) error {
	if len(answer.Runs) == 0 {
		_, err := fmt.Fprintln(w, "no runs")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "run\tstarted\ttool\tstatus\ttime\tsteps\targuments")
	for _, r := range answer.Runs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", shortID(r.ID), r.Started.Local().Format(time.DateTime),
			wording.OneLine(r.Tool), statusText(r), milliseconds(r.Duration), r.Steps, shortened(r.Args, outputShown))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if answer.Next != "" {
		fmt.Fprintf(w, "there are more: --before %s\n", wording.OneLine(answer.Next))
	}
	return nil
}

func statusText(r journal.Run) string {
	if r.Damaged != "" {
		return "damaged"
	}
	return wording.OneLine(string(r.Status))
}

func shortID(id string) string {
	return wording.OneLine(string([]rune(id)[:min(idShown, len([]rune(id)))]))
}

// shortened is one line of at most so many characters.
func shortened(text string, most int) string {
	line := []rune(wording.OneLine(text))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most]) + "…"
}
