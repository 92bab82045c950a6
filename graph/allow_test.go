package graph

import (
	"testing"

	"toolgraph/config"
)

// The messages about refused calls name the tool, the call, the place of allow and what it has.
func TestRefusals(t *testing.T) {
	at := config.Pos{File: "graph.yaml", Line: 3, Column: 3}
	for _, c := range []struct {
		allow  Allow
		effect config.Effect
		want   string
	}{
		{Allow{}, "", ""},
		{Allow{Calls: []string{"bank.transfer"}}, "", ""},
		{Allow{Calls: []string{"bank.*"}, Effects: []config.Effect{"destroy"}}, "", ""},
		{Allow{Calls: []string{"files.*", "search.*"}}, "", `tool "x" may not call bank.transfer: allow (graph.yaml:3:3) has files.*, search.*`},
		{Allow{Calls: []string{"bank.transfe"}}, "", `tool "x" may not call bank.transfer: allow (graph.yaml:3:3) has bank.transfe`},
		{Allow{Calls: []string{}}, "", `tool "x" may not call bank.transfer: allow (graph.yaml:3:3) has no calls`},
		{Allow{Effects: []config.Effect{"read", "write"}}, "destroy", `tool "x" may not call bank.transfer, whose effect is destroy: allow (graph.yaml:3:3) has effects read, write`},
		{Allow{Effects: []config.Effect{"read"}}, "", `tool "x" may not call bank.transfer, whose effect is unknown and counts as destroy: allow (graph.yaml:3:3) has effects read`},
		{Allow{Effects: []config.Effect{}}, "read", `tool "x" may not call bank.transfer, whose effect is read: allow (graph.yaml:3:3) has no effects`},
	} {
		c.allow.Pos = at
		got := c.allow.Refusal("x", "bank", "transfer")
		if got == "" {
			got = c.allow.EffectRefusal("x", "bank", "transfer", c.effect)
		}
		if got != c.want {
			t.Errorf("%v, %q:\ngot  %s\nwant %s", c.allow, c.effect, got, c.want)
		}
	}
}
