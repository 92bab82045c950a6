package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// progress shows on a terminal what is in flight as a tree, and above it what has ended: the calls and parts of a
// run, of which it is an observer, or other work, see work. On other streams it shows nothing. Safe for concurrent use.
type progress struct {
	live    *terminal.Live // nil: nothing is shown
	secrets *config.Secrets
	lists   bool // what has ended gets a line above

	mu     sync.Mutex // guards what follows; it is not held while live is called, which calls rows
	root   *underway  // what all is a part of; without since it has not begun
	flight map[execution.Address]*underway
	steps  int // of the run that have ended
}

// underway is a call in flight, or an execution whose parts are under way.
type underway struct {
	name   string // what it is
	doing  string // the tool that it calls, what it waits for; empty: it has parts
	since  time.Time
	report string // of its server
	parts  partsDone
}

// partsDone counts the parts of an execution that have ended.
type partsDone struct {
	kind             string // what one of them is called; empty: there are none
	done, failed, of int
}

// whole is where the root itself is in flight.
const whole execution.Address = ""

// newProgress returns what shows the progress of a tool, or of something else with a name.
func newProgress(w io.Writer, secrets *config.Secrets, name string) *progress {
	p := &progress{
		live: terminal.LiveOn(w), secrets: secrets,
		root: &underway{name: wording.OneLine(name)}, flight: map[execution.Address]*underway{},
	}
	if p.live != nil {
		p.live.Show(p.rows)
	}
	return p
}

// followed also shows the progress that servers report of the calls of a run, and when lists is set the steps that have
// ended.
func (p *progress) followed(ctx context.Context, lists bool) context.Context {
	if p.live == nil {
		return ctx
	}
	p.lists = lists
	return runtime.WithUpstreamProgress(ctx, p.heard)
}

// Observe takes an event of the run.
func (p *progress) Observe(e execution.Event) {
	if p.live == nil {
		return
	}
	line := ""
	p.mu.Lock()
	switch at := e.At(); e.Kind {
	case execution.CallStarted:
		if call := p.flight[at]; e.Step.Task != "" && call != nil {
			call.doing += " (as a task)"
			break
		}
		p.begin(at, &underway{name: labelOf(at, stepName(*e.Step)), doing: toolOf(e.Step), since: e.Time})
	case execution.AttemptFailed:
		p.begin(at, &underway{name: labelOf(at, stepName(*e.Step)), doing: "waits for the next attempt", since: e.Time})
	case execution.QuestionAsked:
		p.begin(at, &underway{name: labelOf(at, stepName(*e.Step)), doing: "waits for an answer", since: e.Time})
	case execution.Answered:
		if u := p.flight[at]; u != nil && u.parts.kind != "" {
			u.doing = ""
			break
		}
		delete(p.flight, at)
	case execution.PartsStarted:
		p.begin(at, &underway{
			name: labelOf(at, stepName(*e.Step)), since: e.Time,
			parts: partsDone{kind: kindOf(e), of: e.Parts.Count},
		})
	case execution.StepFinished:
		line = p.end(e.Record)
	case execution.RunStarted, execution.StepReady, execution.ContextEdited, execution.RunFinished:
	}
	p.mu.Unlock()
	if line != "" && p.lists {
		p.live.Above(line)
	} else {
		p.live.Changed()
	}
}

// begin notes that something is in flight. p.mu is held.
func (p *progress) begin(at execution.Address, u *underway) {
	if p.root.since.IsZero() {
		p.root.since = u.since
	}
	if old := p.flight[at]; old != nil && u.parts.kind == "" {
		u.parts = old.parts // a question about all of them
	}
	p.flight[at] = u
}

// end notes that a step or part has ended, with the calls and parts below it, and returns its line; none for the items
// of a list, which their step counts, and for steps that call nothing. p.mu is held.
func (p *progress) end(r *execution.Record) (line string) {
	at := r.At()
	maps.DeleteFunc(p.flight, func(of execution.Address, _ *underway) bool { return at.Covers(of) })
	if around := p.flight[at.Outer()]; around != nil && at.Outer() != at {
		around.parts.end(r.Error != nil || r.Handled != nil)
	}
	if inItem(at) || r.Skipped || r.Edited || r.Error == nil && r.Handled == nil && !calls(r) {
		return ""
	}
	p.steps++
	word, style, about := "ok", terminal.Good, ""
	switch {
	case r.Error != nil:
		word, style = "failed", terminal.Bad
	case r.Handled != nil:
		word, style, about = "handled", terminal.Notice, r.Handled.Message
	case r.Cached:
		about = "from the cache"
	}
	name := labelOf(at, stepName(execution.Visit{Graph: r.Tool, NodeID: r.NodeID, Part: r.Part}))
	return p.ended(word, style, name, r.Duration(), about)
}

// inItem reports whether an execution is an item of a list, or below one: its address has a part that is a number.
func inItem(at execution.Address) bool {
	for part := range strings.FieldsFuncSeq(string(at), func(r rune) bool { return r == '/' || r == '@' }) {
		for i, name := range strings.Split(part, ".") {
			if _, err := strconv.Atoi(name); err == nil && i > 0 {
				return true
			}
		}
	}
	return false
}

// calls reports whether a step calls something, or has parts.
func calls(r *execution.Record) bool {
	return r.Parts > 0 || slices.Contains([]config.NodeType{config.MCPNode, config.GraphNode, config.ParallelNode, config.StepsNode}, r.NodeType)
}

// ended is the line of what has ended.
func (p *progress) ended(word string, style terminal.Style, name string, took time.Duration, about string) string {
	parts := []terminal.Part{
		{Text: fmt.Sprintf("%-7s", word), Style: style},
		{Text: "  " + name},
		{Text: "  " + milliseconds(float64(took)/float64(time.Millisecond)), Style: terminal.Faint},
	}
	if about != "" {
		parts = append(parts, terminal.Part{Text: "  " + shortened(p.secrets.Redact(about), errorShown)})
	}
	return terminal.On(p.live).Line(parts...)
}

// work shows the parts of something that is no run, such as the servers that are asked at once. Each part calls begin when it
// begins, with its place and how many there are, 0 where only those that have begun are known; and when it has ended
// what begin returns, with its line; empty: none.
func (p *progress) work(kind string) (begin func(i, of int, name, doing string) (end func(failed bool, line string))) {
	if p.live == nil {
		return func(int, int, string, string) func(bool, string) { return func(bool, string) {} }
	}
	p.root.parts.kind = kind
	return func(i, of int, name, doing string) func(bool, string) {
		at := execution.AddressOf("", i, "")
		p.mu.Lock()
		p.root.parts.of = max(of, p.root.parts.of, p.root.parts.done+len(p.flight)+1)
		p.begin(at, &underway{name: wording.OneLine(name), doing: doing, since: time.Now()})
		p.mu.Unlock()
		p.live.Changed()
		return func(failed bool, line string) {
			p.mu.Lock()
			delete(p.flight, at)
			p.root.parts.end(failed)
			p.mu.Unlock()
			if line != "" {
				p.live.Above(line)
			} else {
				p.live.Changed()
			}
		}
	}
}

// alone notes that the root itself is a call in flight.
func (p *progress) alone(since time.Time) {
	p.mu.Lock()
	p.root.since = since
	p.flight[whole] = p.root
	p.mu.Unlock()
	p.live.Changed()
}

// heard takes the progress that the server of a call reports.
func (p *progress) heard(at execution.Address, done, total float64, message string) {
	p.mu.Lock()
	call := p.flight[at]
	if call != nil {
		call.report = progressText(done, total, p.secrets.Redact(message))
	}
	p.mu.Unlock()
	if call != nil {
		p.live.Changed()
	}
}

// progressText is what a server reports of a call in one line.
func progressText(done, total float64, message string) string {
	text := fmt.Sprintf("%g", done)
	if total > 0 {
		text += fmt.Sprintf(" of %g", total)
	}
	if message != "" {
		text += ", " + message
	}
	return shortened(text, summaryShown)
}

// rows are the tree: what began first is the root, and below an execution with parts are those in flight.
func (p *progress) rows(now time.Time) []terminal.Row {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.root.since.IsZero() {
		return nil
	}
	places := slices.SortedFunc(maps.Keys(p.flight), func(a, b execution.Address) int {
		switch {
		case a.Contains(b):
			return -1
		case b.Contains(a):
			return 1
		}
		return a.Compare(b)
	})
	doing := p.root.doing
	if p.root.parts.kind == "" && p.steps > 0 {
		doing = wording.Count(p.steps, "step") + " done"
	}
	rows := []terminal.Row{p.root.row(0, doing, now)}
	var around []execution.Address // of the row before
	for _, at := range places {
		if at == whole {
			continue
		}
		for len(around) > 0 && !around[len(around)-1].Contains(at) {
			around = around[:len(around)-1]
		}
		around = append(around, at)
		u := p.flight[at]
		rows = append(rows, u.row(len(around), u.doing, now))
	}
	return rows
}

// row is a line of the tree.
func (u *underway) row(depth int, doing string, now time.Time) terminal.Row {
	name := terminal.Part{Text: strings.Repeat("  ", depth) + u.name}
	if depth == 0 {
		name.Style = terminal.Bold
	}
	row := terminal.Row{name}
	for _, text := range []string{doing, u.parts.String()} {
		if text != "" {
			row = append(row, terminal.Part{Text: "  " + text, Style: terminal.Active})
		}
	}
	row = append(row, terminal.Part{Text: "  " + elapsed(now.Sub(u.since)), Style: terminal.Faint})
	if u.report != "" {
		row = append(row, terminal.Part{Text: "  " + u.report})
	}
	return row
}

// elapsed is a time that grows.
func elapsed(d time.Duration) string {
	if d = max(0, d); d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	}
	return d.Truncate(time.Second).String()
}

// kindOf names one of the parts that begin.
func kindOf(e execution.Event) string {
	switch {
	case e.Step.NodeID != config.StepsID:
		return "part"
	case e.Parts.Branches == nil:
		return "item"
	}
	return "step"
}

// labelOf is an address with a name.
func labelOf(at execution.Address, name string) string {
	return wording.OneLine(strings.TrimSpace(string(at) + " " + name))
}

// toolOf is what a call calls.
func toolOf(v *execution.Visit) string {
	return wording.OneLine(strings.TrimPrefix(v.Server+"."+v.Tool, "."))
}

// stepName names what an address alone does not: a node, the tool of a step.
func stepName(v execution.Visit) string {
	if v.NodeID == config.StepsID && v.Part != "" {
		return v.Graph
	}
	return nameText(v.Name())
}

func (d *partsDone) end(failed bool) {
	d.done++
	if failed {
		d.failed++
	}
}

// String says how many have ended.
func (d *partsDone) String() string {
	if d.kind == "" {
		return ""
	}
	text := fmt.Sprintf("%d of %s done", d.done, wording.Count(d.of, d.kind))
	if d.failed > 0 {
		text += fmt.Sprintf(", %d failed", d.failed)
	}
	return text
}

// print writes a line above the tree, or on another stream.
func (p *progress) print(w io.Writer, line string) {
	if p.live != nil {
		p.live.Above(line)
	} else {
		fmt.Fprintln(w, line)
	}
}

// clear removes the tree for good.
func (p *progress) clear() {
	if p.live != nil {
		p.live.Show(nil)
	}
}
