package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/program"
)

type suggestFlags struct {
	importFlags
	from    []string
	runs    filterFlags
	least   int
	take    int
	name    string
	test    bool
	format  string
	history program.HistoryFlags
}

func newSuggest(std program.Streams) *cobra.Command {
	flags := suggestFlags{}
	cmd := &cobra.Command{
		Use:   "suggest [FILE]",
		Short: "Find what is done again and again, and draft a tool for it",
		Long: `Find chains of calls that a client makes again and again, and draft a tool for each: in
recorded plans, pipelines and calls of exposed tools, or with --from FILE in the transcript
of an agent, a session of Claude Code (JSON Lines below ~/.claude/projects) or objects
{server, tool, args, result}, or in a run that toolgraph runs export wrote. With the
argument FILE only runs of that graph file count.

Repetitions are folded into each, and values are traced to the answers that they came from.
What the agent worked out itself is a TODO. Each draft is run on the recorded answers:
"reproduces 8 of 8", or where it parts from them. The tokens are an estimate: of the answers
that the client read only to go on with them.

Nothing is written without --take: it writes suggestion N to the file of -o, with --test also
a test that does the last job again. Clients see the tool when a server serves that file;
with --locked, after toolgraph lock. Values that look like secrets are never shown.`,
		Example: `  toolgraph suggest
  toolgraph suggest --since 7d --from runs --from session.jsonl
  toolgraph suggest --take 1 --as triage -o triage.yaml --test`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	flags.register(cmd)
	program.ServersFlag(cmd, &flags.servers)
	cmd.Flags().StringArrayVar(&flags.from, "from", nil, "`runs`, or the file of a transcript or of an exported run; may be repeated (default runs)")
	cmd.Flags().StringVar(&flags.runs.since, "since", "30d", "only runs that started at this `time` or later: 90m, 7d, 2026-01-31 …")
	cmd.Flags().IntVar(&flags.least, "least", 0, "how often a chain must be there at least (default 3; 2 in transcripts)")
	cmd.Flags().IntVar(&flags.take, "take", 0, "write suggestion `N`; requires -o")
	cmd.Flags().StringVar(&flags.name, "as", "", "`name` of the tool that is taken")
	cmd.Flags().BoolVar(&flags.test, "test", false, "also write a test with the recorded answers beside the graph; requires --take")
	program.FormatFlag(cmd, &flags.format)
	flags.history.Register(cmd)
	cmd.Flags().StringVarP(&flags.runs.graph, "graph", "g", "", "only runs of this graph `file`, instead of the argument FILE")
	return program.TakesGraph(cmd, &flags.runs.graph)
}

// suggested is a suggestion, and its description.
type suggested struct {
	habit.Suggestion
	view habit.View
}

func (f *suggestFlags) run(ctx context.Context, std program.Streams) error {
	switch {
	case f.take < 0 || f.least < 0 || f.least == 1:
		return program.Usagef("--take expects a number from 1, --least one from 2")
	case f.take > 0 && (f.out == "" || f.out == "-"):
		return program.Usagef("--take writes a file; name it with -o")
	case f.take == 0 && (f.out != "" || f.test || f.name != ""):
		return program.Usagef("-o, --as and --test require --take N")
	}
	all, err := f.find(ctx, std)
	if err != nil {
		return err
	}
	if f.take == 0 {
		return f.print(std, all)
	}
	if f.take > len(all) {
		return program.Usagef("--take is %d, and there are %s", f.take, wording.Count(len(all), "suggestion"))
	}
	taken := all[f.take-1]
	if taken.Draft == nil {
		return fmt.Errorf("suggestion %d has no draft: %s", f.take, taken.Why)
	}
	name := f.name
	if name == "" {
		name = taken.view.Name
	}
	file, err := importer.DraftFile(f.out, taken.Draft, importer.DraftOptions{
		Tool: name, ServersFile: f.servers != "", Test: f.test, TestName: "as it was done last",
		Notes: []string{fmt.Sprintf("Suggested by toolgraph suggest: %s, done %s.", strings.Join(taken.Chain, ", "), wording.Count(len(taken.Occurrences), "time"))},
	})
	if err != nil {
		return err
	}
	return f.write(ctx, std, file)
}

// sources are what suggestions are made of.
type sources struct {
	traces   importer.Transcripts
	inTraces habit.Finder
	exported habit.Exported
	recorded bool // the recorded runs, too
}

// sources reads the files that are named.
func (f *suggestFlags) sources(ctx context.Context, std program.Streams) (*sources, error) {
	s := &sources{inTraces: habit.Finder{Least: max(f.least, 2)}, recorded: len(f.from) == 0}
	for _, from := range f.from {
		if from == "runs" {
			s.recorded = true
			continue
		}
		src, err := f.read(ctx, std, from, importer.MaxTraceBytes)
		if err != nil {
			return nil, err
		}
		if head := src[:min(len(src), 100)]; !bytes.Contains(head, []byte(`"toolgraphRun"`)) {
			if err := s.traces.Read(from, src, &s.inTraces); err != nil {
				return nil, err
			}
			continue
		}
		run, err := readExported(from, src)
		if err != nil {
			return nil, err
		}
		s.exported.Add(run.Run, run.Events)
	}
	return s, nil
}

// find returns the suggestions of all sources, those that save the most first.
func (f *suggestFlags) find(ctx context.Context, std program.Streams) (all []suggested, err error) {
	from, err := f.sources(ctx, std)
	if err != nil {
		return nil, err
	}
	filter, err := f.runs.filter()
	if err != nil {
		return nil, err
	}
	add := func(found []habit.Suggestion, views []habit.View, err error) error {
		for i := range views {
			all = append(all, suggested{found[i], views[i]})
		}
		return err
	}
	found, err := habit.Suggest(ctx, from.inTraces.Find(), &from.traces)
	if err != nil {
		return nil, err
	}
	views, err := habit.Views(found, nil)
	if err := add(found, views, err); err != nil {
		return nil, err
	}
	if from.exported.Len() > 0 {
		if err := add(habit.OfRuns(ctx, &from.exported, journal.Filter{File: filter.File}, f.least)); err != nil {
			return nil, err
		}
	}
	if from.recorded {
		filter.Limit = -1
		err = f.history.Read(func(store *journal.Store) error { return add(habit.OfRuns(ctx, store, filter, f.least)) })
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b suggested) int { return b.Week - a.Week })
	for i := range all {
		all[i].view.Number = i + 1
	}
	return all, nil
}

func (f *suggestFlags) print(std program.Streams, all []suggested) error {
	views := make([]habit.View, len(all))
	for i := range all {
		views[i] = all[i].view
	}
	if f.format == "json" {
		return program.WriteEscaped(std.Out, map[string]any{"suggestions": views}, "  ")
	}
	if len(views) == 0 {
		_, err := fmt.Fprintln(std.Out, "no chain of calls was made again and again; a single trace becomes a tool with toolgraph import agent-trace FILE")
		return err
	}
	for _, v := range views {
		printSuggestion(std.Out, v)
	}
	return nil
}

// printSuggestion prints one suggestion with its draft.
func printSuggestion(w io.Writer, v habit.View) {
	fmt.Fprintf(w, "%d. %s\n", v.Number, wording.Printable(strings.Join(v.Chain, " → ")))
	when := ""
	if !v.Last.IsZero() {
		when = ", last " + v.Last.Local().Format(time.DateOnly)
	}
	fmt.Fprintf(w, "   %s%s; about %d tokens a week (an estimate)", wording.Count(v.Times, "time"), when, v.Week)
	if v.Why != "" {
		fmt.Fprintf(w, "; no draft: %s\n\n", wording.Printable(v.Why))
		return
	}
	fmt.Fprintf(w, "; effects: %s; reproduces %d of %d", strings.Join(v.Effects, ", "), v.Reproduces, v.Tried)
	if n := len(v.Todos); n > 0 {
		fmt.Fprintf(w, "; %s to be written (TODO)", wording.Count(n, "value"))
	}
	fmt.Fprintln(w)
	for _, line := range v.Parts {
		fmt.Fprintf(w, "   parts: %s\n", wording.OneLine(line))
	}
	for _, line := range v.Left {
		fmt.Fprintf(w, "   left out: %s\n", wording.OneLine(line))
	}
	fmt.Fprintln(w)
	for line := range strings.Lines(v.Draft) {
		fmt.Fprintf(w, "       %s", wording.Printable(line))
	}
	fmt.Fprintf(w, "\n   to take it: toolgraph suggest --take %d --as %s -o FILE\n\n", v.Number, v.Name)
}
