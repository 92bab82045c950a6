package page

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"toolgraph/graph"
	"toolgraph/internal/debugger/debug"
)

const (
	mostBreakpoints  = 200  // of a tool
	longestCondition = 4096 // bytes
)

// breakpoints are those of each tool, which all pages share and new runs begin with. A node that the
// file does not have any more keeps its breakpoint until it comes back.
type breakpoints struct {
	changing sync.Mutex // held while they change and the runs in progress get them

	mu  sync.Mutex // guards what follows
	of  map[string][]debug.Breakpoint
	rev int // of all changes
}

// in returns the breakpoints of a run of g: of its tool, and of those that it can call.
func (b *breakpoints) in(g *graph.Graph) (all []debug.Breakpoint, rev int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, reached := range g.Reached() {
		for _, one := range b.of[reached.Tool.Name.Value] {
			if reached != g {
				one.Node = reached.Tool.Name.Value + ":" + one.Node
			}
			if debug.Knows(g, one.Node) {
				all = append(all, one)
			}
		}
	}
	return all, b.rev
}

// change sets or removes a breakpoint of a tool; false when there are too many.
func (b *breakpoints) change(tool string, one debug.Breakpoint, removed bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.of[tool])
	at := slices.IndexFunc(all, func(other debug.Breakpoint) bool { return other.Node == one.Node })
	switch {
	case removed && at >= 0:
		all = slices.Delete(all, at, at+1)
	case removed:
		return true
	case at >= 0:
		all[at] = one
	case len(all) == mostBreakpoints:
		return false
	default:
		all = append(all, one)
	}
	b.of[tool] = all
	b.rev++
	return true
}

type breakpointJSON struct {
	Node      string `json:"node"`
	Condition string `json:"condition"`
	Disabled  bool   `json:"disabled"`
	Removed   bool   `json:"removed,omitempty"`
}

type breakpointsJSON struct {
	Tool        string           `json:"tool"`
	Breakpoints []breakpointJSON `json:"breakpoints"`
}

// tools returns the names of the tools that have breakpoints.
func (b *breakpoints) tools() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.of))
}

// list returns the breakpoints of a tool.
func (b *breakpoints) list(tool string) breakpointsJSON {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := breakpointsJSON{Tool: tool, Breakpoints: []breakpointJSON{}}
	for _, one := range b.of[tool] {
		out.Breakpoints = append(out.Breakpoints, breakpointJSON{Node: one.Node, Condition: one.Condition, Disabled: one.Disabled})
	}
	return out
}

// listBreakpoints answers with those of all tools, also of tools and nodes that the file does not have any more.
func (s *Server) listBreakpoints(*http.Request) (any, error) {
	out := struct {
		Tools []breakpointsJSON `json:"tools"`
	}{[]breakpointsJSON{}}
	for _, tool := range s.breaks.tools() {
		if one := s.breaks.list(tool); len(one.Breakpoints) > 0 {
			out.Tools = append(out.Tools, one)
		}
	}
	return out, nil
}

func (s *Server) getBreakpoints(r *http.Request) (any, error) {
	return s.breaks.list(r.PathValue("tool")), nil
}

// setBreakpoint sets, changes or removes one breakpoint of a tool, also in the runs in progress.
func (s *Server) setBreakpoint(r *http.Request, in breakpointJSON) (any, error) {
	p, tool := s.loaded(), r.PathValue("tool")
	given := debug.Breakpoint{Node: in.Node, Condition: in.Condition, Disabled: in.Disabled}
	if !in.Removed { // what the file does not have any more can be removed
		g, err := p.Graph(tool)
		if err != nil {
			return nil, errorf(http.StatusNotFound, "%s", p.File.Secrets.Redact(err.Error()))
		}
		if slices.Contains(p.Requested(), g) {
			g = s.requestWith(g, in.Node)
		}
		if err := s.checkBreakpoint(r, g, given); err != nil {
			return nil, err
		}
	}
	s.breaks.changing.Lock()
	defer s.breaks.changing.Unlock()
	if !s.breaks.change(tool, given, in.Removed) {
		return nil, errorf(http.StatusUnprocessableEntity, "tool %q has %d breakpoints, which is the limit; remove one", tool, mostBreakpoints)
	}
	for _, run := range s.runs.live() {
		if run.over() {
			continue
		}
		all, _ := s.breaks.in(run.session.Graph())
		if err := run.session.SetBreakpoints(s.base, all); err != nil {
			s.opts.Logger.Warn("a run keeps its breakpoints", "run", run.session.ID(), "error", err) // another version of the graph
		}
	}
	answer := s.breaks.list(tool)
	s.hub.publish("breakpoints", answer)
	return answer, nil
}

// checkBreakpoint refuses a breakpoint whose place does not exist or whose condition is no expression.
func (s *Server) checkBreakpoint(r *http.Request, g *graph.Graph, b debug.Breakpoint) error {
	if len(b.Condition) > longestCondition {
		return errorf(http.StatusUnprocessableEntity, "the condition has %d bytes, expected at most %d", len(b.Condition), longestCondition)
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return err
	}
	defer done()
	err = b.Check(ctx, g)
	var bad *debug.ConditionError
	if errors.As(err, &bad) {
		mistake := mistakeOf(b.Condition, bad.Err)
		refused := errorf(http.StatusUnprocessableEntity, "the condition is no JSONata expression: %s", mistake.Message)
		refused.Mistake = mistake
		return refused
	}
	if err != nil {
		return errorf(http.StatusUnprocessableEntity, "%s", err)
	}
	return nil
}
