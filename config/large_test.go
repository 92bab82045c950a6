package config

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

// repeat writes a format with the numbers below n.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// inFlow is repeat for the items of a list in [ ] or a mapping in { }.
func inFlow(n int, format string) string { return strings.TrimSuffix(repeat(n, format), ",") }

// TestLargeFilesCostLittle holds that what makes one thing of every value, or compares
// each with all others, costs no more than a file is long.
func TestLargeFilesCostLittle(t *testing.T) {
	servers := func(n int, env string) string {
		return head + "mcpServers: {" + inFlow(n, "s%d: {command: x, env: {"+env+"}},") + "}\n"
	}
	oneArg := func(text string) string { return head + "mcpServers: {s: {command: x, args: [\"" + text + "\"]}}\n" }
	for name, c := range map[string]struct {
		n   int
		src func(n int) string
	}{
		"unset variables": {100, func(n int) string { return servers(n, inFlow(25, `"A%d": "x ${NONE} ${NONE}",`)) }},
		"many in one":     {5000, func(n int) string { return oneArg(strings.Repeat("${NONE}", n)) }},
		"long values":     {5000, func(n int) string { return oneArg(strings.Repeat("${LONG}", n)) }},
		"secrets":         {100, func(n int) string { return servers(n, inFlow(25, `"TOKEN%d": "secret-value-of-it",`)) }},
		"unknown keys": {1000, func(n int) string {
			return head + "tools:\n" + repeat(n, "  - {nam: %d, tittle: x, zzzzzzzzzzzz: y}\n")
		}},
		"tools without nodes": {1000, func(n int) string {
			return head + "tools:\n" + repeat(n, "  - {name: t%d}\n") + "nodes:\n" + repeat(n, "  - {id: n%d, type: entry, tool: tx}\n")
		}},
		"a chain of all": {500, func(n int) string {
			var chain strings.Builder
			for i := range n {
				fmt.Fprintf(&chain, "  - {id: n%d, type: transform, next: n%d}\n", i, i+1)
			}
			return head + "tools:\n" + repeat(n, "  - {name: t%d, entryNode: n0}\n") + "nodes:\n" + chain.String()
		}},
		"duplicate ids": {2000, func(n int) string {
			return head + "tools: [{name: t, nodes: [" + strings.Repeat("{id: a, type: exit},", n) + "]}]\n"
		}},
		"conditions": {2000, func(n int) string {
			return head + "tools: [{name: t, nodes: [{id: a, type: switch, conditions: [" + strings.Repeat("{target: a},", n) + "]}]}]\n"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			long := strings.Repeat("x", 10_000)
			cost.Linear(t, c.n, func(n int) func() {
				src := []byte(c.src(n))
				return func() {
					f, err := Parse("g.yaml", src, Options{LookupEnv: environment("LONG", long)})
					if f != nil {
						f.Secrets.Redact("some text with secret-value-of-it")
					} else if err == nil {
						t.Error("nothing comes back")
					}
				}
			})
		})
	}
}
