package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

func newRunsWatch(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	selected := filterFlags{}
	var long time.Duration
	var format string
	cmd := &cobra.Command{
		Use:   "watch [RUN] [FILE]",
		Short: "Follow runs of all processes while they run",
		Long: `Follow the runs that are recorded here, in this process or another: print a line when a run
begins, continues, waits for an answer of its user, or ends. On a terminal the lines of runs in
progress are updated in place. With --json each line is an object as runs list --json has it.
Ctrl-C ends with exit code 0.

With RUN follow that run until it has ended; the exit code is 1 when it did not finish with a
result. RUN can be the beginning of the id, or last.`,
		Example: `  toolgraph runs watch
  toolgraph runs watch --tool count_files --status failed
  toolgraph runs watch last
  toolgraph runs watch graph.yaml --json --for 10m > runs.ndjson`,
		Args: program.Args(0, 1, "at most a run and a graph file"), SuggestFor: []string{"follow", "tail"},
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := selected.filter()
			if err != nil {
				return err
			}
			if long < 0 {
				return program.Usagef("--for is %v, expected a time such as 10m", long)
			}
			ctx := cmd.Context()
			if long > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, long)
				defer cancel()
			}
			w := newRunWatcher(std.Out, terminal.On(std.Out), filter, format == "json")
			err = history.Read(func(store *journal.Store) error {
				if len(args) > 0 {
					r, err := store.Run(ctx, args[0])
					if err != nil {
						return err
					}
					if filter.File != "" && r.File != filter.File {
						return fmt.Errorf("run %s is of the graph file %s, not of %s", r.ID, r.File, filter.File)
					}
					w.only = r.ID
				} else if program.IsTerminal(std.Err) {
					fmt.Fprintln(std.Err, "toolgraph: watching recorded runs; Ctrl-C ends")
				}
				return w.watch(ctx, store)
			})
			if errors.Is(context.Cause(ctx), runtime.ErrStop) {
				return errors.Join(err, context.Cause(ctx))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&selected.tool, "tool", "", "only runs of this `tool`")
	cmd.Flags().StringVar(&selected.status, "status", "", "only what happens to runs with this `status`: "+program.Alternatives(statuses()))
	cmd.Flags().DurationVar(&long, "for", 0, "end after this `time`, such as 10m")
	program.FormatFlag(cmd, &format)
	return program.TakesGraph(cmd, &selected.graph)
}

// runWatcher prints what happens to runs. Safe for concurrent use.
type runWatcher struct {
	out    io.Writer
	screen terminal.Screen
	filter journal.Filter
	json   bool
	only   string // the id of the only run; empty: all

	mu      sync.Mutex     // guards what follows, and out
	open    []journal.Run  // in progress, the oldest first
	drawn   int            // how many lines at the end of the screen show them
	tools   int            // width of the longest name of a tool so far
	outcome journal.Status // of the only run; empty: it has not ended
}

func newRunWatcher(out io.Writer, screen terminal.Screen, filter journal.Filter, asJSON bool) *runWatcher {
	return &runWatcher{out: out, screen: screen, filter: filter, json: asJSON}
}

// errWatched means that the only run has ended.
var errWatched = errors.New("the run has ended")

// watch prints until ctx ends, or the only run has ended.
func (w *runWatcher) watch(ctx context.Context, store *journal.Store) error {
	following, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- store.Follow(following, w.filter.File, w.changed) }()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	err := w.tick(following, store)
	for err == nil {
		select {
		case err = <-done:
			cancel()
			return w.ended(err)
		case <-second.C:
			err = w.tick(following, store)
		}
	}
	cancel()
	return w.ended(errors.Join(err, <-done))
}

// ended returns the error of the command.
func (w *runWatcher) ended(err error) error {
	if !errors.Is(err, errWatched) {
		return err
	}
	if w.outcome != journal.Finished {
		return program.ErrReported
	}
	return nil
}

// tick draws the times of runs in progress, and looks whether the only run ended before it was
// followed.
func (w *runWatcher) tick(ctx context.Context, store *journal.Store) error {
	if w.only != "" {
		r, err := store.Run(ctx, w.only)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case !r.InProgress():
			return w.changed([]journal.Run{r})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.inPlace() || len(w.open) == 0 {
		return nil
	}
	return w.redraw("")
}

// inPlace reports whether the lines of runs in progress are updated.
func (w *runWatcher) inPlace() bool { return w.screen.Live() && !w.json }

// changed prints runs that have changed.
func (w *runWatcher) changed(runs []journal.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outcome != "" {
		return errWatched
	}
	var lines strings.Builder
	var err error
	for _, r := range runs {
		if w.only != "" && r.ID != w.only || w.filter.Tool != "" && r.Tool != w.filter.Tool {
			continue
		}
		isNews := w.note(r)
		selected := w.filter.Status == "" || r.Status == w.filter.Status
		if selected && (isNews || !r.InProgress()) && (!w.inPlace() || !r.InProgress()) {
			lines.WriteString(w.line(r) + "\n")
		}
		if w.only != "" && !r.InProgress() {
			w.outcome, err = r.Status, errWatched
			break
		}
	}
	if w.inPlace() {
		return errors.Join(w.redraw(lines.String()), err)
	}
	_, wrong := io.WriteString(w.out, lines.String())
	return cmp.Or(wrong, err)
}

// note remembers a run while it is in progress, and reports whether its line differs from before.
func (w *runWatcher) note(r journal.Run) (news bool) {
	w.tools = max(w.tools, w.screen.Width(wording.OneLine(r.Tool)))
	i := slices.IndexFunc(w.open, func(o journal.Run) bool { return o.ID == r.ID })
	switch {
	case !r.InProgress() && i >= 0:
		w.open = slices.Delete(w.open, i, i+1)
	case !r.InProgress():
	case i < 0:
		w.open = append(w.open, r)
		slices.SortStableFunc(w.open, func(a, b journal.Run) int { return a.Started.Compare(b.Started) })
	default:
		was := w.open[i]
		w.open[i] = r
		return was.Status != r.Status || was.Steps != r.Steps
	}
	return true
}

// redraw writes lines above those of the runs in progress, and draws the latter anew.
func (w *runWatcher) redraw(lines string) error {
	var b strings.Builder
	if w.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", w.drawn)
	}
	b.WriteString(lines)
	shown := slices.Clone(w.open)
	if w.filter.Status != "" {
		shown = slices.DeleteFunc(shown, func(r journal.Run) bool { return r.Status != w.filter.Status })
	}
	w.drawn = len(shown)
	if most := max(1, w.screen.Rows()-2); len(shown) > most {
		left := len(shown) - most
		shown = shown[left:]
		w.drawn = most + 1
		b.WriteString(w.screen.Fit(wording.Count(left, "run")+" more in progress") + "\n")
	}
	for _, r := range shown {
		b.WriteString(w.line(r) + "\n")
	}
	_, err := io.WriteString(w.out, b.String())
	return err
}

// line is a run as a line: when, id, tool, status, steps, how long, and why it failed.
func (w *runWatcher) line(r journal.Run) string {
	if w.json {
		var src bytes.Buffer
		enc := json.NewEncoder(&src)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return "{}"
		}
		return strings.TrimSuffix(string(program.Escaped(src.Bytes())), "\n")
	}
	now := time.Now()
	at, took := now, max(0, now.Sub(r.Started)).Truncate(time.Second).String() // which grows
	switch {
	case !r.InProgress():
		at, took = cmp.Or(r.Ended, now), milliseconds(r.Duration)
	case w.inPlace():
		at = r.Started
	}
	r.Process = nil // the column is narrow
	status := statusText(r)
	parts := []terminal.Part{
		{Text: at.Local().Format(time.TimeOnly) + "  ", Style: terminal.Faint},
		{Text: shortID(r.ID) + "  " + w.screen.Pad(wording.OneLine(r.Tool), w.tools) + "  "},
		{Text: w.screen.Pad(wording.OneLine(status), len(journal.Interrupted)), Style: statusStyle(status)},
		{Text: fmt.Sprintf("  %10s  %8s", wording.Count(r.Steps, "step"), took)},
	}
	if r.Failure != nil {
		parts = append(parts, terminal.Part{Text: "  " + shortened(r.Failure.Message, errorShown), Style: terminal.Bad})
	}
	return w.screen.Line(parts...)
}
