package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/wording"
)

const (
	stepsShown = 100 // of a page, unless the request has a limit
	mostSteps  = 500
)

// stepJSON is a step as lists show it.
type stepJSON struct {
	Index   int             `json:"index"`
	Node    string          `json:"node"`
	Type    config.NodeType `json:"type"`
	Start   float64         `json:"start"` // in milliseconds after the run
	MS      float64         `json:"ms"`
	Preview string          `json:"preview"`
	Error   string          `json:"error,omitempty"`
	Edited  bool            `json:"edited,omitempty"`

	Part      string            `json:"part,omitempty"`      // of a part: the number of the item, or the branch
	Parts     int               `json:"parts,omitempty"`     // how many it has
	PartsAre  string            `json:"partsAre,omitempty"`  // in a tool of steps what one is called, item or turn; else part
	Ended     int               `json:"ended,omitempty"`     // parts, while the step runs
	Failed    int               `json:"failed,omitempty"`    // parts
	Caught    int               `json:"caught,omitempty"`    // parts whose failure onError took
	NotRun    int               `json:"notRun,omitempty"`    // parts that are steps whose if did not hold
	Skipped   bool              `json:"skipped,omitempty"`   // it was not run, because its if did not hold
	Running   int               `json:"running,omitempty"`   // parts, while the step runs
	Paused    int               `json:"paused,omitempty"`    // parts at which the run is held
	Waited    float64           `json:"waited,omitempty"`    // for answers of the user, in milliseconds of MS
	Held      float64           `json:"held,omitempty"`      // how long the run was held before it, in milliseconds; of a live run
	Cancelled bool              `json:"cancelled,omitempty"` // the run was cancelled while it ran, which is Error
	Handled   string            `json:"handled,omitempty"`   // the failure that onError took
	Attempts  int               `json:"attempts,omitempty"`  // calls, the last included; 0: one
	Confirmed bool              `json:"confirmed,omitempty"` // the user has agreed to the call
	Cached    bool              `json:"cached,omitempty"`    // the answer to an equal call: no call was made
	Copied    bool              `json:"copied,omitempty"`    // from the run that was forked: its time is before this run, and Start is 0
	Frame     execution.Address `json:"frame,omitempty"`     // of the graph that it has called
	Calls     string            `json:"calls,omitempty"`     // the tool of that graph
	Inner     int               `json:"inner,omitempty"`     // steps of that frame
}

// stepOf returns a record as lists show it.
func (r *runState) stepOf(rec execution.Record) stepJSON {
	out := stepJSON{Index: rec.Index, Node: rec.Step(), Type: rec.NodeType, Edited: rec.Edited, MS: milliseconds(rec.Duration()), Part: rec.Part}
	out.Copied = r.copied(rec)
	out.Start, out.Waited = r.after(rec.Start), milliseconds(r.history.Waited(rec.At()))
	out.Held = milliseconds(r.history.Held(rec.At()))
	if rec.Edited && rec.Part == "" {
		out.Preview = recordText(rec)
		return out
	}
	r.addParts(&out, rec.At())
	if rec.Handled != nil {
		out.Handled = failureText(rec.Handled)
	}
	out.Confirmed, out.Cached, out.Skipped = rec.Confirmed != nil, rec.Cached, rec.Skipped
	if len(rec.Attempts) > 0 {
		out.Attempts = len(rec.Attempts) + 1
	}
	r.addFrame(&out, rec.At())
	if rec.Error != nil {
		out.Error, out.Cancelled = recordText(rec), rec.Error.Code == execution.CodeCancelled
	} else {
		out.Preview = recordText(rec)
	}
	return out
}

// copied reports whether a record was copied from the run that was forked, before this run began. The edits
// with which it began are its own.
func (r *runState) copied(rec execution.Record) bool {
	_, at, forked := strings.Cut(r.ForkedFrom, "/")
	return forked && rec.Start.Before(r.history.Began()) && (!rec.Edited || rec.Part != "" || r.history.Compare(rec.At(), execution.Address(at)) < 0)
}

// recordText returns the preview of a record's output, or its error.
func recordText(rec execution.Record) string {
	if rec.Error != nil {
		return failureText(rec.Error)
	}
	return preview(rec.Output, previewShown)
}

func failureText(f *execution.Failure) string {
	message, _ := splitCaret(f.Message)
	return wording.Truncate(message, previewShown)
}

type stepsJSON struct {
	Total int        `json:"total"`
	Steps []stepJSON `json:"steps"`
}

func (s *Server) listSteps(r *http.Request, now runState) (any, error) {
	p, from, err := recordsOf(r, now)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	return now.steps(p.Frame, from, limit), nil
}

// steps returns a page of the steps of a frame.
func (r *runState) steps(frame execution.Address, from, limit int) stepsJSON {
	records := r.records(frame)
	out := stepsJSON{Total: len(records), Steps: []stepJSON{}}
	for _, rec := range records[from:min(from+limit, len(records))] {
		out.Steps = append(out.Steps, r.stepOf(rec))
	}
	return out
}

// detailJSON is a step with everything that the page shows of it.
type detailJSON struct {
	stepJSON
	Pending     bool             `json:"pending"`         // about to run, or it has begun
	State       string           `json:"state,omitempty"` // of a part that is pending, see partJSON
	Start       *time.Time       `json:"start"`
	Bytes       int              `json:"bytes"`
	Server      string           `json:"server,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	Line        int              `json:"line"`
	Changed     bool             `json:"changed"` // the run was one of another version of the graph
	Expressions []expressionJSON `json:"expressions"`
	Input       *level           `json:"input"` // arguments of a call, or the message of an ask
	InputError  string           `json:"inputError,omitempty"`
	Output      *level           `json:"output"`
	Editable    bool             `json:"editable,omitempty"` // of a step: its value can be edited where the run is held
	Error       *failureJSON     `json:"error"`
	Item        *level           `json:"item,omitempty"`      // of a part
	ItemName    string           `json:"itemName,omitempty"`  // of the variable: $item
	Handled     *failureJSON     `json:"handled,omitempty"`   // the failure that onError took
	Tries       []tryJSON        `json:"tries,omitempty"`     // attempts that another one followed
	ItemError   string           `json:"itemError,omitempty"` // why the item has no value

	Decision      *decisionJSON `json:"decision,omitempty"`      // of a switch
	WaitsFor      []string      `json:"waitsFor,omitempty"`      // of a step that has not begun: the ids of those that have to end before
	WouldRun      *bool         `json:"wouldRun,omitempty"`      // of a step that has not begun: whether its if holds
	ForeseenIs    string        `json:"foreseenIs,omitempty"`    // what Foreseen is, where the type of the node does not say it
	Foreseen      *level        `json:"foreseen,omitempty"`      // what a step that has not run would give
	ForeseenError string        `json:"foreseenError,omitempty"` // why it would give nothing
}

// tryJSON is an attempt that failed.
type tryJSON struct {
	MS    float64      `json:"ms"`
	Error *failureJSON `json:"error"`
}

func (s *Server) getStep(r *http.Request, now runState) (any, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	notFound := errorf(http.StatusNotFound, "step %s not found", r.PathValue("n"))
	if err != nil || n < 0 {
		return nil, notFound
	}
	q := r.URL.Query()
	p, err := now.check(place{Frame: execution.Address(q.Get("frame")), At: n, Part: q.Get("part")})
	if err != nil {
		return nil, err
	}
	open := now.open(p.Frame)
	if p.At != n || n == len(now.records(p.Frame)) && open == nil {
		return nil, notFound
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	out := detailJSON{Changed: now.graph == nil, Expressions: []expressionJSON{}}
	chosen := "" // the target of a switch that has run
	rec, ended := now.record(p)
	if ended {
		chosen, _ = rec.Output.(string)
		out.addRecord(now, rec)
		out.Editable = now.canEdit(p)
		if out.Output != nil {
			earlierOf(r, now, p, "output").markAll(out.Output, rec.Output)
		}
	} else {
		out.Pending = true
		out.stepJSON, out.State = now.pending(p, open)
	}
	node := now.node(p)
	if node == nil || out.Edited && p.Part == "" {
		return out, nil
	}
	at := now.project.shown(node.Pos())
	out.Type, out.Line = node.Type(), at.Line
	e := evaluation{ctx: ctx, redact: now.project.File.Secrets.Redact, shown: now.project.shown, pending: out.Pending}
	if e.scope, err = now.scope(ctx, p); err != nil {
		out.ItemError = err.Error()
		return out, nil
	}
	out.addNode(now, p, node, e, chosen)
	return out, nil
}

// canEdit reports whether the value of a step can be edited where the run is held.
func (r *runState) canEdit(p place) bool {
	return r.step(p) != nil && partOf(p.address()) == wholeStep && r.canEditStep != nil && r.canEditStep(r.nodeName(p)) == nil
}

// addNode adds what the node or the step of a place evaluates there.
func (d *detailJSON) addNode(now runState, p place, node graph.Node, e evaluation, chosen string) {
	if name := now.graphOf(p.Frame).ItemAt(now.nodeID(p), p.Part); name != "" {
		if item, ok := e.scope.Variables[name]; ok {
			d.Item, d.ItemName = topLevel(item), "$"+name
		}
	}
	step := now.step(p)
	calls := !d.Skipped // here, and not for an item or a turn
	if step != nil {
		own := e.ofStep(now, p, step)
		d.addStep(own)
		calls = calls && own.inner && len(own.waits) == 0 && (d.WouldRun == nil || *d.WouldRun)
	} else {
		d.Expressions = append(d.Expressions, e.expressions(node, chosen, p.Part)...)
	}
	if sw, ok := node.(*graph.Switch); ok {
		decision := e.decision(sw)
		d.Decision = &decision
	}
	if d.Pending && (d.Parts == 0 || step != nil) && d.ForeseenError == "" {
		if v, known, err := e.foreseenAt(now, p); err != nil {
			d.ForeseenError = e.redact(err.Error())
		} else if known {
			d.Foreseen = topLevel(v)
		}
	}
	if mcp, ok := node.(*graph.MCP); ok {
		d.Server, d.Tool = mcp.Server, mcp.Tool
	} else if sub, ok := node.(*graph.SubGraph); ok {
		d.Tool = sub.Tool
	}
	if input := view.InputOf(node, p.Part); input != nil && calls {
		if v, err := input.Eval(e.ctx, e.scope); err != nil {
			d.InputError = e.redact(err.Error())
		} else {
			d.Input = topLevel(v)
		}
	}
}

// pending returns a step or part that has no record yet, and the state of a part.
func (r *runState) pending(p place, open *nextJSON) (step stepJSON, state string) {
	if p.Part != "" {
		part := r.part(p)
		return part.stepJSON, part.State
	}
	if step := r.openStep(p.Frame); step != nil {
		return *step, ""
	}
	return stepJSON{Index: p.At, Node: open.Node}, ""
}

// addRecord adds a step or part that has run.
func (d *detailJSON) addRecord(now runState, rec execution.Record) {
	d.stepJSON = now.stepOf(rec)
	d.Preview, d.stepJSON.Error, d.stepJSON.Handled = "", "", ""
	d.Start, d.Bytes = &rec.Start, rec.Bytes
	path := now.project.File.Path
	d.Handled = failureOf(rec.Handled).in(path)
	for _, a := range rec.Attempts {
		d.Tries = append(d.Tries, tryJSON{MS: milliseconds(a.End.Sub(a.Start)), Error: failureOf(a.Error).in(path)})
	}
	if rec.Error == nil {
		d.Output = topLevel(rec.Output)
		d.Bytes = d.Output.Bytes
		return
	}
	d.Error = failureOf(rec.Error).in(path)
	if now.graph == nil || d.Error.Caret != "" {
		return
	}
	source := strings.Split(now.project.File.Secrets.Redact(now.project.Source), "\n")
	if line := d.Error.Line; line > 0 && line <= len(source) {
		d.Error.Caret = expressions.CaretAt(source[line-1], d.Error.Column)
	}
}

func topLevel(v any) *level {
	top, _ := levelOf(v, nil, 0) // only a path can be wrong
	return &top
}
