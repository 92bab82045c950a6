package graph

import (
	"slices"
	"testing"
	"time"

	"toolgraph/config"
)

// hashed is a graph with something of every kind in it.
func hashed() *config.File {
	return newFile(
		entryNode("entry", "list"),
		mcpNode("list", "files", "list", "pick", data(object{"path", expression("entry.path"), "n", 1, "l", []any{1, "1"}})),
		switchNode("pick", "count", when(over(">", "entry.n", 1), "exit"), when(over("<", "entry.n", 0), "count")),
		transformNode("count", "$count(list)", "exit"),
		exitNode("exit"),
	)
}

func hashOf(t *testing.T, f *config.File) string {
	t.Helper()
	return mustBuild(t, f)[0].Hash
}

func TestHashIsStable(t *testing.T) {
	const want = "666eca63a19e9d0a872469b29858649b857857255f0e757e2575a71aaff731fb"
	if got := hashOf(t, hashed()); got != want {
		t.Errorf("hash %s, want %s: journals name graphs by their hash, so change the version in hash when the form must change", got, want)
	}
}

func TestHashIgnoresFormatting(t *testing.T) {
	want := hashOf(t, hashed())
	edits := map[string]func(f *config.File){
		"places":       func(f *config.File) { f.Tools[0].Nodes[1].Pos = at(1000) },
		"descriptions": func(f *config.File) { f.Tools[0].Description = word("counts"); f.Server.Name = word("x") },
		"icons and _meta": func(f *config.File) {
			f.Tools[0].Meta, f.Tools[0].Icons = data(object{"a", 1}), data([]any{})
		},
		"order of nodes": func(f *config.File) {
			slices.Reverse(f.Tools[0].Nodes)
		},
		"order of keys": func(f *config.File) {
			args := f.Tools[0].Nodes[1].Args
			slices.Reverse(args.Keys)
			slices.Reverse(args.Items)
		},
		"space around an expression": func(f *config.File) { f.Tools[0].Nodes[3].Expr.Value = "\n  $count(list)\n" },
		"cache":                      func(f *config.File) { f.Tools[0].Nodes[1].Cache = &config.Cache{TTL: time.Minute} },
		"form of a default": func(f *config.File) {
			pick := f.Tools[0].Nodes[2]
			pick.Next = config.Text{}
			pick.Conditions = append(pick.Conditions, when(nil, "count"))
		},
		"other tools": func(f *config.File) {
			f.Tools = append(f.Tools, newTool("other", entryNode("entry", "exit"), exitNode("exit")))
		},
	}
	for name, edit := range edits {
		f := hashed()
		edit(f)
		if hashOf(t, f) != want {
			t.Errorf("%s changed the hash", name)
		}
	}
}

func TestHashSeesMeaning(t *testing.T) {
	edits := map[string]func(f *config.File, nodes []*config.Node){
		"tool name":  func(f *config.File, _ []*config.Node) { f.Tools[0].Name.Value = "tool2" },
		"limit":      func(f *config.File, _ []*config.Node) { f.Limits.MaxNodeExecutions = 9 },
		"time limit": func(f *config.File, _ []*config.Node) { f.Limits.MaxExecutionTime = time.Second },
		"id": func(_ *config.File, n []*config.Node) {
			n[3].ID.Value, n[2].Next.Value, n[2].Conditions[1].Next.Value = "c", "c", "c"
		},
		"next":           func(_ *config.File, n []*config.Node) { n[1].Next.Value = "count" },
		"default":        func(_ *config.File, n []*config.Node) { n[2].Next.Value = "exit" },
		"condition next": func(_ *config.File, n []*config.Node) { n[2].Conditions[0].Next.Value = "count" },
		"rule":           func(_ *config.File, n []*config.Node) { n[2].Conditions[0].Rule = over(">", "entry.n", 2) },
		"rule order":     func(_ *config.File, n []*config.Node) { slices.Reverse(n[2].Conditions) },
		"one rule fewer": func(_ *config.File, n []*config.Node) { n[2].Conditions = n[2].Conditions[:1] },
		"expression":     func(_ *config.File, n []*config.Node) { n[3].Expr.Value = "$sum(list)" },
		"server":         func(_ *config.File, n []*config.Node) { n[1].Server.Value = "search" },
		"upstream tool":  func(_ *config.File, n []*config.Node) { n[1].Tool.Value = "ls" },
		"argument":       func(_ *config.File, n []*config.Node) { n[1].Args.Items[1].Scalar = 2.0 },
		"argument name":  func(_ *config.File, n []*config.Node) { n[1].Args.Keys[1].Value = "m" },
		"argument type":  func(_ *config.File, n []*config.Node) { n[1].Args.Items[1].Scalar = "1" },
		"array order":    func(_ *config.File, n []*config.Node) { slices.Reverse(n[1].Args.Items[2].Items) },
		"literal": func(_ *config.File, n []*config.Node) {
			n[1].Args.Items[0] = data("entry.path")
		},
		"no args": func(_ *config.File, n []*config.Node) { n[1].Args = nil },
		"node type": func(_ *config.File, n []*config.Node) {
			n[3].Type, n[3].Server, n[3].Tool = config.MCPNode, word("files"), word("x")
		},
	}
	seen := map[string]string{hashOf(t, hashed()): "the original"}
	for name, edit := range edits {
		f := hashed()
		edit(f, f.Tools[0].Nodes)
		h := hashOf(t, f)
		if other, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

// called is a graph with calls of all kinds, and a tool that it calls.
func called() *config.File {
	list := mcpNode("list", "files", "list", "each", data(object{"path", expression("entry.path")}))
	list.Retry = &config.Retry{Attempts: 60, Until: word("$result.done")}
	list.OnError = &config.OnError{Codes: []config.Text{word("timeout"), word("not-yet")}, Value: data(object{"text", ""}), Next: word("count")}
	each := &config.Node{ID: word("each"), Type: config.GraphNode, Tool: word("other"), Next: word("facts"), ForEach: &config.ForEach{Items: word("list.items"), MaxParallel: 4}}
	facts := &config.Node{ID: word("facts"), Type: config.ParallelNode, Next: word("count"), Branches: []*config.Node{
		mcpNode("a", "files", "stat", "", nil), {ID: word("b"), Type: config.GraphNode, Tool: word("other")},
	}}
	count := transformNode("count", "$count(list)", "exit")
	count.OnError = &config.OnError{}
	f := newFile(entryNode("entry", "list"), list, each, facts, count, exitNode("exit"))
	other := newTool("other", entryNode("entry", "exit"), exitNode("exit"))
	other.InputSchema = data(object{"type", "object"})
	f.Tools = append(f.Tools, other, newTool("unused", entryNode("entry", "exit"), exitNode("exit")))
	return f
}

func TestHashOfCalls(t *testing.T) {
	const want = "05f0c81837b589872d8797942d83ca68b1d71ac0703fb8be5518c191a923ea2a"
	if got := hashOf(t, called()); got != want {
		t.Errorf("hash %s, want %s: journals name graphs by their hash, so change the version in hash when the form must change", got, want)
	}
}

// What may be mended after a crash is no part of the hash.
func TestHashOfCallsIgnores(t *testing.T) {
	want := hashOf(t, called())
	for name, edit := range map[string]func(f *config.File, n []*config.Node){
		"retry": func(_ *config.File, n []*config.Node) {
			n[1].Retry = &config.Retry{Attempts: 5, Delay: 1, Backoff: 9, Until: word("$result.done"), When: word("$attempt < 3"), Codes: []config.Text{word("timeout")}}
		},
		"another retry":  func(_ *config.File, n []*config.Node) { n[3].Branches[0].Retry = &config.Retry{Attempts: 3} },
		"timeout":        func(_ *config.File, n []*config.Node) { n[1].Timeout, n[2].Timeout = time.Second, time.Second },
		"maxParallel":    func(_ *config.File, n []*config.Node) { n[2].ForEach.MaxParallel = 64 },
		"help":           func(_ *config.File, n []*config.Node) { n[1].Help = word("try") },
		"effect":         func(_ *config.File, n []*config.Node) { n[1].Effect = config.ReadEffect },
		"order of codes": func(_ *config.File, n []*config.Node) { slices.Reverse(n[1].OnError.Codes) },
		"hidden":         func(f *config.File, _ []*config.Node) { f.Tools[1].Hidden = true },
		"another tool":   func(f *config.File, _ []*config.Node) { f.Tools[2].Name = word("renamed") },
		"order of tools": func(f *config.File, _ []*config.Node) { f.Tools[1], f.Tools[2] = f.Tools[2], f.Tools[1] },
		"default depth":  func(f *config.File, _ []*config.Node) { f.Limits.MaxDepth = config.DefaultMaxDepth },
	} {
		f := called()
		edit(f, f.Tools[0].Nodes)
		if hashOf(t, f) != want {
			t.Errorf("%s changed the hash", name)
		}
	}
}

func TestHashOfCallsSeesMeaning(t *testing.T) {
	edits := map[string]func(f *config.File, n []*config.Node){
		"until":         func(_ *config.File, n []*config.Node) { n[1].Retry.Until = word("$result") },
		"no until":      func(_ *config.File, n []*config.Node) { n[1].Retry = nil },
		"codes":         func(_ *config.File, n []*config.Node) { n[1].OnError.Codes = n[1].OnError.Codes[:1] },
		"default codes": func(_ *config.File, n []*config.Node) { n[1].OnError.Codes = nil },
		"no codes":      func(_ *config.File, n []*config.Node) { n[1].OnError.Codes = []config.Text{} },
		"value":         func(_ *config.File, n []*config.Node) { n[1].OnError.Value = data(object{"text", "x"}) },
		"default value": func(_ *config.File, n []*config.Node) { n[1].OnError.Value = nil },
		"null value":    func(_ *config.File, n []*config.Node) { n[1].OnError.Value = data(nil) },
		"onError next":  func(_ *config.File, n []*config.Node) { n[1].OnError.Next = word("exit") },
		"no next":       func(_ *config.File, n []*config.Node) { n[1].OnError.Next = config.Text{} },
		"no onError":    func(_ *config.File, n []*config.Node) { n[4].OnError = nil },
		"items":         func(_ *config.File, n []*config.Node) { n[2].ForEach.Items = word("list.others") },
		"no forEach":    func(_ *config.File, n []*config.Node) { n[2].ForEach = nil },
		"called tool":   func(_ *config.File, n []*config.Node) { n[2].Tool = word("unused") },
		"branch":        func(_ *config.File, n []*config.Node) { n[3].Branches[0].Tool = word("read") },
		"branch name":   func(_ *config.File, n []*config.Node) { n[3].Branches[0].ID = word("c") },
		"branch order":  func(_ *config.File, n []*config.Node) { slices.Reverse(n[3].Branches) },
		"one branch more": func(_ *config.File, n []*config.Node) {
			n[3].Branches = append(n[3].Branches, mcpNode("c", "files", "stat", "", nil))
		},
		"onError of a branch":          func(_ *config.File, n []*config.Node) { n[3].Branches[1].OnError = &config.OnError{} },
		"args of a branch":             func(_ *config.File, n []*config.Node) { n[3].Branches[1].Args = data(object{"x", 1}) },
		"depth":                        func(f *config.File, _ []*config.Node) { f.Limits.MaxDepth = 5 },
		"calls":                        func(f *config.File, _ []*config.Node) { f.Limits.MaxCalls = 5 },
		"own limit":                    func(f *config.File, _ []*config.Node) { f.Tools[0].Limits.MaxNodeExecutions = 5 },
		"own limit of the called tool": func(f *config.File, _ []*config.Node) { f.Tools[1].Limits.MaxCalls = 5 },
		"schema of the called tool": func(f *config.File, _ []*config.Node) {
			f.Tools[1].InputSchema = data(object{"type", "object", "title", "x"})
		},
		"outputSchema of the called tool": func(f *config.File, _ []*config.Node) { f.Tools[1].OutputSchema = data(object{"type", "object"}) },
		"node of the called tool": func(f *config.File, _ []*config.Node) {
			f.Tools[1].Nodes = newTool("", entryNode("entry", "n"), transformNode("n", "1", "exit"), exitNode("exit")).Nodes
		},
	}
	seen := map[string]string{hashOf(t, called()): "the original"}
	for name, edit := range edits {
		f := called()
		edit(f, f.Tools[0].Nodes)
		h := hashOf(t, f)
		if other, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

// asking is a graph that asks and confirms, under what the file allows.
func asking() *config.File {
	sure := &config.Node{
		ID: word("sure"), Type: config.AskNode, Message: data(expression("entry.question")), Next: word("remove"),
		Schema:  data(object{"type", "object", "properties", object{"keep", object{"type", "boolean"}}}),
		OnError: &config.OnError{Codes: []config.Text{word("declined")}, Next: word("exit")},
	}
	f := newFile(entryNode("entry", "sure"), sure, mcpNode("remove", "files", "delete", "exit", nil), exitNode("exit"))
	f.Allow = &config.Allow{Confirm: []config.Text{word("destroy")}}
	return f
}

func TestHashOfAsks(t *testing.T) {
	const want = "d106a01bd86b7ef65af78c58908881eebbb85bed5c4fc09a05d64acc502831df"
	if got := hashOf(t, asking()); got != want {
		t.Errorf("hash %s, want %s: journals name graphs by their hash, so change the version in hash when the form must change", got, want)
	}
}

// What may be mended after a crash is no part of the hash: who must agree, and to what.
func TestHashOfAsksIgnores(t *testing.T) {
	want := hashOf(t, asking())
	agreed := true
	for name, edit := range map[string]func(f *config.File, n []*config.Node){
		"timeout":           func(_ *config.File, n []*config.Node) { n[1].Timeout = time.Second },
		"help":              func(_ *config.File, n []*config.Node) { n[1].Help = word("try") },
		"confirm":           func(_ *config.File, n []*config.Node) { n[2].Confirm = &agreed },
		"effect":            func(_ *config.File, n []*config.Node) { n[2].Effect = config.ReadEffect },
		"no allow":          func(f *config.File, _ []*config.Node) { f.Allow = nil },
		"another allow":     func(f *config.File, _ []*config.Node) { f.Allow.Calls = []config.Text{word("files.*")} },
		"allow of the tool": func(f *config.File, _ []*config.Node) { f.Tools[0].Allow = &config.Allow{} },
		"order of keys": func(_ *config.File, n []*config.Node) {
			n[1].Schema = data(object{"properties", object{"keep", object{"type", "boolean"}}, "type", "object"})
		},
	} {
		f := asking()
		edit(f, f.Tools[0].Nodes)
		if hashOf(t, f) != want {
			t.Errorf("%s changed the hash", name)
		}
	}
}

func TestHashOfAsksSeesMeaning(t *testing.T) {
	seen := map[string]string{hashOf(t, asking()): "the original"}
	for name, edit := range map[string]func(f *config.File, n []*config.Node){
		"message": func(_ *config.File, n []*config.Node) { n[1].Message = data(expression("entry.other")) },
		"text":    func(_ *config.File, n []*config.Node) { n[1].Message = data("entry.question") },
		"schema": func(_ *config.File, n []*config.Node) {
			n[1].Schema = data(object{"type", "object", "properties", object{"keep", object{"type", "integer"}}})
		},
		"no schema":   func(_ *config.File, n []*config.Node) { n[1].Schema = nil },
		"codes":       func(_ *config.File, n []*config.Node) { n[1].OnError.Codes = nil },
		"value":       func(_ *config.File, n []*config.Node) { n[1].OnError.Value = data(1) },
		"no onError":  func(_ *config.File, n []*config.Node) { n[1].OnError = nil },
		"next":        func(_ *config.File, n []*config.Node) { n[1].Next = word("exit") },
		"result size": func(f *config.File, _ []*config.Node) { f.Limits.MaxResultBytes = 5 },
	} {
		f := asking()
		edit(f, f.Tools[0].Nodes)
		h := hashOf(t, f)
		if other, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

// The schemas of a tool are part of the hash of those that call it, itself included.
func TestHashOfRecursion(t *testing.T) {
	build := func(recursive bool, schema *config.Data) string {
		again := transformNode("again", "1", "exit")
		if recursive {
			again = &config.Node{ID: word("again"), Type: config.GraphNode, Tool: word("tool"), Next: word("exit"), ForEach: &config.ForEach{Items: word("entry.list"), MaxParallel: 1}}
		}
		f := newFile(entryNode("entry", "again"), again, exitNode("exit"))
		f.Tools[0].InputSchema = schema
		return hashOf(t, f)
	}
	one, two := data(object{"type", "object"}), data(object{"type", "object", "title", "x"})
	if build(true, one) == build(true, two) {
		t.Error("the hash of a tool that calls itself does not cover its schema")
	}
	if build(false, one) != build(false, two) {
		t.Error("the hash of a tool that nothing calls covers its schema")
	}
}
