package page

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolgraph/internal/debugger/debug"
)

// A condition that is no expression is refused with its place, and nothing changes.
func TestConditionRefused(t *testing.T) {
	c := open(t, nil)
	c.breakAt("count", `{"node": "add", "condition": "$.add > 3"}`)
	for body, want := range map[string]string{
		`{"node": "add", "condition": "$.add >"}`:                             `"offset":7`,
		`{"node": "add", "condition": "$.add > (1 + 2"}`:                      `"caret":"$.add > (1 + 2\n        ^"`,
		`{"node": "nowhere"}`:                                                 `no node`,
		`{"node": "add", "condition": "` + strings.Repeat("1+", 3000) + `1"}`: `expected at most 4096`,
	} {
		status, answer := c.ask("PUT", "/api/breakpoints/count", body)
		if status != http.StatusUnprocessableEntity || !strings.Contains(answer, want) {
			t.Errorf("%.60s: %d %s, want %s", body, status, answer, want)
		}
	}
	if got := good[breakpointsJSON](c, "GET", "/api/breakpoints/count", ""); fmt.Sprint(got.Breakpoints) != "[{add $.add > 3 false false}]" {
		t.Errorf("the breakpoints are %v", got.Breakpoints)
	}
	if status, _ := c.ask("PUT", "/api/breakpoints/none", `{"node": "x"}`); status != http.StatusNotFound {
		t.Errorf("an unknown tool: %d", status)
	}
}

// The breakpoints of all tools are listed, also of a tool that the file does not have any more: that can be removed.
func TestBreakpointsOfAllTools(t *testing.T) {
	c := open(t, nil)
	list := func(want string) {
		t.Helper()
		if _, got := c.ask("GET", "/api/breakpoints", ""); strings.TrimSpace(got) != want {
			t.Errorf("listed\n%s, want\n%s", got, want)
		}
	}
	list(`{"tools":[]}`)
	c.breakAt("fail", `{"node": "bad"}`)
	c.breakAt("count", `{"node": "add", "condition": "$.add > 3"}`)
	good[any](c, "PUT", "/api/breakpoints/none", `{"node": "x", "removed": true}`)
	const add = `{"tool":"count","breakpoints":[{"node":"add","condition":"$.add > 3","disabled":false}]}`
	list(`{"tools":[` + add + `,{"tool":"fail","breakpoints":[{"node":"bad","condition":"","disabled":false}]}]}`)
	c.server.breaks.change("gone", debug.Breakpoint{Node: "x"}, false)
	good[any](c, "PUT", "/api/breakpoints/fail", `{"node": "bad", "removed": true}`)
	list(`{"tools":[` + add + `,{"tool":"gone","breakpoints":[{"node":"x","condition":"","disabled":false}]}]}`)
	good[any](c, "PUT", "/api/breakpoints/gone", `{"node": "x", "removed": true}`)
	list(`{"tools":[` + add + `]}`)
}

// What one page sets, another has, a run in progress obeys, and a run of a caller as well.
func TestBreakpointsAreShared(t *testing.T) {
	c := open(t, nil)
	var from string
	c.listen("", func(id, _, _ string) bool {
		from = id
		return true
	})
	id := c.start(`{"tool": "count", "args": {"n": 5}, "pause": true}`)
	c.until(id, "paused")
	c.breakAt("count", `{"node": "more"}`)
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	if held := c.until(id, "paused"); held.Next.Node != "more" || held.PausedBy != "breakpoint" {
		t.Errorf("held %+v", held)
	}
	if got := c.breakAt("count", `{"node": "add", "disabled": true}`); len(got) != 2 || !got[1].Disabled {
		t.Errorf("the breakpoints are %+v", got)
	}
	if got := c.breakAt("count", `{"node": "more", "removed": true}`); len(got) != 1 {
		t.Errorf("the breakpoints are %+v", got)
	}
	good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "resume"}`)
	c.until(id, "finished")
	var heard []string
	c.listen(from, func(_, kind, data string) bool {
		if kind == "breakpoints" {
			heard = append(heard, data)
		}
		return len(heard) == 3
	})
	if want := `{"tool":"count","breakpoints":[{"node":"add","condition":"","disabled":true}]}`; heard[2] != want {
		t.Errorf("the last event is %s, want %s", heard[2], want)
	}
}
