package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/graph"
	"toolgraph/internal/view"
	"toolgraph/internal/wording"
)

const (
	stepsShown = 100 // of a page, unless the request has a limit
	mostSteps  = 500
	readsShown = 40  // paths of an expression
	readShown  = 240 // bytes of the value of a path
	rulesShown = 100 // conditions of a switch
)

// stepJSON is a step as lists show it.
type stepJSON struct {
	Index   int             `json:"index"`
	Node    string          `json:"node"`
	Type    config.NodeType `json:"type"`
	MS      float64         `json:"ms"`
	Preview string          `json:"preview"`
	Error   string          `json:"error,omitempty"`
	Edited  bool            `json:"edited,omitempty"`
}

func stepOf(rec execution.Record) stepJSON {
	out := stepJSON{Index: rec.Index, Node: rec.NodeID, Type: rec.NodeType, Edited: rec.Edited, MS: milliseconds(rec.Duration())}
	if rec.Error != nil {
		out.Error = recordText(rec)
	} else {
		out.Preview = recordText(rec)
	}
	return out
}

// recordText returns the preview of a record's output, or its error.
func recordText(rec execution.Record) string {
	if rec.Error != nil {
		message, _ := splitCaret(rec.Error.Message)
		return wording.Truncate(message, previewShown)
	}
	return preview(rec.Output, previewShown)
}

type stepsJSON struct {
	Total int        `json:"total"`
	Steps []stepJSON `json:"steps"`
}

func (s *Server) listSteps(r *http.Request, now runState) (any, error) {
	from, err := number(r, "from", 0, len(now.records))
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	out := stepsJSON{Total: len(now.records), Steps: []stepJSON{}}
	for _, rec := range now.records[from:min(from+limit, len(now.records))] {
		out.Steps = append(out.Steps, stepOf(rec))
	}
	return out, nil
}

type pathJSON struct {
	Names []string `json:"names"`
	Path  []int    `json:"path"`  // of the steps from the requested one on: indexes of names
	Edits []int    `json:"edits"` // indexes of steps
}

func (s *Server) getPath(r *http.Request, now runState) (any, error) {
	from, err := number(r, "from", 0, len(now.records))
	if err != nil {
		return nil, err
	}
	out := pathJSON{Names: []string{}, Path: []int{}, Edits: []int{}}
	index := map[string]int{}
	for i, rec := range now.records[from:] {
		n, ok := index[rec.NodeID]
		if !ok {
			n = len(out.Names)
			index[rec.NodeID] = n
			out.Names = append(out.Names, rec.NodeID)
		}
		out.Path = append(out.Path, n)
		if rec.Edited {
			out.Edits = append(out.Edits, from+i)
		}
	}
	return out, nil
}

// detailJSON is a step with everything that the page shows of it.
type detailJSON struct {
	stepJSON
	Pending     bool             `json:"pending"` // about to run
	Start       *time.Time       `json:"start"`
	Bytes       int              `json:"bytes"`
	Server      string           `json:"server,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	Line        int              `json:"line"`
	Changed     bool             `json:"changed"` // the run was one of another version of the graph
	Expressions []expressionJSON `json:"expressions"`
	Input       *level           `json:"input"`
	InputError  string           `json:"inputError,omitempty"`
	Output      *level           `json:"output"`
	Error       *failureJSON     `json:"error"`
}

func (s *Server) getStep(r *http.Request, now runState) (any, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n > len(now.records) || n == len(now.records) && now.Next == nil {
		return nil, errorf(http.StatusNotFound, "step %s not found", r.PathValue("n"))
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	out := detailJSON{Changed: now.graph == nil, Expressions: []expressionJSON{}}
	chosen := "" // the target of a switch that has run
	if n < len(now.records) {
		chosen, _ = now.records[n].Output.(string)
		out.addRecord(now, n)
	} else {
		out.Pending, out.Index, out.Node = true, n, now.Next.Node
	}
	node := now.node(n)
	if node == nil || out.Edited {
		return out, nil
	}
	out.Type, out.Line = node.Type(), node.Pos().Line
	e := evaluation{ctx: ctx, scope: execution.ScopeOf(now.before(n)), redact: now.project.File.Secrets.Redact}
	out.Expressions = append(out.Expressions, e.expressions(node, chosen)...)
	if call, ok := node.(*graph.MCP); ok {
		out.Server, out.Tool = call.Server, call.Tool
		if args, err := call.Args.Eval(ctx, e.scope); err != nil {
			out.InputError = e.redact(err.Error())
		} else {
			out.Input = topLevel(args)
		}
	}
	return out, nil
}

// addRecord adds a step that has run.
func (d *detailJSON) addRecord(now runState, n int) {
	rec := now.records[n]
	d.stepJSON = stepOf(rec)
	d.Preview, d.stepJSON.Error = "", ""
	d.Start, d.Bytes = &rec.Start, rec.Bytes
	if rec.Error == nil {
		d.Output = topLevel(rec.Output)
		d.Bytes = d.Output.Bytes
		return
	}
	d.Error = failureOf(rec.Error)
	if now.graph == nil || d.Error.Caret != "" {
		return
	}
	source := strings.Split(now.project.File.Secrets.Redact(now.project.Source), "\n")
	if line := d.Error.Line; line > 0 && line <= len(source) {
		d.Error.Caret = caret(source[line-1], d.Error.Column)
	}
}

func topLevel(v any) *level {
	top, _ := levelOf(v, nil, 0) // only a path can be wrong
	return &top
}

// caret shows a column, from 1, of a line as expressions.Caret does.
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

// expressionJSON is an expression of a step and what it read.
type expressionJSON struct {
	Label  string     `json:"label"`
	Kind   string     `json:"kind"` // jsonata or rule
	Source string     `json:"source"`
	Line   int        `json:"line"`
	Column int        `json:"column"`
	Holds  *bool      `json:"holds,omitempty"` // of a condition
	Taken  bool       `json:"taken"`           // the run took this edge
	Reads  []readJSON `json:"reads"`
	Error  string     `json:"error,omitempty"`
}

type readJSON struct {
	Path    string `json:"path"`
	Preview string `json:"preview"`
	Missing bool   `json:"missing"`
}

// evaluation evaluates what a step read, over the scope that it had.
type evaluation struct {
	ctx    context.Context
	scope  *expressions.Scope
	redact func(string) string
}

// expressions returns the expressions of a node; chosen is the target of a switch that has
// run.
func (e evaluation) expressions(node graph.Node, chosen string) (all []expressionJSON) {
	label := "Argument"
	if node.Type() == config.TransformNode {
		label = "Expression"
	}
	taken := false // the edge of the run was found
	for i, expr := range view.Expressions(node) {
		out := expressionJSON{
			Label: label, Kind: "jsonata", Source: e.redact(expr.Source), Line: expr.Pos.Line, Column: expr.Pos.Column, Reads: e.reads(expr.Reads),
		}
		if c := expr.Rule; c != nil && i < rulesShown {
			out.Label, out.Kind, out.Source = fmt.Sprintf("Rule %d → %s", i+1, c.Next.ID()), "rule", e.redact(indented(expr.Source))
			if holds, err := c.Rule.Holds(e.ctx, e.scope); err != nil {
				out.Error = e.redact(err.Error())
			} else {
				out.Holds = &holds
				out.Taken = holds && !taken && chosen == c.Next.ID()
				taken = taken || holds
			}
		} else if c != nil {
			break
		}
		all = append(all, out)
	}
	if sw, ok := node.(*graph.Switch); ok {
		all = append(all, expressionJSON{
			Label: "Otherwise → " + sw.Default.ID(), Kind: "rule", Reads: []readJSON{}, Taken: !taken && chosen == sw.Default.ID(),
		})
	}
	return all
}

// indented returns a rule on several lines, a short one on one line.
func indented(raw string) string {
	const short = 160
	var out bytes.Buffer
	if len(raw) <= short || json.Indent(&out, []byte(raw), "", "  ") != nil {
		return raw
	}
	return out.String()
}

// reads returns the values of the paths that an expression reads.
func (e evaluation) reads(refs []jsonata.Reference) []readJSON {
	out := []readJSON{}
	seen := map[string]bool{}
	for _, ref := range refs {
		path, source := pathText(ref)
		if path == "" || seen[path] || len(out) == readsShown {
			continue
		}
		seen[path] = true
		compiled, err := jsonata.Compile(e.ctx, source)
		if err != nil {
			continue // a name that cannot be quoted
		}
		v, err := compiled.Eval(e.ctx, e.scope)
		if err != nil {
			continue // the expression's own error is more specific
		}
		out = append(out, readJSON{Path: path, Preview: preview(v, readShown), Missing: v == nil})
	}
	return out
}

// pathText returns a path as people write it, and as an expression.
func pathText(ref jsonata.Reference) (text, source string) {
	switch {
	case len(ref.Path) == 0:
		return "", ""
	case ref.Function == "executionCount":
		source = "$executionCount(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	case ref.Function != "":
		source = "$nodeExecutions(" + strconv.Quote(ref.Path[0]) + ")"
		return source, source
	}
	return "$." + strings.Join(ref.Path, "."), "$.`" + strings.Join(ref.Path, "`.`") + "`"
}
