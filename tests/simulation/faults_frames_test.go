package simulation

import (
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/execution"
)

// A recursion whose condition never ends it is a limit at the depth that the file allows, which shows the ring
// of tools; forEach, branches and rings of several tools alike.
func TestF11EndlessRecursion(t *testing.T) {
	const main = `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: down}
  - {id: down, type: graph, tool: walk, args: {n: 1}, next: exit}
  - {id: exit, type: exit}
`
	walk := func(name, down string) string {
		return strings.NewReplacer("NAME", name, "DOWN", down).Replace(`- name: NAME
  description: made
  inputSchema: {type: object}
  hidden: true
  nodes:
  - {id: entry, type: entry, next: ends}
  - {id: ends, type: switch, conditions: [{rule: {"==": [{var: $.entry.end}, true]}, next: exit}], next: down}
  - {id: down, DOWN, next: exit}
  - {id: exit, type: exit}
`)
	}
	for name, c := range map[string]struct {
		limits, tools string
		depth         int
		ring          string
	}{
		"itself":     {"", walk("walk", "type: graph, tool: walk, onError: {}"), 16, "main → walk → walk"},
		"at depth 3": {"maxDepth: 3", walk("walk", "type: graph, tool: walk"), 3, "main → walk → walk"},
		"two tools":  {"", walk("walk", "type: graph, tool: back") + walk("back", "type: graph, tool: walk"), 16, "walk → back → walk"},
		"forEach":    {"", walk("walk", "type: graph, tool: walk, forEach: {items: '[1]'}"), 16, "main → walk → walk"},
		"a branch":   {"", walk("walk", "type: parallel, branches: {a: {type: graph, tool: walk}, b: {type: graph, tool: walk}}"), 16, "main → walk → walk"},
	} {
		t.Run(name, func(t *testing.T) {
			s := file(t, c.limits, main+c.tools, nil)
			s.maxDepth = c.depth
			synctest.Test(t, func(t *testing.T) {
				w, l := s.reference(t.Context())
				w.clean(t)
				f := failureIn(t, l.err)
				if f.Code != execution.CodeLimit || !strings.Contains(f.Message, "maxDepth") || !strings.Contains(f.Message, c.ring) {
					t.Errorf("the run ended with %s: %v", f.Code, l.err)
				}
				if u := used(w.events); u.depth != c.depth {
					t.Errorf("frames were %d deep, want %d", u.depth, c.depth)
				}
			})
		})
	}
}
