package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// progress is a line on a terminal that shows the current step of a run. While calls are in flight a
// timer draws it again, with their time and what their servers report. On other streams nothing is
// shown. It is an observer. Safe for concurrent use.
type progress struct {
	w       io.Writer // nil: nothing is shown
	screen  terminal.Screen
	secrets *config.Secrets

	mu    sync.Mutex // guards what follows, and writing to w
	calls map[execution.Address]*calling
	parts map[execution.Address]*partsDone // of the executions that are under way
	text  string                           // of the latest step
	last  time.Time                        // when the line was drawn
	shown bool
	away  int         // what else has the terminal: a question, the prompt of the debugger
	timer *time.Timer // nil: it does not run
	ended bool
}

// calling is a call in flight.
type calling struct {
	name, tool string // of its node; server and tool
	since      time.Time
	report     string // of its server
}

// partsDone counts the parts of an execution that have ended.
type partsDone struct {
	name     string
	kind     string // what one of them is called
	done, of int
}

const (
	progressEvery = 50 * time.Millisecond  // bounds how often events draw the line
	progressTick  = 250 * time.Millisecond // how often the timer draws it
)

func newProgress(w io.Writer, secrets *config.Secrets) *progress {
	screen := terminal.On(w)
	if !screen.Live() {
		w = nil
	}
	return &progress{
		w: w, screen: screen, secrets: secrets,
		calls: map[execution.Address]*calling{}, parts: map[execution.Address]*partsDone{},
	}
}

// followed lets the line show the progress that servers report of the calls of a run, and hides it while
// a question of the run or of a server is open.
func (p *progress) followed(ctx context.Context, user *asker) context.Context {
	if p.w == nil {
		return ctx
	}
	user.shows = p
	return runtime.WithUpstreamProgress(ctx, p.heard)
}

// Observe redraws the line.
func (p *progress) Observe(e execution.Event) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case execution.CallStarted:
		p.begin(e.At(), stepName(*e.Step), e.Step.Server+" "+e.Step.Tool, e.Time)
	case execution.AttemptFailed:
		delete(p.calls, e.At())
		p.text = strings.TrimSpace(fmt.Sprintf("%s %s", e.At(), stepName(*e.Step))) + ": waiting before the next attempt"
	case execution.PartsStarted:
		p.parts[e.At()] = &partsDone{name: stepName(*e.Step), kind: kindOf(e), of: e.Parts.Count}
	case execution.StepFinished:
		p.end(e.Record)
	case execution.RunStarted, execution.StepReady, execution.QuestionAsked, execution.Answered, execution.ContextEdited, execution.RunFinished:
		return
	}
	if e.Time.Sub(p.last) >= progressEvery {
		p.draw(e.Time)
	}
}

// begin notes that a call is made. p.mu is held.
func (p *progress) begin(at execution.Address, name, tool string, since time.Time) {
	p.calls[at] = &calling{name: name, tool: tool, since: since}
	if p.timer == nil && !p.ended {
		p.timer = time.AfterFunc(progressTick, p.tick)
	}
}

// end notes that a step or part has ended, with the calls and parts below it. p.mu is held.
func (p *progress) end(r *execution.Record) {
	at := r.At()
	maps.DeleteFunc(p.calls, func(call execution.Address, _ *calling) bool { return call == at || at.Contains(call) })
	maps.DeleteFunc(p.parts, func(of execution.Address, _ *partsDone) bool { return of == at || at.Contains(of) })
	p.text = strings.TrimSpace(fmt.Sprintf("%s %s", at, stepName(execution.Visit{Graph: r.Tool, NodeID: r.NodeID, Part: r.Part})))
	if whole := p.parts[at.Outer()]; whole != nil {
		whole.done++
		p.text += fmt.Sprintf(" %d/%d", whole.done, whole.of)
	}
}

// heard takes the progress that the server of a call reports.
func (p *progress) heard(at execution.Address, done, total float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[at]
	if c == nil {
		return
	}
	c.report = progressText(done, total, p.secrets.Redact(message))
	if now := time.Now(); now.Sub(p.last) >= progressEvery {
		p.draw(now)
	}
}

// tick draws the line again while calls are in flight.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || len(p.calls) == 0 {
		p.timer = nil
		return
	}
	p.draw(time.Now())
	p.timer.Reset(progressTick)
}

// line is what is shown: the call that has been in flight for the longest time, with the parts around it; else
// the latest step. p.mu is held.
func (p *progress) line(now time.Time) string {
	var at execution.Address
	var first *calling
	for other, c := range p.calls {
		if first == nil || c.since.Before(first.since) || c.since.Equal(first.since) && other.Compare(at) < 0 {
			at, first = other, c
		}
	}
	if first == nil {
		return p.text
	}
	about := []string{"calling " + first.tool}
	if took := now.Sub(first.since).Truncate(time.Second); took > 0 {
		about = append(about, took.String())
	}
	if first.report != "" {
		about = append(about, first.report)
	}
	text := strings.TrimSpace(string(at)+" "+first.name) + ": " + strings.Join(about, ", ")
	if around, whole := p.around(at, nil); whole != nil {
		head := fmt.Sprintf("%s: %s, %d in flight; ", strings.TrimSpace(string(around)+" "+whole.name), whole, len(p.calls))
		if inner, items := p.around(at, func(of *partsDone) bool { return of.kind == itemKind }); items != nil {
			head += fmt.Sprintf("%s: %s; ", inner, items)
		}
		text = head + text
	}
	return text
}

// itemKind is what items of a step are called.
const itemKind = "item"

// kindOf names one of the parts that begin.
func kindOf(e execution.Event) string {
	switch {
	case e.Step.NodeID != config.StepsID:
		return "part"
	case e.Parts.Branches == nil:
		return itemKind
	}
	return "step"
}

// stepName names what an address alone does not: a node, the tool of a step.
func stepName(v execution.Visit) string {
	if v.NodeID == config.StepsID && v.Part != "" {
		return v.Graph
	}
	return nameText(v.Name())
}

// String says how many have ended.
func (p *partsDone) String() string {
	return fmt.Sprintf("%d of %s done", p.done, wording.Count(p.of, p.kind))
}

// around returns the outermost execution whose parts a call is in, or is one of, among those that count; nil: all. p.mu
// is held.
func (p *progress) around(call execution.Address, counts func(*partsDone) bool) (at execution.Address, found *partsDone) {
	for of, parts := range p.parts {
		if of.Contains(call) && (counts == nil || counts(parts)) && (found == nil || of.Contains(at)) {
			at, found = of, parts
		}
	}
	return at, found
}

// draw draws the line. p.mu is held.
func (p *progress) draw(now time.Time) {
	text := p.line(now)
	if p.away > 0 || p.ended || text == "" {
		return
	}
	p.last, p.shown = now, true
	text = terminal.Cut(wording.OneLine(text), p.screen.Columns()-1) // a line that is full may wrap
	fmt.Fprintf(p.w, "\r\x1b[2K%s", p.screen.Paint(terminal.Faint, text))
}

// erase removes the line. p.mu is held.
func (p *progress) erase() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[2K")
	}
}

// beside lets print write to the terminal; the line is drawn again below that.
func (p *progress) beside(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	print()
}

// hide removes the line until show is called. It may be called for nil.
func (p *progress) hide() (show func()) {
	if p == nil {
		return func() {}
	}
	change := func(n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		p.away += n
	}
	change(1)
	return sync.OnceFunc(func() { change(-1) })
}

// clear removes the line for good.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
