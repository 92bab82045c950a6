package tests

import (
	"os"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// The lock has the tools that only steps of the pipeline may call: with --locked, those are called, and
// one that is not locked or has changed since is not.
func TestLockedPipeline(t *testing.T) {
	t.Parallel()
	l := newLockedGraph(t)
	src, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	more := "pipeline: {calls: [\"up.mes*\", only.events_create]}\nmcpServers:\n  only: {command: " + testbin.Build(t, "toolgraph/tests/fakeserver") + "}\n"
	l.write(strings.Replace(string(src), "mcpServers:\n", more, 1))

	// step runs a pipeline of one step after a step that counts the calls, and is refused with this message, or empty: called.
	step := func(tool, refused string) {
		t.Helper()
		request := `{"steps": [{"id": "before", "tool": "count"}, {"id": "s", "tool": "` + tool + `", "args": {"name": "x"}, "continue_on_error": true}, {"id": "after", "tool": "count"}]}`
		s := l.serve()
		got := withoutDurations(t, s.call("pipeline", request))
		s.end()
		s1, calls := got["steps"].([]any)[1].(map[string]any), got["variables"].(map[string]any)
		counted := 1.0 // count itself
		if refused == "" && strings.HasPrefix(tool, "up.") {
			counted = 2
		}
		failure, _ := s1["error"].(map[string]any)
		message, _ := failure["message"].(string)
		if calls["after"].(float64)-calls["before"].(float64) != counted || (s1["status"] == "success") != (refused == "") || !strings.Contains(message, refused) {
			t.Errorf("%s, want %q; calls %v, step %v", tool, refused, calls, s1)
		}
	}
	step("up.messages_send", "not called, because graph.lock.yaml does not have the tool")
	said := l.command(1, "lock", l.path, "--check")
	for _, want := range []string{"added only.events_create\n", "added up.messages_send\n", "is stale; run: toolgraph lock"} {
		if !strings.Contains(said, want) || strings.Count(said, "added ") != 2 {
			t.Errorf("%q is missing in %s", want, said)
		}
	}
	l.command(0, "lock", l.path)
	l.command(0, "lock", l.path, "--check")
	l.command(0, "lock", l.path, "--check", "--server", "only") // the others stay
	step("up.messages_send", "")
	step("only.events_create", "")

	l.pull(map[string]any{"messages_send": map[string]any{"name": "messages_send", "description": "other", "inputSchema": objectSchema}})
	if said := l.command(1, "lock", l.path, "--check"); !strings.Contains(said, "changed up.messages_send\n") {
		t.Errorf("--check says %s", said)
	}
	step("up.messages_send", "not called, because its definition changed since graph.lock.yaml was written")

	l.pull(map[string]any{"message": map[string]any{"name": "message", "inputSchema": objectSchema}})
	if said := l.command(1, "lock", l.path, "--check"); !strings.Contains(said, "added up.message\n") {
		t.Errorf("--check says %s", said)
	}
}
