package page

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// detailJSON is all there is to say about a step.
type detailJSON struct {
	stepJSON
	Pending     bool             `json:"pending"` // about to run
	Start       *time.Time       `json:"start"`
	Bytes       int              `json:"bytes"`
	Server      string           `json:"server,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	Line        int              `json:"line"`
	Changed     bool             `json:"changed"` // the graph is another now
	Expressions []expressionJSON `json:"expressions"`
	Input       *level           `json:"input"`
	InputError  string           `json:"inputError,omitempty"`
	Output      *level           `json:"output"`
	Error       *failureJSON     `json:"error"`
}

func (s *Server) getStep(r *http.Request) (any, error) {
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n > len(now.records) || n == len(now.records) && now.Next == nil {
		return nil, errorf(http.StatusNotFound, "there is no step %s", r.PathValue("n"))
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	out := detailJSON{Changed: now.graph == nil, Expressions: []expressionJSON{}}
	if n < len(now.records) {
		out.finished(now.records[n], s.sourceOf(now))
	} else {
		out.Pending, out.Index, out.Node = true, n, now.Next.Node
	}
	node := now.node(n)
	if node == nil || out.Edited {
		return out, nil
	}
	out.Type, out.Line = node.Type(), node.Pos().Line
	hide := now.project.File.Secrets.Redact
	look := look{ctx: ctx, scope: execution.ScopeOf(now.before(n)), hide: hide}
	switch node := node.(type) {
	case *graph.Transform:
		out.Expressions = append(out.Expressions, look.expression("Expression", node.Expr))
	case *graph.MCP:
		out.Server, out.Tool = node.Server, node.Tool
		out.call(node, look)
	case *graph.Switch:
		taken := ""
		if n < len(now.records) {
			taken, _ = now.records[n].Output.(string)
		}
		out.Expressions = look.rules(node, taken)
	case *graph.Entry, *graph.Exit:
	}
	return out, nil
}

// finished tells of a step that has been taken.
func (d *detailJSON) finished(rec execution.Record, source []string) {
	d.stepJSON = stepOf(rec)
	d.Preview, d.stepJSON.Error = "", ""
	d.Start, d.Bytes = &rec.Start, rec.Bytes
	if rec.Error == nil {
		if top, err := levelOf(rec.Output, nil, 0); err == nil { // no path can be wrong
			d.Output, d.Bytes = &top, top.Bytes
		}
		return
	}
	d.Error = failureOf(rec.Error)
	if line := d.Error.Line; d.Error.Caret == "" && line > 0 && line <= len(source) {
		d.Error.Caret = caret(source[line-1], d.Error.Column)
	}
}

func (d *detailJSON) call(node *graph.MCP, look look) {
	if node.Args == nil {
		return
	}
	for _, e := range node.Args.Expressions() {
		d.Expressions = append(d.Expressions, look.expression("Argument", e))
	}
	args, err := node.Args.Eval(look.ctx, look.scope)
	if err != nil {
		d.InputError = look.hide(err.Error())
		return
	}
	if top, err := levelOf(args, nil, 0); err == nil { // no path can be wrong
		d.Input = &top
	}
}

// sourceOf are the lines of the file that the run walked; nil when that is not known.
func (s *Server) sourceOf(f frame) []string {
	if f.graph == nil {
		return nil
	}
	return strings.Split(f.project.File.Secrets.Redact(f.project.Source), "\n")
}

// caret shows a place in a line, as expressions.Caret does for a source.
func caret(line string, column int) string {
	offset := 0
	for i := range line {
		if column--; column <= 0 {
			offset = i
			break
		}
	}
	return expressions.Caret(line, offset)
}
