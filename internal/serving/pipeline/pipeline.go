package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// Tool is the pipeline of a graph file. It is not changed after New and safe for concurrent use.
type Tool struct {
	// Graph stands for all requests: it has one call for each tool that a step may call, a tool of a
	// server as its pattern. It is what lists, drawings and capabilities show. A run of it calls nothing.
	Graph *graph.Graph

	file   *config.File
	graphs []*graph.Graph
	tools  []string    // of the file, that steps may call
	calls  graph.Allow // of servers, that steps may call
}

// New makes the pipeline of a file, and returns what is wrong with it, sorted. The tool is nil when
// the file has no pipeline, or a finding of the file or the pipeline is an error: graphs are then
// nil. The error is the cause of ctx's end.
func New(ctx context.Context, file *config.File, graphs []*graph.Graph) (*Tool, config.Diagnostics, error) {
	p := file.Pipeline
	if p == nil {
		return nil, nil, nil
	}
	t := &Tool{file: file, graphs: graphs, calls: graph.Allow{Calls: []string{}}}
	var found config.Diagnostics
	t.checkName(&found)
	t.addTools(&found)
	t.addCalls(&found)
	if len(t.tools) == 0 && len(t.calls.Calls) == 0 && found.Err() == nil {
		found.Warn(p.Pos, "pipeline-tools", "steps of the pipeline can call no tool", "name tools of this file in tools, or tools of servers in calls")
	}
	found.Sort()
	if graphs == nil || found.Err() != nil {
		return nil, found, nil
	}
	def, err := newDefinition(p, t.tools)
	if err != nil {
		return nil, nil, err
	}
	drawn := *def
	drawn.Nodes = t.choices()
	g, wrong, err := graph.Extend(ctx, file, graphs, &drawn, nil, nil)
	if err != nil || wrong.Err() != nil {
		errs, _ := wrong.Split()
		return nil, append(found, errs...), err
	}
	t.Graph = g
	return t, found, nil
}

func (t *Tool) name() string { return t.file.Pipeline.Name.Value }

func orPos(pos, otherwise config.Pos) config.Pos {
	if pos.IsValid() {
		return pos
	}
	return otherwise
}

// checkName reports a name that another tool has.
func (t *Tool) checkName(found *config.Diagnostics) {
	p := t.file.Pipeline
	pos := orPos(p.Name.Pos, p.Pos)
	for _, tool := range t.file.Tools {
		if tool.Name.Value == t.name() {
			found.Add(orPos(pos, tool.Name.Pos), "name-taken", fmt.Sprintf("the pipeline has the name of tool %q (%s)", t.name(), tool.Name.Pos), "add name: NAME to pipeline, or rename the tool")
			return
		}
	}
	if t.name() == "read_result" { // whether or not there is one now: adding a limit must not break the file
		found.Add(pos, "name-taken", "the pipeline has the name of the tool by which clients read results over executionLimits.maxResultBytes", "choose another name")
	}
}

// addTools adds the tools of the file that steps may call.
func (t *Tool) addTools(found *config.Diagnostics) {
	p := t.file.Pipeline
	var listed []string
	hidden := map[string]bool{}
	for _, tool := range t.file.Tools {
		if hidden[tool.Name.Value] = tool.Hidden; !tool.Hidden {
			listed = append(listed, tool.Name.Value)
		}
	}
	if p.Tools == nil {
		t.tools = listed
		return
	}
	for _, text := range p.Tools {
		switch name := text.Value; {
		case hidden[name]:
			found.Add(text.Pos, "pipeline-tools", fmt.Sprintf("tools of the pipeline has %q, which is hidden from clients", name), "remove it, or remove hidden from the tool").Over(text).Fixed(config.RemoveItem(text.Pos))
		case !slices.Contains(listed, name):
			near := wording.Nearest(name, listed)
			found.Add(text.Pos, "pipeline-tools", fmt.Sprintf("tools of the pipeline has %s, which is not in this file", wording.Quote(name)), wording.Meant(near)).Meant(text, near)
		case !slices.Contains(t.tools, name):
			t.tools = append(t.tools, name)
		}
	}
}

// addCalls adds the patterns of tools of servers that steps may call.
func (t *Tool) addCalls(found *config.Diagnostics) {
	var servers []string
	for _, u := range t.file.Servers {
		servers = append(servers, u.Name.Value)
	}
	for _, text := range t.file.Pipeline.Calls {
		if len(t.named(text.Value)) > 0 {
			t.calls.Calls = append(t.calls.Calls, text.Value)
			continue
		}
		server, _, dotted := strings.Cut(text.Value, ".")
		near := wording.Nearest(server, servers)
		message, hint := fmt.Sprintf("calls of the pipeline has %s, which names a tool of no server of mcpServers", wording.Quote(text.Value)), wording.Meant(near)
		if !dotted && hint == "" {
			hint = "write server.tool, or server.* for all tools of a server"
		}
		found.Add(text.Pos, "pipeline-tools", message, hint).Over(text).Fixed(config.ReplaceWord(text, 0, len(server), near))
	}
}

// call is a tool, or a pattern of tools, of a server.
type call struct{ server, tool string }

// named returns the calls that a pattern names: one for each server that it can mean.
func (t *Tool) named(pattern string) (all []call) {
	prefix, open := strings.CutSuffix(pattern, "*")
	for _, u := range t.file.Servers {
		server := u.Name.Value
		rest, isOf := strings.CutPrefix(prefix, server+".")
		switch {
		case isOf && open:
			all = append(all, call{server, rest + "*"})
		case isOf && rest != "":
			all = append(all, call{server, rest})
		case open && strings.HasPrefix(server+".", prefix):
			all = append(all, call{server, "*"})
		}
	}
	return all
}

func node(pos config.Pos, id string, kind config.NodeType, next string) *config.Node {
	return &config.Node{Pos: pos, ID: config.Text{Value: id, Pos: pos}, Type: kind, Next: config.Text{Value: next, Pos: pos}}
}

// The ids of nodes of the graph that stands for all requests; names of tools have no spaces.
const (
	requestID = "a request"
	choiceID  = "each step"
	resultID  = "the result"
)

// choices returns the nodes of the graph that stands for all requests: a loop that goes to any of
// the calls as often as the steps say. Its conditions never hold.
func (t *Tool) choices() []*config.Node {
	pos := t.file.Pipeline.Pos
	entry, choice := node(pos, requestID, config.EntryNode, resultID), node(pos, choiceID, config.SwitchNode, resultID)
	var calls []*config.Node
	seen := map[string]bool{}
	add := func(id string, kind config.NodeType, server, tool string) {
		if seen[id] {
			return
		}
		seen[id] = true
		n := node(pos, id, kind, choiceID)
		n.Server, n.Tool = config.Text{Value: server, Pos: pos}, config.Text{Value: tool, Pos: pos}
		calls = append(calls, n)
		choice.Conditions = append(choice.Conditions, config.Condition{Pos: pos, Next: n.ID, Rule: never(id)})
	}
	for _, name := range t.tools {
		add(name, config.GraphNode, "", name)
	}
	for _, pattern := range t.calls.Calls {
		for _, c := range t.named(pattern) {
			add(c.server+"."+c.tool, config.MCPNode, c.server, c.tool)
		}
	}
	if len(calls) == 0 {
		return []*config.Node{entry, node(pos, resultID, config.ExitNode, "")}
	}
	entry.Next.Value = choiceID
	return append(append([]*config.Node{entry, choice}, calls...), node(pos, resultID, config.ExitNode, ""))
}

// never is the rule of a choice: a member that no request has.
func never(id string) *config.Data {
	read := &config.Data{Kind: config.KindObject}
	set(read, "var", textData("$.`"+requestID+"`.tool"))
	rule := &config.Data{Kind: config.KindObject}
	set(rule, "==", &config.Data{Kind: config.KindArray, Items: []*config.Data{read, textData(id)}})
	return rule
}
