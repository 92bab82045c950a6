package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"toolgraph/internal/base/wording"
)

// Change is one change by Upgrade, with its place in the older file.
type Change struct {
	Pos     Pos
	Message string
}

// String returns "file:line:col: message".
func (c Change) String() string { return c.Pos.String() + ": " + c.Message }

// Upgrade rewrites the older forms of a graph file in its text. Other lines do not change,
// comments move with their nodes, and the result means the same. A current file is returned
// unchanged. The error is Diagnostics when the file has mistakes, or forms that cannot be
// rewritten safely; path is for messages. It reads and writes no file.
func Upgrade(path string, src []byte) ([]byte, []Change, error) {
	older, err := parseForUpgrade(path, src)
	if err != nil {
		return nil, nil, err
	}
	if !older.Older {
		return bytes.Clone(src), nil, nil
	}
	text := src
	var changes []Change
	for _, pass := range []func(*editor){(*editor).rewriteForms, (*editor).moveNodes, (*editor).removeOwners} {
		e, err := newEditor(path, text)
		if err != nil {
			return nil, nil, err
		}
		pass(e)
		if err := e.found.Err(); err != nil {
			e.found.Sort()
			return nil, nil, e.found
		}
		text = e.apply()
		changes = append(changes, e.changes...)
	}
	if bytes.HasPrefix(src, byteOrderMark) {
		text = append(bytes.Clone(byteOrderMark), text...)
	}
	result, err := parseForUpgrade(path, text)
	if err != nil || result.Older || !sameMeaning(older, result) {
		var found Diagnostics
		found.Add(Pos{File: path, Line: 1, Column: 1}, "cannot-upgrade", "cannot rewrite the file without changing its meaning", "rewrite the places that toolgraph check warns of by hand")
		return nil, nil, found
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return text, changes, nil
}

// parseForUpgrade is Parse without values of variables.
func parseForUpgrade(path string, src []byte) (*File, error) {
	return Parse(path, src, Options{LookupEnv: func(string) (string, bool) { return "", false }, AssumeEnv: true, alone: true})
}

// sameMeaning reports whether two files mean the same, one perhaps in the older form.
func sameMeaning(a, b *File) bool { return reflect.DeepEqual(meaning(a), meaning(b)) }

func meaning(f *File) any {
	tools := make([]Tool, len(f.Tools))
	for i, t := range f.Tools {
		tools[i] = *t
		tools[i].File = nil
		tools[i].Nodes = make([]*Node, len(t.Nodes))
		for j, n := range t.Nodes {
			tools[i].Nodes[j] = withDefaultLast(n)
		}
	}
	return withoutPlaces(reflect.ValueOf([]any{f.Version, f.Server, f.Limits, f.Allow, f.Servers, tools}))
}

// withDefaultLast returns a switch whose first condition that always holds, if there is one,
// is its default. Other nodes are returned unchanged.
func withDefaultLast(n *Node) *Node {
	i := slices.IndexFunc(n.Conditions, func(c Condition) bool { return c.Rule == nil || string(c.Rule.JSON()) == "true" })
	if i < 0 {
		return n
	}
	changed := *n
	changed.Conditions, changed.Next = n.Conditions[:i], n.Conditions[i].Next
	return &changed
}

// allNodes returns the nodes of the file: those of the top-level list, and those of the tools.
func (e *editor) allNodes() []*yaml.Node {
	nodes := children(under(e.root, "nodes"))
	for _, tool := range children(under(e.root, "tools")) {
		nodes = append(nodes, children(under(tool, "nodes"))...)
	}
	return nodes
}

// rewriteForms rewrites the forms that do not move.
func (e *editor) rewriteForms() {
	if i := pair(e.root, "servers"); i >= 0 {
		key := e.root.Content[i]
		if pair(e.root, "mcpServers") >= 0 {
			e.refuse(key, "the file has both servers and mcpServers")
		}
		e.rename(key, "mcpServers")
	}
	e.reportMoves()
	for _, tool := range children(under(e.root, "tools")) {
		e.rewriteSteps(tool)
	}
	for _, node := range e.allNodes() {
		switch word(node, "type") {
		case olderMCPNode:
			e.renameValue(under(node, "type"), "mcp")
			e.rewriteArgs(node)
		case string(MCPNode), string(GraphNode):
			e.rewriteArgs(node)
		case string(ParallelNode):
			if branches := under(node, "branches"); branches != nil && branches.Kind == yaml.MappingNode {
				for i := 1; i < len(branches.Content); i += 2 {
					e.rewriteArgs(followed(branches.Content[i]))
				}
			}
		case string(SwitchNode):
			e.rewriteSwitch(node)
		}
	}
}

// rename replaces a key, including its quotes.
func (e *editor) rename(key *yaml.Node, name string) {
	e.replace(e.text(key).start, e.end(key), name)
	e.change(key, key.Value+" is now "+name)
}

func (e *editor) renameValue(n *yaml.Node, value string) {
	t := e.text(n)
	e.change(n, n.Value+" is now "+value)
	switch t.style {
	case styleSingle, styleDouble:
		quote := e.src.data[t.start]
		value = string(quote) + value + string(quote)
	case stylePlain, styleLiteral, styleFolded:
	}
	e.replace(t.start, e.end(n), value)
}

// rewriteArgs rewrites texts of args that are expressions to {expr: …}.
func (e *editor) rewriteArgs(node *yaml.Node) {
	args := under(node, "args")
	if args == nil || args.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(args.Content); i += 2 {
		n := args.Content[i+1]
		if target := followed(n); target.Kind != yaml.ScalarNode || !strings.HasPrefix(target.Value, "$") {
			continue
		}
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			e.refuse(n, "an expression of args has an anchor, or is an alias")
			continue
		}
		e.replace(e.start(n), e.end(n), "{expr: "+e.inFlow(n)+"}")
		e.change(n, "the text is now {expr: …}")
	}
}

// rewriteSteps rewrites the args of the steps of a tool or a block.
func (e *editor) rewriteSteps(of *yaml.Node) {
	for _, step := range children(under(of, "steps")) {
		e.rewriteArgs(step)
		e.rewriteSteps(step)
	}
}

var safeInFlow = wording.Pattern(`^[$A-Za-z0-9_][$A-Za-z0-9_.]*$`)

// inFlow returns a scalar for use inside { }: as it is written, if that is on one line.
func (e *editor) inFlow(n *yaml.Node) string {
	t := e.text(n)
	written := string(e.src.data[t.start:e.end(n)])
	quotedHere := t.style == styleSingle || t.style == styleDouble
	switch {
	case quotedHere && !strings.ContainsAny(written, "\r\n"), safeInFlow().MatchString(written):
		return written
	case !strings.ContainsAny(n.Value, "\r\n\t") && t.style == stylePlain:
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(n.Value) != nil { // strings always encode
		return written
	}
	return strings.TrimRight(b.String(), "\n")
}

// rewriteSwitch rewrites target, and conditions without a rule.
func (e *editor) rewriteSwitch(node *yaml.Node) {
	list := under(node, "conditions")
	conditions := children(list)
	for i, c := range conditions {
		if at := pair(c, "target"); at >= 0 {
			e.rename(c.Content[at], "next")
		}
		if c.Kind != yaml.MappingNode || pair(c, "rule") >= 0 || len(c.Content) == 0 || pair(c, "<<") >= 0 {
			continue
		}
		if i == len(conditions)-1 && i > 0 && pair(node, "next") < 0 && list.Content[i].Kind != yaml.AliasNode && e.makeDefault(node, list, c) {
			e.change(c, "the condition without a rule is now next of the switch")
			continue
		}
		e.always(c)
	}
}

// always gives a condition the rule that always holds.
func (e *editor) always(c *yaml.Node) {
	key := c.Content[0]
	from, name := e.start(key), key.Value
	if name == "target" {
		name = "next"
	}
	separator := ", "
	if c.Style&yaml.FlowStyle == 0 {
		line := e.lineStart(from)
		separator = e.newline() + strings.Repeat(" ", len([]rune(string(e.src.data[line:from]))))
	}
	e.replace(from, e.end(key), "rule: true"+separator+name)
	e.change(c, "the condition without a rule now has the rule true")
}

// makeDefault moves the target of the last condition to next of its switch.
func (e *editor) makeDefault(node, list, c *yaml.Node) bool {
	i := max(pair(c, "next"), pair(c, "target"))
	if i < 0 || len(c.Content) != 2 {
		return false
	}
	value := c.Content[i+1]
	target := string(e.src.data[e.start(value):e.end(value)])
	last := list.Content[len(list.Content)-1]
	before := list.Content[len(list.Content)-2]
	conditions := pair(node, "conditions")
	flowList, flowNode := list.Style&yaml.FlowStyle != 0, node.Style&yaml.FlowStyle != 0
	if node.Content[conditions+1].Kind == yaml.AliasNode || list.Anchor != "" || strings.ContainsAny(target, "\r\n") {
		return false
	}
	delete(e.edits, e.start(c.Content[i]))
	end := e.end(list)
	if flowList {
		e.replace(e.end(before), e.end(last), "")
		if flowNode {
			e.replace(end, end, ", next: "+target)
			return true
		}
		line := e.lineEnd(end)
		e.replace(line, line, e.newline()+e.indentOf(node)+"next: "+target)
		return true
	}
	from := e.dash(list, last)
	to := e.lineEnd(end)
	comment := string(bytes.TrimLeft(e.src.data[end:to], " \t"))
	text := e.indentOf(node) + "next: " + target
	if comment != "" {
		text += "  " + comment
	}
	e.replace(e.lineStart(from), to, text)
	return true
}

// indentOf returns the indentation of a block mapping's keys.
func (e *editor) indentOf(mapping *yaml.Node) string {
	return strings.Repeat(" ", mapping.Column-1)
}

// dash returns the offset of the dash of a block list's item.
func (e *editor) dash(list, entry *yaml.Node) int {
	for line := entry.Line; line >= list.Line; line-- {
		at := e.src.offset(line, list.Column)
		if at < len(e.src.data) && e.src.data[at] == '-' && at <= e.start(entry) {
			return at
		}
	}
	return e.start(entry)
}

// reportMoves adds the changes by moveNodes and removeOwners, with the places of the older file.
func (e *editor) reportMoves() {
	if i := pair(e.root, "nodes"); i >= 0 {
		e.change(e.root.Content[i], "moved the nodes into their tools")
	}
	e.eachOwner(func(mapping *yaml.Node, i int) {
		key := mapping.Content[i]
		e.change(key, "removed "+key.Value+": the node's type and its tool say the same")
	})
}

// removeOwners removes the keys that named the tool of a node.
func (e *editor) removeOwners() { e.eachOwner(e.removePair) }

// eachOwner visits the keys that name the tool of a node.
func (e *editor) eachOwner(visit func(mapping *yaml.Node, i int)) {
	for _, tool := range children(under(e.root, "tools")) {
		for _, key := range []string{"entryNode", "exitNode"} {
			if i := pair(tool, key); i >= 0 {
				visit(tool, i)
			}
		}
	}
	for _, node := range e.allNodes() {
		if kind := word(node, "type"); kind != string(EntryNode) && kind != string(ExitNode) {
			continue
		}
		if i := pair(node, "tool"); i >= 0 {
			visit(node, i)
		}
	}
}
