package graph

import (
	"slices"
	"testing"
	"time"

	"toolgraph/config"
)

func loaded(t *testing.T, path string) []*Graph {
	t.Helper()
	f, err := config.Load(path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return mustBuild(t, f)
}

func TestCompiledCalls(t *testing.T) {
	graphs := loaded(t, "testdata/ok/calls.yaml")
	g, file := graphs[0], graphs[1]
	list, _ := g.Node("list").(*MCP)
	if list.Timeout != 5*time.Second || list.Help != "Is the proxy running?" || list.Effect != config.ReadEffect || list.ForEach != nil {
		t.Errorf("node %+v", list)
	}
	r := list.Retry
	if r.Attempts != 4 || r.Delay != 100*time.Millisecond || r.MaxDelay != time.Second || r.Backoff != 1.5 || r.When == nil || r.Until != nil ||
		!slices.Equal(r.Codes, []config.FailureCode{config.FailTimeout, config.FailToolError}) {
		t.Errorf("retry %+v", r)
	}
	if o := list.OnError; o.Next != g.Node("poll") || !o.Catches(config.FailTimeout) || o.Catches(config.FailToolError) || len(o.Value.Expressions()) != 1 {
		t.Errorf("onError %+v", o)
	}
	if want := []string{"todos", "poll"}; !slices.Equal(list.Successors(), want) {
		t.Errorf("successors %v, want %v", list.Successors(), want)
	}
	todos, _ := g.Node("todos").(*SubGraph)
	if todos.Graph != file || todos.ForEach.MaxParallel != 8 || todos.OnError == nil || todos.OnError.Next != nil || todos.OnError.Value != nil || todos.OnError.Codes != nil {
		t.Errorf("node %+v", todos)
	}
	if again, _ := file.Node("again").(*SubGraph); again.Graph != file {
		t.Error("a tool that calls itself does not lead to itself")
	}
	facts, _ := g.Node("facts").(*Parallel)
	if len(facts.Branches) != 2 || facts.Branches[0].Name != "weather" || facts.Branches[0].Node.ID() != "facts.weather" || g.Node("facts.weather") != nil {
		t.Errorf("branches %+v", facts.Branches)
	}
	if news, _ := facts.Branches[1].Node.(*SubGraph); news.Graph != file || news.Next != nil || len(news.OnError.Value.Expressions()) != 0 {
		t.Errorf("branch %+v", news)
	}
	if n, _ := g.Node("n").(*Transform); n.OnError == nil || n.OnError.Value == nil {
		t.Error("a transform has lost its onError")
	}
	if poll, _ := g.Node("poll").(*MCP); poll.Retry.Until == nil || poll.Retry.Attempts != 60 {
		t.Error("a poll has no until")
	}
	if g.Secrets == nil || g.Limits.MaxDepth != 8 || g.Limits.MaxCalls != 200 || g.Limits.MaxNodeExecutions != 5000 || file.Limits.MaxNodeExecutions != 1000 {
		t.Errorf("limits %+v %+v", g.Limits, file.Limits)
	}
	if edges := g.Edges(); !slices.Contains(edges, Edge{From: "list", To: "poll", Label: "error", Kind: ErrorEdge}) {
		t.Errorf("edges %v", edges)
	}
}

// Calls are those of all graphs that a run can enter, each once, however often they are called.
func TestCallsOfCalledGraphs(t *testing.T) {
	graphs := loaded(t, "testdata/ok/calls.yaml")
	var got []string
	for _, c := range graphs[0].Calls() {
		got = append(got, c.Graph+":"+c.Node+" "+c.Server+"."+c.Tool)
	}
	want := []string{":list files.list_directory", ":poll files.job", ":facts.weather files.forecast", "todos_of_file:read files.read_text_file"}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if calls := graphs[1].Calls(); len(calls) != 1 || calls[0].Graph != "" || calls[0].Node != "read" {
		t.Errorf("calls of a tool that calls itself: %v", calls)
	}
	if reached := graphs[0].Reached(); len(reached) != 2 || len(graphs[1].Reached()) != 1 {
		t.Errorf("reached %v", reached)
	}
}

// Tools may call each other in a ring: each call leads to the graph of the other.
func TestMutualRecursion(t *testing.T) {
	graphs := loaded(t, "testdata/ok/recursion.yaml")
	other, _ := graphs[3].Node("other").(*SubGraph)
	both, _ := graphs[4].Node("both").(*Parallel)
	back, _ := both.Branches[0].Node.(*SubGraph)
	if other.Graph != graphs[4] || back.Graph != graphs[3] {
		t.Error("tools that call each other do not lead to each other")
	}
	if graphs[3].Hash == graphs[4].Hash {
		t.Error("tools that call each other have one hash")
	}
}

// The nodes behind onError.next are reached, and a run can leave a loop by it.
func TestErrorEdgeIsAWay(t *testing.T) {
	call := mcpNode("call", "files", "read", "call", nil)
	call.OnError = &config.OnError{Next: text("lost", 23)}
	wantFindings(t, newFile(entryNode("entry", "call"), call, transformNode("lost", "1", "exit"), exitNode("exit")))
	call.OnError.Next = config.Text{}
	wantFindings(t, newFile(entryNode("entry", "call"), call, transformNode("lost", "1", "exit"), exitNode("exit")),
		"error no-way-to-exit g.yaml:20:1", "warning unreachable-node g.yaml:30:1")
}
