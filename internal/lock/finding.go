package lock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/wording"
)

// Check is what a graph file and its lock say against each other, sorted: tools that
// are not locked and servers that are not those that were, as warnings, and annotations
// of graphs that contradict what the lock knows of the tools that they call, as errors.
func (l *Lock) Check(file *config.File, graphs []*graph.Graph) config.Diagnostics {
	var found config.Diagnostics
	remedy := remedyFor(file)
	servers := map[string]bool{}
	for _, g := range graphs {
		for _, call := range g.Calls() {
			e, known := l.Entry(call.Server, call.Tool)
			if !known {
				found.Warn(call.Pos, "not-locked", fmt.Sprintf("the tool %q of server %q is not in %s", call.Tool, call.Server, l.Name), l.meant(call.Server, call.Tool, remedy))
				continue
			}
			contradictions(&found, g, call, e)
			i := slices.IndexFunc(file.Servers, func(u *config.Upstream) bool { return u.Name.Value == call.Server })
			if i < 0 || servers[call.Server] || file.Servers[i].Identity == e.Identity {
				continue
			}
			servers[call.Server] = true
			found.Warn(file.Servers[i].Name.Pos, "server-changed",
				fmt.Sprintf("server %q is %q, and was %q when %s was written", call.Server, file.Servers[i].Identity, e.Identity, l.Name), remedy)
		}
	}
	found.Sort()
	return found
}

func remedyFor(file *config.File) string { return "run: toolgraph lock " + file.Path }

// meant is the hint for a tool that is not locked: the locked one whose name it nearly has,
// or the server whose locked tool it is, before the remedy for a tool that is right.
func (l *Lock) meant(server, tool, remedy string) string {
	var near, elsewhere []string
	for _, e := range l.Entries {
		switch {
		case e.Server == server:
			near = append(near, e.Tool)
		case e.Tool == tool:
			elsewhere = append(elsewhere, strconv.Quote(e.Server))
		}
	}
	switch name := wording.Nearest(tool, near); {
	case name != "":
		return fmt.Sprintf("did you mean %q? If the tool is right, %s", name, remedy)
	case len(elsewhere) > 0:
		return fmt.Sprintf("did you mean server %s, which has it? If the server is right, %s", strings.Join(elsewhere, " or "), remedy)
	}
	return remedy
}

// UnknownTool is the finding that a server, whose tools have these names, does not have
// the one that is called.
func UnknownTool(call graph.Call, names []string) config.Diagnostic {
	const few = 8
	hint := ""
	if near := wording.Nearest(call.Tool, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if 0 < len(names) && len(names) <= few {
		hint = "it has " + strings.Join(names, ", ")
	}
	return config.Diagnostic{
		Pos: call.Pos, Code: "unknown-upstream-tool", Hint: hint,
		Message: fmt.Sprintf("server %q has no tool %q, expected one of its %d", call.Server, call.Tool, len(names)),
	}
}

// ListedTwice is the warning that a server lists the tool of a call with two definitions;
// none when they are pinned alike.
func ListedTwice(call graph.Call, first, second Entry) config.Diagnostics {
	if first.Hash == second.Hash {
		return nil
	}
	var found config.Diagnostics
	found.Warn(call.Pos, "tool-listed-twice",
		fmt.Sprintf("server %q lists the tool %q twice, with different definitions (%s); the first is used", call.Server, call.Tool, strings.Join(few(first.diff(second)), ", ")),
		"have the server list it once; toolgraph lock and --locked refuse it")
	return found
}

// contradictions are the annotations of a graph that say less of its effects than its
// own tools do. What an upstream claims to its own credit changes nothing.
func contradictions(found *config.Diagnostics, g *graph.Graph, call graph.Call, e Entry) {
	ours := g.Tool.Annotations
	said := e.Hints()
	theirs := fmt.Sprintf("node %q calls %q of server %q", call.Node, call.Tool, call.Server)
	destroys := holds(said.Destructive) && !holds(said.ReadOnly)
	if own := ours.Get("readOnlyHint"); own != nil && own.Scalar == true && (destroys || denied(said.ReadOnly)) {
		found.Add(own.Pos, "annotation-contradicts",
			fmt.Sprintf("readOnlyHint of tool %q is true, but %s, which is not read-only", g.Tool.Name.Value, theirs), "say readOnlyHint: false, or call another tool")
	}
	if own := ours.Get("destructiveHint"); own != nil && own.Scalar == false && destroys {
		found.Add(own.Pos, "annotation-contradicts",
			fmt.Sprintf("destructiveHint of tool %q is false, but %s, which is destructive", g.Tool.Name.Value, theirs), "say destructiveHint: true, or call another tool")
	}
}

func holds(hint *bool) bool { return hint != nil && *hint }

func denied(hint *bool) bool { return hint != nil && !*hint }
