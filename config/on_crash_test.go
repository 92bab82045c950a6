package config

import (
	"errors"
	"strings"
	"testing"
)

const crashing = `mcpServers:
  a: {command: a, trusted: true}
  b: {command: b}
tools:
- name: t
  description: d
  nodes:
  - {id: entry, type: entry, next: x}
  - {id: x, type: mcp, server: a, tool: t, onCrash: rerun, next: y}
  - {id: y, type: mcp, server: b, tool: t, onCrash: stop, next: z}
  - {id: z, type: mcp, server: b, tool: t, next: exit}
  - {id: exit, type: exit}
`

func TestOnCrash(t *testing.T) {
	f, err := Parse("g.yaml", []byte(head+crashing), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !f.Servers[0].Trusted || f.Servers[1].Trusted {
		t.Error("trusted is not what the file says")
	}
	for i, want := range []OnCrash{"", RerunCall, StopRun, "", ""} {
		if got := f.Tools[0].Nodes[i].OnCrash; got != want {
			t.Errorf("onCrash of node %d is %q, want %q", i, got, want)
		}
	}
}

func TestOnCrashMistakes(t *testing.T) {
	for written, want := range map[string]string{
		"rerunn": `onCrash of mcp node "x" is "rerunn", expected rerun or stop`,
		"5":      `onCrash of mcp node "x" is the number 5, expected text`,
		"[stop]": `onCrash of mcp node "x" is a list, expected text`,
		`""`:     `onCrash of mcp node "x" is "", expected rerun or stop`,
	} {
		_, err := Parse("g.yaml", []byte(head+strings.Replace(crashing, "rerun", written, 1)), Options{})
		var found Diagnostics
		_ = errors.As(err, &found)
		if len(found) != 1 || found[0].Message != want {
			t.Errorf("%s: got %v, want %s", written, err, want)
		}
	}
}
