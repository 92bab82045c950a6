package cli

import (
	"fmt"
	"io"
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

func newStats(std program.Streams) *cobra.Command {
	history := &program.HistoryFlags{}
	var file, tool, since, until, by, format string
	cmd := &cobra.Command{
		Use:   "stats [FILE]",
		Short: "Show what recorded runs have used and saved",
		Long: `Show figures of the recorded runs that have ended: how many there are and how many failed,
their calls, the bytes that servers answered (bytes in) and that clients got (bytes out), and
the time that half of them (p50) and 95 of 100 (p95) took at most; then the five slowest
runs, and the five chains of calls that most runs have.

The tokens saved are an estimate: a quarter of bytes in less bytes out, and never below 0 for
a run. The figures of a server are those of the runs that have called it, with their calls
and bytes of that server. Runs that an earlier version has recorded count, but what they have
used is unknown.`,
		Example: `  toolgraph stats --since 7d
  toolgraph stats graph.yaml --by day
  toolgraph stats --by server --json`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := (&filterFlags{tool: tool, graph: file, since: since, until: until}).filter()
			if err != nil {
				return err
			}
			grouping := journal.Grouping(by)
			query := journal.StatsQuery{Tool: filter.Tool, File: filter.File, Since: filter.Since, Until: filter.Until, By: []journal.Grouping{grouping}}
			return history.Read(func(store *journal.Store) error {
				i := &inspect.Inspector{Store: store, Version: program.VersionText()}
				return printAnswer(std, i, format, func(i *inspect.Inspector) (*journal.Stats, error) {
					return i.Stats(cmd.Context(), query)
				}, func(w io.Writer, s *journal.Stats) error { return printStats(w, s, grouping) })
			})
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "only runs of this `tool`")
	cmd.Flags().StringVarP(&file, "graph", "g", "", "only runs of this graph `file`, instead of the argument FILE")
	cmd.Flags().StringVar(&since, "since", "", "only runs that started at this `time` or later: 90m, 7d, 2026-01-31 …")
	cmd.Flags().StringVar(&until, "until", "", "only runs that started before this `time`")
	program.ChoiceFlag(cmd, &by, "by", "", "add the runs by", groupings()...)
	program.FormatFlag(cmd, &format)
	history.RegisterState(cmd.Flags())
	return program.TakesGraph(cmd, &file)
}

func groupings() (names []string) {
	for _, by := range journal.Groupings {
		names = append(names, string(by))
	}
	return names
}

// unknownUsage stands for a number that was not recorded, or that does not exist.
const unknownUsage = "-"

// savedTitle is the title of the column of tokens that were saved.
const savedTitle = "tokens saved (est.)"

// usageCells returns calls, bytes in, bytes out and tokens saved of a run.
func usageCells(u *journal.Usage) []string {
	if u == nil {
		return slices.Repeat([]string{unknownUsage}, 4)
	}
	return []string{strconv.Itoa(u.Calls), strconv.Itoa(u.BytesIn), strconv.Itoa(u.BytesOut), strconv.Itoa(u.TokensSaved)}
}

// usageText returns what a run has used, on one line.
func usageText(u *journal.Usage) string {
	if u == nil {
		return unknownUsage
	}
	return fmt.Sprintf("%s, %d bytes in, %d bytes out, about %d tokens saved (estimate)",
		wording.Count(u.Calls, "call"), u.BytesIn, u.BytesOut, u.TokensSaved)
}

// usageFacts returns the rows that describe what a run has used.
func usageFacts(u *journal.Usage) [][]string {
	rows := [][]string{{"usage", usageText(u)}}
	if u == nil {
		return rows
	}
	if len(u.Servers) > 1 {
		var texts []string
		for _, s := range u.Servers {
			texts = append(texts, fmt.Sprintf("%s %s, %d bytes in", serverName(s.Server), wording.Count(s.Calls, "call"), s.BytesIn))
		}
		rows = append(rows, []string{"servers", strings.Join(texts, "; ")})
	}
	if len(u.Chain) > 1 {
		rows = append(rows, []string{"chain", chainText(u.Chain)})
	}
	return rows
}

// serverName names a server; the empty name stands for several.
func serverName(name string) string {
	if name == "" {
		return "others"
	}
	return name
}

func chainText(chain []string) string { return strings.Join(chain, " → ") }

func printStats(w io.Writer, s *journal.Stats, by journal.Grouping) error {
	if s.Total.Runs == 0 {
		_, err := fmt.Fprintln(w, "no runs have ended")
		return err
	}
	saved := savedTitle
	if screen := terminal.On(w); screen.Live() && screen.Columns() < usageColumns {
		saved = "saved" // all columns fit
	}
	rows := [][]string{{string(by), "runs", "failed", "calls", "bytes in", "bytes out", saved, "p50", "p95"}}
	for _, g := range s.Groups[by] {
		rows = append(rows, figureCells(serverName(g.Name), &g.Figures))
	}
	rows = append(rows, figureCells("all", &s.Total))
	if err := program.ListRows(w, rows, plainCells); err != nil {
		return err
	}
	if s.Total.Unknown > 0 {
		fmt.Fprintf(w, "usage unknown: %s of an earlier version\n", wording.Count(s.Total.Unknown, "run"))
	}
	fmt.Fprint(w, "\nslowest runs:\n")
	rows = [][]string{{"run", "started", "tool", "status", "time"}}
	for _, r := range s.Slowest {
		rows = append(rows, []string{shortID(r.Run), r.Started.Local().Format(time.DateTime), r.Tool, wording.Status(r.Status), milliseconds(r.Duration)})
	}
	if err := program.ListRows(w, rows, func(column int, text string) terminal.Style {
		if column == statusColumn {
			return statusStyle(text)
		}
		return terminal.Plain
	}); err != nil || len(s.Chains) == 0 {
		return err
	}
	fmt.Fprint(w, "\nmost repeated chains of calls:\n")
	rows = [][]string{{"runs", "chain"}}
	for _, c := range s.Chains {
		rows = append(rows, []string{strconv.Itoa(c.Runs), chainText(c.Chain)})
	}
	if err := program.ListRows(w, rows, plainCells); err != nil {
		return err
	}
	if s.More {
		fmt.Fprintln(w, "There are more different chains than could be counted; select fewer runs, for example with --since.")
	}
	return nil
}

func plainCells(int, string) terminal.Style { return terminal.Plain }

func figureCells(name string, f *journal.Figures) []string {
	number := func(n *int) string {
		if n == nil {
			return unknownUsage
		}
		return strconv.Itoa(*n)
	}
	return []string{
		name, strconv.Itoa(f.Runs), strconv.Itoa(f.Failures), strconv.Itoa(f.Calls), strconv.Itoa(f.BytesIn),
		number(f.BytesOut), number(f.TokensSaved), milliseconds(f.P50), milliseconds(f.P95),
	}
}
