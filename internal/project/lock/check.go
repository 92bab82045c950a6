package lock

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/mcpclient"
)

// Check compares a graph file with its lock. The findings are sorted: tools that are not
// locked, servers that differ from the locked ones and capabilities that the lock does not have,
// as warnings, and annotations of graphs that contradict those of the tools that they call, as
// errors.
func (l *Lock) Check(file *config.File, graphs []*graph.Graph) config.Diagnostics {
	var found config.Diagnostics
	servers := map[string]bool{}
	for _, g := range graphs {
		l.contradictions(&found, g)
		for _, call := range g.Calls() {
			if call.Graph != "" { // the called graph is one of graphs
				continue
			}
			e, known := l.Entry(call.Server, call.Tool)
			if !known {
				hint, near := l.notLockedHint(call.Server, call.Tool, file)
				found.Warn(call.Pos, "not-locked", fmt.Sprintf("the tool %q of server %q is not in %s", call.Tool, call.Server, l.Name), hint).
					Fixed(config.ReplaceAt(call.Pos, near))
				continue
			}
			server := serverOf(file, call.Server)
			if server == nil || servers[call.Server] || server.Identity == e.Identity {
				continue
			}
			servers[call.Server] = true
			found.Warn(server.Name.Pos, "server-changed",
				fmt.Sprintf("server %q is %q, but was %q when %s was written", call.Server, server.Identity, e.Identity, l.Name), remedyFor(file))
		}
	}
	l.exceeding(&found, file, graphs)
	found.Sort()
	return found
}

// serverOf returns the server of that name in a graph file, or nil.
func serverOf(file *config.File, name string) *config.Upstream {
	for _, server := range file.Servers {
		if server.Name.Value == name {
			return server
		}
	}
	return nil
}

func remedyFor(file *config.File) string { return "run: toolgraph lock " + file.Path }

// notLockedHint suggests the locked tool with a similar name, which it returns as well, or the server whose locked
// tool it is, before the remedy for a tool that is right.
func (l *Lock) notLockedHint(server, tool string, file *config.File) (hint, near string) {
	var own, others []string
	for _, e := range l.Entries {
		switch {
		case e.Server == server:
			own = append(own, e.Tool)
		case e.Tool == tool:
			others = append(others, strconv.Quote(e.Server))
		}
	}
	if near := wording.Nearest(tool, own); near != "" {
		return wording.Meant(near) + " If the tool is right, " + remedyFor(file), near
	}
	if len(others) > 0 {
		return fmt.Sprintf("did you mean server %s, which has it? If the server is right, %s", strings.Join(others, " or "), remedyFor(file)), ""
	}
	return remedyFor(file), ""
}

// UnknownTool returns the finding that a server, whose tools have these names, does not
// have the tool of a call.
func UnknownTool(call graph.Call, names []string) config.Diagnostic {
	const few = 8
	near := wording.Nearest(call.Tool, names)
	hint := wording.Meant(near)
	if hint == "" && 0 < len(names) && len(names) <= few {
		hint = "it has " + strings.Join(names, ", ")
	}
	found := config.Diagnostic{
		Pos: call.Pos, Code: "unknown-upstream-tool", Hint: hint,
		Message: fmt.Sprintf("server %q has no tool %q, expected one of its %d", call.Server, call.Tool, len(names)),
	}
	return *found.Fixed(config.ReplaceAt(call.Pos, near))
}

// ListedTwice returns the warning that a server lists the tool of a call with two
// definitions; none when their entries have the same hash.
func ListedTwice(call graph.Call, first, second Entry) config.Diagnostics {
	if first.Hash == second.Hash {
		return nil
	}
	var found config.Diagnostics
	found.Warn(call.Pos, "tool-listed-twice",
		fmt.Sprintf("server %q lists the tool %q twice, with different definitions (%s); the first is used", call.Server, call.Tool, strings.Join(few(first.diff(second)), ", ")),
		"have the server list it once; toolgraph lock and --locked reject it")
	return found
}

// contradictions reports annotations of a graph that promise less effects than the tools that
// it calls have, by itself or by graphs that it calls. What an upstream server claims in its
// favour changes nothing. Calls whose effect the author gives are checked without a lock.
func (l *Lock) contradictions(found *config.Diagnostics, g *graph.Graph) {
	type target struct{ server, tool string }
	seen := map[target]bool{}
	for _, reached := range g.Reached() {
		of := ""
		if reached != g {
			of = fmt.Sprintf(" of tool %q", reached.Tool.Name.Value)
		}
		for _, node := range reached.CallNodes() {
			n, isMCP := node.(*graph.MCP)
			if !isMCP || n.Effect != "" || seen[target{n.Server, n.Tool}] {
				continue
			}
			seen[target{n.Server, n.Tool}] = true
			if e, known := l.Entry(n.Server, n.Tool); known {
				contradict(found, g.Tool, fmt.Sprintf("node %q%s calls %q of server %q", n.ID(), of, n.Tool, n.Server), e.Hints())
			}
		}
	}
}

// contradict reports the annotations of a tool that contradict the hints of a call.
func contradict(found *config.Diagnostics, tool *config.Tool, call string, said Hints) {
	is := func(hint *bool, expected bool) bool { return hint != nil && *hint == expected }
	destroys := is(said.Destructive, true) && !is(said.ReadOnly, true)
	for _, c := range []struct {
		name       string
		claim      bool
		contradict bool
		effect     string
	}{
		{"readOnlyHint", true, destroys || is(said.ReadOnly, false), "not read-only"},
		{"destructiveHint", false, destroys, "destructive"},
	} {
		if own := tool.Annotations.Get(c.name); own != nil && own.Scalar == c.claim && c.contradict {
			found.Add(own.Pos, "annotation-contradicts",
				fmt.Sprintf("%s of tool %q is %t, but %s, which is %s", c.name, tool.Name.Value, c.claim, call, c.effect),
				fmt.Sprintf("set %s: %t, or call another tool", c.name, !c.claim)).Fixed(config.SayKey(own.Pos, c.name, strconv.FormatBool(!c.claim), c.name)...)
		}
	}
}

// The codes of rejected calls.
const (
	CodeChanged   = "definition-changed" // the server lists another definition than when it was locked
	CodeNotLocked = "not-locked"         // the lock does not have the tool
)

// Guard returns a check that rejects calls of tools that differ from the lock. It compares
// the definition that is known at the time of the call, whatever the graph file was
// checked with. It may be called by several goroutines.
func (l *Lock) Guard(file *config.File) mcpclient.ToolCheck {
	return func(server string, tool mcpclient.Tool) *mcpclient.Error {
		upstream := serverOf(file, server)
		was, known := l.Entry(server, tool.Name)
		if !known || upstream == nil {
			hint, _ := l.notLockedHint(server, tool.Name, file)
			return &mcpclient.Error{Code: CodeNotLocked, Message: fmt.Sprintf("not called, because %s does not have the tool", l.Name), Hint: hint}
		}
		is := Pin(upstream, tool, file.Secrets)
		// When a lock of the first format is read, the annotations of a shortened entry are
		// not checked against its hash.
		if was.Hash == is.Hash && bytes.Equal(was.Annotations, is.Annotations) {
			return nil
		}
		return &mcpclient.Error{
			Code: CodeChanged,
			Message: fmt.Sprintf("not called, because its definition changed since %s was written; review the change, then %s\n  %s",
				l.Name, remedyFor(file), strings.Join(few(was.diff(is)), "\n  ")),
		}
	}
}

// few returns the first lines, and how many more there are.
func few(lines []string) []string {
	const most = 10
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more", len(lines)-most))
}
