package capabilities

import (
	"cmp"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// Unknown is the effect of a call of which neither the author nor a believed source says what it
// does. It counts as config.DestroyEffect.
const Unknown config.Effect = "unknown"

// Effects are all effects in the order in which they are shown, the worst first.
var Effects = []config.Effect{config.DestroyEffect, Unknown, config.WriteEffect, config.ReadEffect}

// Source says who says what a call does.
type Source string

// The sources of effects.
const (
	ByFile   Source = "file"   // the author, at the node
	ByLock   Source = "lock"   // the hints of the locked definition
	ByServer Source = "server" // the hints of a trusted server
)

// Known returns what calls of an upstream tool do, and who says so; an empty effect is unknown.
type Known func(server, tool string) (config.Effect, Source)

// Capabilities is what tools of a file can do.
type Capabilities struct {
	Servers []Server `json:"servers"` // that the tools can call, in the order of the file
	Tools   []Tool   `json:"tools"`   // in the order of the file
}

// Server is a server that tools can call, without its secrets.
type Server struct {
	Name      string           `json:"name"`
	Transport config.Transport `json:"type"`
	Identity  string           `json:"identity"`  // its command and arguments, or its URL, as in the file
	Variables []string         `json:"variables"` // names of the environment variables that its entry reads
	Trusted   bool             `json:"trusted,omitempty"`
	Asks      bool             `json:"asks,omitempty"` // it may ask the user during a call

	pos config.Pos
}

// Tool is what one tool can do, by itself or by the graphs that it calls.
type Tool struct {
	Name     string   `json:"name"`
	Calls    []Call   `json:"calls"` // the worst first, then by server and tool
	Asks     bool     `json:"asks"`  // it may ask the user, apart from confirmations
	AskNodes []string `json:"askNodes,omitempty"`
	Limits   Limits   `json:"executionLimits"`
	Allow    []Allow  `json:"allow,omitempty"` // of the file, then of the tool

	askPos config.Pos // of what asks first
}

// Call is an upstream tool that a tool can call, once for each effect.
type Call struct {
	Server    string        `json:"server"`
	Tool      string        `json:"tool"`
	Effect    config.Effect `json:"effect"`              // Unknown for an unknown one
	By        Source        `json:"by,omitempty"`        // who says what the effect is; empty for an unknown one
	Confirmed bool          `json:"confirmed,omitempty"` // the user must agree each time
	Refused   bool          `json:"refused,omitempty"`   // it is never made, because allow does not have its effect
	Node      string        `json:"node"`                // the first node that makes it, by its name for mocks
	Tools     []string      `json:"tools,omitempty"`     // the listed tools that can make it; only of a whole file

	Pos config.Pos `json:"-"` // where that node names the tool
}

// Name returns server.tool.
func (c *Call) Name() string { return c.Server + "." + c.Tool }

// Limits bound one run.
type Limits struct {
	Executions  int   `json:"maxNodeExecutions"`
	Time        int64 `json:"maxExecutionTimeMs"`
	Calls       int   `json:"maxCalls,omitempty"`       // left out: no limit
	ResultBytes int   `json:"maxResultBytes,omitempty"` // left out: no limit
}

// Allow is an allow of the file or of the tool.
type Allow struct {
	At      string          `json:"at"`               // its place in the file
	Calls   []string        `json:"calls,omitzero"`   // left out: all
	Effects []config.Effect `json:"effects,omitzero"` // left out: all
	Confirm []config.Effect `json:"confirm,omitempty"`
}

// Of derives the capabilities of tools of a file: those of these graphs; known may be nil.
func Of(file *config.File, graphs []*graph.Graph, known Known) *Capabilities {
	c := &Capabilities{Servers: []Server{}, Tools: []Tool{}}
	called := map[string]bool{}
	for _, g := range graphs {
		t := OfGraph(g, known)
		for _, call := range t.Calls {
			called[call.Server] = true
		}
		c.Tools = append(c.Tools, t)
	}
	asking := map[string]bool{}
	for _, u := range file.Servers {
		if !called[u.Name.Value] {
			continue
		}
		asking[u.Name.Value] = u.AllowElicit
		c.Servers = append(c.Servers, Server{
			Name: u.Name.Value, Transport: u.Transport, Identity: file.Secrets.Redact(u.Identity),
			Variables: append([]string{}, u.Variables...), Trusted: u.Trusted, Asks: u.AllowElicit, pos: u.Name.Pos,
		})
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		by := slices.IndexFunc(t.Calls, func(c Call) bool { return !c.Refused && asking[c.Server] })
		if !t.Asks && by >= 0 {
			t.Asks, t.askPos = true, t.Calls[by].Pos
		}
	}
	return c
}

// OfGraph derives the capabilities of one tool, hidden or not, without what its servers may ask;
// known may be nil.
func OfGraph(g *graph.Graph, known Known) Tool {
	t := Tool{Name: g.Tool.Name.Value, Calls: []Call{}, Limits: Limits{
		Executions: g.Limits.MaxNodeExecutions, Time: g.Limits.MaxExecutionTime.Milliseconds(),
		Calls: g.Limits.MaxCalls, ResultBytes: g.Limits.MaxResultBytes,
	}}
	for _, a := range g.Allow {
		t.Allow = append(t.Allow, Allow{At: a.Pos.String(), Calls: a.Calls, Effects: a.Effects, Confirm: a.Confirm})
	}
	frames := framesOf(g)
	for _, in := range frames.graphs {
		for _, n := range in.Nodes {
			if _, asks := n.(*graph.Ask); asks {
				if !t.Asks {
					t.Asks, t.askPos = true, n.Pos()
				}
				t.AskNodes = append(t.AskNodes, nameIn(g, in, n))
			}
		}
		for _, n := range in.CallNodes() {
			if m, isMCP := n.(*graph.MCP); isMCP {
				t.add(frames.call(g, in, m, known))
			}
		}
	}
	slices.SortStableFunc(t.Calls, compareCalls)
	return t
}

// call describes the call of a node in a graph that the tool's graph can enter.
func (f *frames) call(g, in *graph.Graph, m *graph.MCP, known Known) Call {
	c := Call{Server: m.Server, Tool: m.Tool, Effect: m.Effect, By: ByFile, Node: nameIn(g, in, m), Pos: m.ToolPos()}
	if c.Effect == "" && known != nil {
		c.Effect, c.By = known(m.Server, m.Tool)
	}
	if c.Effect == "" {
		c.Effect, c.By = Unknown, ""
	}
	effect := graph.KnownEffect(believed(c.Effect))
	c.Refused = !f.reach(effect, false)[in]
	c.Confirmed = !f.reach(effect, true)[in]
	if m.Confirm != nil {
		c.Confirmed = *m.Confirm
	}
	c.Confirmed = c.Confirmed && !c.Refused
	return c
}

// believed returns the effect as graphs have it: empty for Unknown.
func believed(e config.Effect) config.Effect {
	if e == Unknown {
		return ""
	}
	return e
}

// add adds a call. Of two of the same tool with the same effect, the one that can do more is
// described.
func (t *Tool) add(c Call) {
	for i, other := range t.Calls {
		if other.Server != c.Server || other.Tool != c.Tool || other.Effect != c.Effect {
			continue
		}
		if other.Refused && !c.Refused || other.Confirmed && !c.Confirmed && !c.Refused {
			t.Calls[i] = c
		}
		return
	}
	t.Calls = append(t.Calls, c)
}

func compareCalls(a, b Call) int {
	return cmp.Or(
		cmp.Compare(slices.Index(Effects, a.Effect), slices.Index(Effects, b.Effect)),
		cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool),
	)
}

// nameIn returns the name of a node for mocks, from the tool that is run: of another tool
// cleanup:really.
func nameIn(g, in *graph.Graph, n graph.Node) string {
	if in == g {
		return n.ID()
	}
	return in.Tool.Name.Value + ":" + n.ID()
}

// Whole returns what the tools can do together; each call names the tools that can make it.
func (c *Capabilities) Whole() Tool {
	whole := Tool{Calls: []Call{}}
	for _, t := range c.Tools {
		whole.Asks = whole.Asks || t.Asks
		for _, call := range t.Calls {
			i := slices.IndexFunc(whole.Calls, func(other Call) bool {
				return compareCalls(other, call) == 0 && other.Confirmed == call.Confirmed && other.Refused == call.Refused
			})
			if i < 0 {
				i = len(whole.Calls)
				whole.Calls = append(whole.Calls, call)
			}
			whole.Calls[i].Tools = append(whole.Calls[i].Tools, t.Name)
		}
	}
	slices.SortStableFunc(whole.Calls, compareCalls)
	return whole
}
