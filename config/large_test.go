package config

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLargeFilesAreQuick holds that what makes one thing of every value, or compares
// each with all others, stays quick at the limits.
func TestLargeFilesAreQuick(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	servers := func(env string) string {
		return head + "mcpServers: {" + strings.TrimSuffix(many(400, "s%d: {command: x, env: "+env+"},"), ",") + "}\n"
	}
	var chain strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&chain, "  - {id: n%d, type: transform, next: n%d}\n", i, i+1)
	}
	for name, src := range map[string]string{
		"unset variables":     servers("{" + strings.TrimSuffix(many(25, `"A%d": "x ${NONE} ${NONE}",`), ",") + "}"),
		"many in one":         head + "mcpServers: {s: {command: x, args: [\"" + strings.Repeat("${NONE}", 140_000) + "\"]}}\n",
		"long values":         head + "mcpServers: {s: {command: x, args: [\"" + strings.Repeat("${LONG}", 140_000) + "\"]}}\n",
		"secrets":             servers("{" + strings.TrimSuffix(many(25, `"TOKEN%d": "secret-value-of-it",`), ",") + "}"),
		"unknown keys":        head + "tools:\n" + many(6000, "  - {nam: %d, tittle: x, zzzzzzzzzzzz: y}\n"),
		"tools without nodes": head + "tools:\n" + many(4000, "  - {name: t%d}\n") + "nodes:\n" + many(4000, "  - {id: n%d, type: entry, tool: tx}\n"),
		"a chain of all":      head + "tools:\n" + many(2500, "  - {name: t%d, entryNode: n0}\n") + "nodes:\n" + chain.String(),
		"duplicate ids":       head + "tools: [{name: t, nodes: [" + strings.Repeat("{id: a, type: exit},", 9000) + "]}]\n",
		"conditions":          head + "tools: [{name: t, nodes: [{id: a, type: switch, conditions: [" + strings.Repeat("{target: a},", 15_000) + "]}]}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			within(t, 10*time.Second, func() {
				f, err := Parse("g.yaml", []byte(src), Options{LookupEnv: environment("LONG", strings.Repeat("x", 10_000))})
				if f != nil {
					f.Secrets.Redact("some text with secret-value-of-it")
				} else if err == nil {
					t.Error("nothing comes back")
				}
			})
		})
	}
}
