package tests

import (
	"os"
	"strings"
	"testing"
)

// What hosts see of run_plan is the worst that plans may do: by effects, and under a lock by what is locked.
func TestAnnotationsOfPlans(t *testing.T) {
	t.Parallel()
	for plan, want := range map[string]string{
		`plan: {calls: ["up.*"]}`:                         `{"readOnlyHint":false,"destructiveHint":true}`,
		`plan: {calls: ["up.*"], effects: [read, write]}`: `{"readOnlyHint":false,"destructiveHint":false}`,
		`plan: {calls: ["up.*"], effects: [read]}`:        `{"readOnlyHint":true,"destructiveHint":false}`,
	} {
		s := start(t, exposing+plan)
		if got := string(listedTools(t, s)["run_plan"]); !strings.Contains(got, `"annotations":`+want) {
			t.Errorf("%s: %s", plan, got)
		}
	}
	l := newLockedGraph(t)
	src, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	l.write(strings.Replace(string(src), "mcpServers:\n", "plan: {calls: [\"up.mes*\"], tools: []}\nmcpServers:\n", 1))
	l.pull(map[string]any{"messages_send": map[string]any{"name": "messages_send", "inputSchema": objectSchema, "annotations": map[string]any{"readOnlyHint": true}}})
	l.command(0, "lock", l.path)
	s := l.serve()
	if got := string(listedTools(t, s)["run_plan"]); !strings.Contains(got, `"readOnlyHint":true`) {
		t.Errorf("only reading tools are locked: %s", got)
	}
	s.end()
}
