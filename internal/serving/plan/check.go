package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
)

// Finding is something wrong with a plan, or a warning about it.
type Finding struct {
	Path    string // of the value in the request, such as steps[2].args.path
	Code    string
	Message string
	Hint    string // what to do; may be empty
	Warning bool   // the plan can run

	number int // of the place
}

// String is "path: message; hint [code]".
func (f *Finding) String() string {
	text := f.Path + ": "
	if f.Warning {
		text += "warning: "
	}
	text += f.Message
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text + " [" + f.Code + "]"
}

// checked is a plan that was checked.
type checked struct {
	graph *graph.Graph // nil beside errors
	found []Finding    // in the order of the request
	known *known
}

// errors reports whether a finding is an error.
func (c *checked) hasErrors() bool {
	return slices.ContainsFunc(c.found, func(f Finding) bool { return !f.Warning })
}

// mostRounds is how often a plan is compiled again without what is wrong in it, so that all else is checked too.
const mostRounds = 4

// check compiles a plan and finds what is wrong with it. servers may be nil: then nothing is known of them, and types are
// not checked. The error is the cause of ctx's end.
func (t *Tool) check(ctx context.Context, args value.Value, servers Servers) (*checked, error) {
	c := &checked{}
	at := func(path, code, message, hint string) {
		c.found = append(c.found, Finding{Path: path, Code: code, Message: message, Hint: hint})
	}
	if size := value.Size(args); size > config.MostPlanBytes {
		at("steps", "plan-too-large", fmt.Sprintf("the plan has %d bytes, at most %d are allowed", size, config.MostPlanBytes), "let steps get large values from the results of others, or make several plans")
		return c, nil
	}
	data, err := (&placer{}).data("", args, 1)
	if err != nil {
		at("steps", "too-deep", err.Error(), "let steps get such values from the results of others")
		return c, nil
	}
	if n := countSteps(data); n > t.maxSteps {
		at("steps", "too-many-steps", fmt.Sprintf("the plan has %d steps, those of blocks included, at most %d are allowed", n, t.maxSteps), "let each do the same for a list, or make several plans")
		return c, nil
	}
	c.known = newKnown(ctx, servers, t)
	for round := range mostRounds {
		found, g, err := t.compile(ctx, data, c.known)
		if err != nil {
			return nil, err
		}
		if round > 0 { // what reads a step may be what was taken out
			found = slices.DeleteFunc(found, func(d config.Diagnostic) bool { return d.Code == "unused-step" })
		}
		added := c.add(found)
		if g != nil {
			c.graph = g
			break
		}
		if !added || !repair(data, found) {
			break
		}
	}
	if c.hasErrors() {
		c.graph = nil
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.number, b.number) })
	return c, nil
}

// compile compiles a plan, and checks what flows through it when that is possible. The graph is nil beside errors of the
// form; then types are not checked.
func (t *Tool) compile(ctx context.Context, data *config.Data, known *known) (config.Diagnostics, *graph.Graph, error) {
	tool, found := config.DecodePlan(t.file, t.like, data)
	if tool == nil {
		return found, nil, nil
	}
	found = append(found, t.refused(tool, known)...)
	if found.Err() != nil {
		more, err := graph.CheckExtension(ctx, t.file, tool, t.Graph)
		return append(found, more...), nil, err
	}
	g, more, err := graph.Extend(ctx, t.file, t.graphs, tool, nil, t.Graph)
	if found = append(found, more...); err != nil || g == nil {
		return found, nil, err
	}
	g.SetPlan(t.rules)
	if found = append(found, graph.CheckFlows(g)...); found.Err() != nil {
		return found, nil, nil
	}
	if known.servers == nil {
		return found, g, nil
	}
	typed, err := flow.Check(ctx, g, known)
	if err != nil {
		return nil, nil, err
	}
	return append(found, typed...), g, nil
}

// refused reports calls that no plan may make, and those of tools that a server does not have: for the client the one
// is like the other.
func (t *Tool) refused(tool *config.Tool, known *known) (found config.Diagnostics) {
	for _, node := range tool.Nodes {
		node.EachStep(func(s *config.Node) {
			server, name := s.Server.Value, s.Tool.Value
			called := s.Step.Call.Value
			var near string
			switch {
			case called == "", s.Type == config.GraphNode && slices.Contains(t.callable.Tools, called):
				return
			case s.Type == config.GraphNode:
				near = wording.Nearest(called, t.callable.Tools)
			case t.file.HasServer(server):
				names, listed := known.names(server)
				if t.permits(server, name) && (!listed || slices.Contains(names, name)) {
					return
				}
				if near = wording.Nearest(name, names); near != "" {
					near = server + "." + near
				}
			default:
				if near = wording.Nearest(server, t.serverNames()); near != "" {
					near += "." + name
				}
			}
			found.Add(s.Step.Call.Pos, unknownTool, fmt.Sprintf("step %q calls %s, which is no tool that plans may call", s.ID.Value, wording.Quote(called)),
				cmp.Or(wording.Meant(near), config.SearchTools+" finds tools"))
		})
	}
	return found
}

// unknownTool is the code of findings about calls that plans may not make.
const unknownTool = "unknown-tool"

func (t *Tool) serverNames() (names []string) {
	for _, u := range t.file.Servers {
		names = append(names, u.Name.Value)
	}
	return names
}

// permits reports whether plans may call a tool of a server, as far as lists of the file say.
func (t *Tool) permits(server, tool string) bool {
	return t.callable.Calls.Permits(server, tool) && !slices.ContainsFunc(t.Graph.Allow, func(a *graph.Allow) bool { return !a.Permits(server, tool) })
}

// countSteps returns the number of steps of a plan or block, those of blocks included.
func countSteps(data *config.Data) (n int) {
	list := data.Get("steps")
	if list == nil || list.Kind != config.KindArray {
		return 0
	}
	for _, step := range list.Items {
		n += 1 + countSteps(step)
	}
	return n
}

// add adds findings at their paths, and reports whether any is new.
func (c *checked) add(found config.Diagnostics) (added bool) {
	for _, d := range found {
		if slices.Contains([]string{"unknown-server", "unknown-graph"}, d.Code) { // refused says the same, for clients
			continue
		}
		f := Finding{Path: pathOf(d.Pos), Code: d.Code, Message: d.Message, Hint: d.Hint, Warning: d.Severity == config.Warning && !isCertain(d), number: d.Pos.Column}
		if name := missingArgument(d); name != "" {
			f.Path = within(strings.TrimSuffix(strings.TrimSuffix(f.Path, ".call"), ".args")+".args", name)
		}
		if !slices.ContainsFunc(c.found, func(other Finding) bool {
			return other.Path == f.Path && (other.Code == formCode || other.Code == f.Code && other.Message == f.Message)
		}) {
			c.found, added = append(c.found, f), true
		}
	}
	return added
}

// missingArgument returns the name of an argument that a call lacks; empty for another finding. It is reported at the call.
func missingArgument(d config.Diagnostic) string {
	name, rest, is := strings.Cut(strings.TrimPrefix(d.Message, `argument "`), `" of tool `)
	if d.Code != "argument-refused" || !is || !strings.HasSuffix(d.Pos.File, ".call") && !strings.HasSuffix(d.Pos.File, ".args") || !strings.Contains(rest, "missing") {
		return ""
	}
	return name
}

// isCertain reports whether a warning says that a run of the plan cannot do what it says. In a file it is no more than a
// warning: authors have files that run although a schema says otherwise.
func isCertain(d config.Diagnostic) bool {
	return d.Code == "impossible-path" && !strings.Contains(d.Message, "does not declare")
}

// formCode is the code of findings about keys that a step does not have; what is wrong with their values is of no interest then.
const formCode = "step-form"

var stepPath = wording.Pattern(`(^|\.)steps\[\d+\]\.expr$`)

// pathOf returns the path of a finding: that of an argument for one in its expression, and that of the plan's steps
// for one that has none.
func pathOf(pos config.Pos) string {
	if !pos.IsPath() || pos.File == "" {
		return "steps"
	}
	if argument, isExpr := strings.CutSuffix(pos.File, ".expr"); isExpr && !stepPath().MatchString(pos.File) {
		return argument
	}
	return pos.File
}
