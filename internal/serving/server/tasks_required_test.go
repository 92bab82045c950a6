package server

import (
	"net/http"
	"strings"
	"testing"
)

// A call of a tool that needs a task is refused before anything runs, unless its client takes one.
func TestTaskRequired(t *testing.T) {
	const (
		call     = `"name":"do","arguments":{},`
		required = `"code":-32021,"message":"tool \"do\" runs as a task (task: required)`
		data     = `"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	)
	needing := func(with Tasks) *bench {
		return newBench(t, func(o *Options) {
			do := toolOf(t, "do", "", "")
			do.Def.NeedsTask = true
			o.Tools, o.Tasks = append(o.Tools, do), with
		})
	}
	b := needing(&fakeTasks{})
	h := serveSite(t, b.server, HTTPOptions{})
	post := func(meta string) (int, string) {
		return h.post(request("tools/call", call, meta), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: do")
	}
	stdio := connect(t, b.server)
	for _, meta := range []string{plainMeta, earlierMeta} {
		if status, got := post(meta); status != http.StatusBadRequest || !strings.Contains(got, required) || !strings.Contains(got, data) {
			t.Errorf("%d %s", status, got)
		}
		stdio.send(request("tools/call", call, meta))
		if got := stdio.next(); !strings.Contains(got, required) || !strings.Contains(got, data) {
			t.Error(got)
		}
	}
	if status, got := post(tasksMeta); status != http.StatusOK || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("with the extension: %d %s", status, got)
	}
	legacy := connect(t, b.server)
	legacy.send(askingInit)
	legacy.next()
	legacy.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do","arguments":{}}}`)
	if got := legacy.next(); !strings.Contains(got, required) || !strings.Contains(got, "protocol 2026-07-28") {
		t.Errorf("legacy: %s", got)
	}
	without := connect(t, needing(nil).server)
	without.send(request("tools/call", call, tasksMeta))
	if got := without.next(); !strings.Contains(got, `"code":-32603,"message":"tool \"do\" runs as a task (task: required), and this server has no tasks`) {
		t.Errorf("without tasks: %s", got)
	}
}
