package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/callable"
)

// The codes of requests that are refused before anything runs.
const (
	CodeRecursion = "PIPELINE_RECURSION" // a step calls the pipeline
	CodeInvalid   = "PIPELINE_INVALID"
)

// Refusal is why a request is not run: nothing was called.
type Refusal struct {
	Code, Message string
	Value         value.Value // the result: all steps are skipped
}

// Error is the code, a colon and the message.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// Offers reports whether a server offers a tool, and whether that is known.
type Offers func(ctx context.Context, server, tool string) (offers, known bool)

// maxRequest is the longest request as compact JSON: it is compiled like a graph file, and bounded
// like one.
const maxRequest = 1 << 20

// step is one step of a request. Fields of the wrong type are as if they were missing: inputSchema
// reports them.
type step struct {
	id, saveAs string
	node       string // the id of its node
	written    string // the tool as the request names it
	condition  string // a path; empty: the step always runs
	args       value.Value
	continues  bool

	server, tool string // server is empty for a tool of the file
	refused      *graph.Problem
}

// name is the name of the step's result.
func (s *step) name() string {
	if s.saveAs != "" {
		return s.saveAs
	}
	return s.id
}

// refuse keeps the first reason why the step is refused.
func (s *step) refuse(code, format string, args ...any) {
	if s.refused == nil {
		s.refused = &graph.Problem{Code: code, Message: fmt.Sprintf("step %s: ", strconv.Quote(s.id)) + fmt.Sprintf(format, args...)}
	}
}

// stepsOf reads the steps of a request as far as they can be read.
func stepsOf(args value.Value) []*step {
	listed, _ := member(args, "steps").([]any)
	steps := make([]*step, len(listed))
	for i, item := range listed {
		text := func(key string) string { t, _ := member(item, key).(string); return t }
		s := &step{id: text("id"), saveAs: text("save_as"), written: text("tool"), condition: text("if"), args: member(item, "args")}
		s.continues, _ = member(item, "continue_on_error").(bool)
		if s.id == "" {
			s.id = fmt.Sprintf("step_%d", i)
		}
		steps[i] = s
	}
	return steps
}

func member(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		item, _ := object.Get(key)
		return item
	}
	return nil
}

// check refuses what cannot be run, and finds what each step calls. The error is a *Refusal, or the
// cause of ctx's end.
func (t *Tool) check(ctx context.Context, args value.Value, offers Offers) ([]*step, error) {
	if size := value.Size(args); size > maxRequest {
		return nil, refusal(nil, &graph.Problem{Code: CodeInvalid, Message: fmt.Sprintf("the request has %d bytes, at most %d are allowed; "+
			"let steps get large values from the results of others", size, maxRequest)})
	}
	steps := stepsOf(args)
	most := t.file.Pipeline.MaxSteps
	if len(steps) > most {
		for _, s := range steps { // of any number of steps, only these can be named at once
			if s.written == t.name() {
				s.refuse(CodeRecursion, "a pipeline cannot call itself")
			}
		}
		shown := steps[:min(len(steps), 1000)]
		return nil, t.refused(shown, fmt.Sprintf("the request has %d steps, at most %d are allowed; split it into several requests", len(steps), most))
	}
	earlier := map[string]*step{}
	for i, s := range steps {
		t.resolve(ctx, s, offers)
		s.checkNames(steps[:i])
		s.checkReferences(earlier, steps)
		earlier[s.name()] = s
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	problems, err := t.Graph.Input.Check(ctx, args)
	if err != nil {
		return nil, err
	}
	message := ""
	for _, p := range problems {
		if len(p.Path) > 1 && p.Path[0] == "steps" {
			if n, err := strconv.Atoi(p.Path[1]); err == nil && n < len(steps) {
				steps[n].refuse(CodeInvalid, "%s", p.Text("arguments"))
			}
		}
		message = problems.Text("arguments")
	}
	return steps, t.refused(steps, message)
}

// refused returns the Refusal of a request whose steps are refused, or all of it for a reason; nil
// when there is none.
func (t *Tool) refused(steps []*step, message string) error {
	var first *graph.Problem
	for _, s := range steps {
		if r := s.refused; r != nil && (first == nil || r.Code == CodeRecursion && first.Code != CodeRecursion) {
			first = r
		}
	}
	if first == nil && message != "" {
		first = &graph.Problem{Code: CodeInvalid, Message: message}
	}
	if first == nil {
		return nil
	}
	return refusal(steps, first)
}

func refusal(steps []*step, p *graph.Problem) *Refusal {
	return &Refusal{Code: p.Code, Message: p.Message, Value: result(steps, nil, p)}
}

// checkNames refuses an id or the name of a result that an earlier step has.
func (s *step) checkNames(before []*step) {
	for _, other := range before {
		switch {
		case other.id == s.id:
			s.refuse(CodeInvalid, "an earlier step has the same id")
		case other.name() == s.name():
			s.refuse(CodeInvalid, "the result of step %q has the same name, %q", other.id, s.name())
		}
	}
}

// checkReferences refuses placeholders, and an if, that do not refer to the result of an earlier step.
func (s *step) checkReferences(earlier map[string]*step, all []*step) {
	if s.condition != "" {
		path, err := graph.ParsePath(unbraced(s.condition))
		s.checkReference("if: "+s.condition, path, err, earlier, all)
	}
	texts(s.args, func(text string) {
		if s.refused != nil {
			return
		}
		_, found, err := graph.SplitPlaceholders(text)
		if err != nil {
			s.refuse(CodeInvalid, "%s", err)
		}
		for i := 0; i < len(found) && s.refused == nil; i++ {
			s.checkReference(found[i].Text, found[i].Path, nil, earlier, all)
		}
	})
}

func (s *step) checkReference(written string, path graph.Path, err error, earlier map[string]*step, all []*step) {
	if err != nil {
		s.refuse(CodeInvalid, "%s", err)
		return
	}
	if earlier[path.Name] != nil {
		return
	}
	written = wording.Shorten(written)
	var names []string
	for _, other := range all {
		switch {
		case other == s:
			if path.Name == s.name() {
				s.refuse(CodeInvalid, "%s refers to the step itself", written)
			}
		case other.name() == path.Name:
			s.refuse(CodeInvalid, "%s refers to step %q, which comes later", written, other.id)
		case other.id == path.Name:
			s.refuse(CodeInvalid, "%s refers to step %q, whose result is saved as %q", written, other.id, other.saveAs)
		}
		if earlier[other.name()] == other {
			names = append(names, other.name())
		}
	}
	s.refuse(CodeInvalid, "%s refers to an unknown step %s%s", written, wording.Quote(path.Name), wording.Suggest(path.Name, names))
}

// unbraced returns a path that may be written as a placeholder.
func unbraced(text string) string {
	if inner, opens := strings.CutPrefix(text, "{{"); opens && strings.HasSuffix(inner, "}}") {
		return strings.TrimSuffix(inner, "}}")
	}
	return text
}

// texts calls f for each text in a value, at any depth.
func texts(v value.Value, f func(text string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			texts(item, f)
		}
	default:
		if object, isObject := value.ObjectOf(v); isObject {
			for _, key := range object.Keys() {
				item, _ := object.Get(key)
				texts(item, f)
			}
		}
	}
}

// resolve finds what a step calls.
func (t *Tool) resolve(ctx context.Context, s *step, offers Offers) {
	name := s.written
	switch {
	case name == "": // inputSchema reports it
	case name == t.name():
		s.refuse(CodeRecursion, "a pipeline cannot call itself")
	case slices.Contains(t.callable.Tools, name):
		s.tool = name
	default:
		t.resolveUpstream(ctx, s, offers)
	}
}

// resolveUpstream finds the tool of a server, or says why the step may not call it.
func (t *Tool) resolveUpstream(ctx context.Context, s *step, offers Offers) {
	name := s.written
	for _, tool := range t.file.Tools {
		if tool.Name.Value == name {
			why := "which tools of the pipeline does not have"
			if tool.Hidden {
				why = "which is hidden from clients"
			}
			s.refuse(CodeInvalid, "tool %q, %s, cannot be called", name, why)
			return
		}
	}
	var bare []callable.Call // the tools that the name without its server can mean
	for _, u := range t.file.Servers {
		server := u.Name.Value
		if tool, isOf := strings.CutPrefix(name, server+"."); isOf && tool != "" {
			t.allow(ctx, s, callable.Call{Server: server, Tool: tool}, offers)
			return
		}
		if t.callable.Calls.Permits(server, name) && (slices.Contains(t.callable.Calls.Calls, server+"."+name) || isOffered(ctx, offers, server, name)) {
			bare = append(bare, callable.Call{Server: server, Tool: name})
		}
	}
	switch len(bare) {
	case 0:
		s.refuse(CodeInvalid, "unknown tool %s; steps can call %s%s", wording.Quote(name), listTools(slices.Concat(t.callable.Tools, t.callable.Calls.Calls)), wording.Suggest(name, t.callable.Tools))
	case 1:
		t.allow(ctx, s, bare[0], offers)
	default:
		s.refuse(CodeInvalid, "tool %q is one of server %q and of server %q; write %s.%s", name, bare[0].Server, bare[1].Server, bare[0].Server, name)
	}
}

func isOffered(ctx context.Context, offers Offers, server, tool string) bool {
	if offers == nil {
		return false
	}
	is, known := offers(ctx, server, tool)
	return is && known
}

// allow lets a step call a tool of a server, if the pipeline and the file allow it and the server
// is not known to lack it.
func (t *Tool) allow(ctx context.Context, s *step, c callable.Call, offers Offers) {
	name := c.Server + "." + c.Tool
	if !t.callable.Calls.Permits(c.Server, c.Tool) {
		s.refuse(CodeInvalid, "%s is not among calls of the pipeline, which has %s", wording.OneLine(name), listTools(t.callable.Calls.Calls))
		return
	}
	for _, a := range t.Graph.Allow {
		if refusal := a.Refusal(t.name(), c.Server, c.Tool); refusal != "" {
			s.refuse(CodeInvalid, "%s", refusal)
			return
		}
	}
	if offers != nil {
		if is, known := offers(ctx, c.Server, c.Tool); known && !is {
			s.refuse(CodeInvalid, "server %q has no tool %s", c.Server, wording.Quote(c.Tool))
			return
		}
	}
	s.server, s.tool = c.Server, c.Tool
}
