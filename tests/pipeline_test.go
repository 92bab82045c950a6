package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// community serves a pipeline over the tools of a stand-in server: as tools of the file, or as tools of
// the server itself. called returns the calls that the server has counted.
func community(t *testing.T, form string) (s *session, called func() []string) {
	t.Helper()
	diary := filepath.Join(t.TempDir(), "diary")
	graph := "server: {name: community, version: 1.0.0}\n" +
		"mcpServers: {discord: {command: $FAKE, args: [diary=" + diary + "]}}\n"
	if form == "server" {
		graph += "pipeline: {name: mcp_pipeline, calls: [\"discord.m*\", discord.events_create]}\n"
	} else {
		args := ""
		for _, name := range []string{"channel_id", "name", "description", "entity_type", "entity_metadata"} {
			args += name + ": {expr: $.entry." + name + "}, "
		}
		graph += "pipeline: {name: mcp_pipeline}\ntools:\n"
		for _, tool := range []string{"messages_send", "events_create", "members_add_role"} {
			graph += "  - name: " + tool + "\n    inputSchema: {type: object}\n    nodes:\n" +
				"      - {id: entry, type: entry, next: call}\n" +
				"      - {id: call, type: mcp, server: discord, tool: " + tool + ", args: {" + args + "}, next: exit}\n" +
				"      - {id: exit, type: exit}\n"
		}
	}
	s = start(t, graph)
	return s, func() []string {
		text, _ := os.ReadFile(diary)
		var calls []string
		for line := range strings.Lines(string(text)) {
			if call, isCall := strings.CutPrefix(strings.TrimSpace(line), "called "); isCall {
				calls = append(calls, call)
			}
		}
		return calls
	}
}

var announceEventGrant = strings.NewReplacer("\n", "", "\t", "").Replace(`{"steps": [
	{"id": "announce", "tool": "messages_send", "args": {"channel_id": "400000000000000001", "content": "The open house begins at five. Answer with :key: to come."}},
	{"id": "event", "tool": "events_create", "args": {"guild_id": "700000000000000002", "name": "Open house — June 3",
		"scheduled_start_time": "2026-06-03T17:00:00Z", "scheduled_end_time": "2026-06-03T18:00:00Z", "entity_type": 3, "privacy_level": 2,
		"entity_metadata": {"location": "https://chat.example/channels/700000000000000002/400000000000000001/{{announce.message_id}}"},
		"description": "See message {{announce.message_id}}"}},
	{"id": "grant", "tool": "members_add_role", "args": {"guild_id": "700000000000000002", "user_id": "310000000000000003", "role_id": "120000000000000004"}}]}`)

// withoutDurations decodes a result of a pipeline, after a look at its durations: the total is their sum.
func withoutDurations(t *testing.T, r toolResult) map[string]any {
	t.Helper()
	if r.text(t) != string(r.Structured) {
		t.Errorf("the text differs from structuredContent:\n%s\n%s", r.text(t), r.Structured)
	}
	var out map[string]any
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, step := range out["steps"].([]any) {
		step := step.(map[string]any)
		sum += step["duration_ms"].(float64)
		delete(step, "duration_ms")
	}
	if out["total_duration_ms"] != sum {
		t.Errorf("total_duration_ms is %v, the steps took %v", out["total_duration_ms"], sum)
	}
	delete(out, "total_duration_ms")
	return out
}

func decoded(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSeed004AnnounceEventGrant(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"file", "server"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s, called := community(t, form)
			r := s.call("mcp_pipeline", announceEventGrant)
			grant := `{"id": "grant", "tool": "members_add_role", "status": "success"}`
			variables := `{"announce": {"message_id": "900000000000000005", "channel_id": "400000000000000001"},
				"event": {"event_id": "770000000000000006", "name": "Open house — June 3"}}`
			want := decoded(t, `{"steps": [
				{"id": "announce", "tool": "messages_send", "status": "success", "result": {"message_id": "900000000000000005", "channel_id": "400000000000000001"}},
				{"id": "event", "tool": "events_create", "status": "success", "result": {"event_id": "770000000000000006", "name": "Open house — June 3"}},
				`+grant+`], "variables": `+variables+`, "aborted": false}`)
			if got := withoutDurations(t, r); r.IsError || !reflect.DeepEqual(got, want) {
				t.Errorf("isError %v, got %v\nwant %v", r.IsError, got, want)
			}
			calls := called()
			if len(calls) != 3 {
				t.Fatalf("the server has counted %q", calls)
			}
			tool, args, _ := strings.Cut(calls[1], " ")
			event := decoded(t, args)
			location := event["entity_metadata"].(map[string]any)["location"]
			if tool != "events_create" || event["entity_type"] != 3.0 || event["description"] != "See message 900000000000000005" ||
				location != "https://chat.example/channels/700000000000000002/400000000000000001/900000000000000005" {
				t.Errorf("the second call is %s", calls[1])
			}
		})
	}
}

func TestF24SecondStepFails(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"file", "server"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s, called := community(t, form)
			failing := strings.Replace(announceEventGrant, "Open house — June 3", "fail", 1)
			announced := map[string]any{"message_id": "900000000000000005", "channel_id": "400000000000000001"}
			check := func(request string, aborted bool, grant string, calls int) {
				t.Helper()
				r := s.call("mcp_pipeline", request)
				got := withoutDurations(t, r)
				steps := got["steps"].([]any)
				event := steps[1].(map[string]any)
				failure, _ := event["error"].(map[string]any)
				message, _ := failure["message"].(string)
				if event["status"] != "error" || failure["code"] != "tool-error" || !strings.Contains(message, "Missing Permissions") || event["result"] != nil {
					t.Errorf("the second step is %v", event)
				}
				if last := steps[2].(map[string]any); last["status"] != grant {
					t.Errorf("the third step is %v, want %s", last, grant)
				}
				if want := map[string]any{"announce": announced}; !reflect.DeepEqual(got["variables"], want) {
					t.Errorf("variables are %v, want %v", got["variables"], want)
				}
				if got["aborted"] != aborted || r.IsError != aborted || got["error"] != nil {
					t.Errorf("aborted %v, isError %v, error %v; want aborted %v", got["aborted"], r.IsError, got["error"], aborted)
				}
				if n := len(called()); n != calls {
					t.Errorf("the server has counted %d calls, want %d", n, calls)
				}
			}
			check(failing, true, "skipped", 2)
			check(strings.Replace(failing, `"id": "event",`, `"id": "event", "continue_on_error": true,`, 1), false, "success", 5)
		})
	}
}

func TestF25RefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	s, called := community(t, "server")
	send := `{"tool": "messages_send", "args": {"channel_id": "1"}}`
	for request, code := range map[string]string{
		`{"steps": [` + send + strings.Repeat(`,`+send, 20) + `]}`:                                           "PIPELINE_INVALID",
		`{"steps": [` + send + `, {"tool": "mcp_pipeline", "args": {}}]}`:                                    "PIPELINE_RECURSION",
		`{"steps": [` + send + `, {"tool": "discord.mnone"}]}`:                                               "PIPELINE_INVALID",
		`{"steps": [` + send + `, {"id": "x", "tool": "messages_send", "args": {"channel_id": "{{y.z}}"}}]}`: "PIPELINE_INVALID",
	} {
		r := s.call("mcp_pipeline", request)
		got := withoutDurations(t, r)
		failure, _ := got["error"].(map[string]any)
		if failure["code"] != code || got["aborted"] != true || !r.IsError || strings.Contains(string(r.Structured), `"success"`) {
			t.Errorf("%s\ngot %s", request, r.Structured)
		}
	}
	if calls := called(); len(calls) > 0 {
		t.Errorf("the server has counted %q", calls)
	}
}

func TestF26ServerToolOutsideCalls(t *testing.T) {
	t.Parallel()
	s, called := community(t, "server")
	r := s.call("mcp_pipeline", `{"steps": [{"tool": "messages_send", "args": {"channel_id": "1"}}, {"id": "other", "tool": "discord.echo"}]}`)
	got := withoutDurations(t, r)
	failure, _ := got["error"].(map[string]any)
	step, _ := got["steps"].([]any)[1].(map[string]any)
	if failure["code"] != "PIPELINE_INVALID" || !reflect.DeepEqual(step["error"], failure) || step["status"] != "skipped" ||
		!strings.Contains(failure["message"].(string), "discord.echo is not among calls of the pipeline") {
		t.Errorf("got %s", r.Structured)
	}
	if calls := called(); len(calls) > 0 {
		t.Errorf("the server has counted %q", calls)
	}
}

// A cancelled request gets no answer, later steps are not run, and the steps until then are recorded.
func TestCancelledPipeline(t *testing.T) {
	t.Parallel()
	g, state := newGate(t), t.TempDir()
	f := newGraphFile(t, g.holding("")+"pipeline: {calls: [up.*]}\n")
	s := startCommand(t, nil, "serve", f.path, "--state", state)
	s.handshake()
	id, answer := s.sendCall("pipeline", `{"steps": [{"id": "a", "tool": "trivial"}, {"id": "b", "tool": "up.hold", "args": {"n": 1}}, {"id": "c", "tool": "up.hold", "args": {"n": 2}}]}`)
	g.wait("in ", 1)
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	bin := testbin.Build(t, "toolgraph")
	eventually(t, "the run is cancelled", func() bool {
		return strings.Contains(output(t, bin, "runs", "list", "--state", state), "cancelled")
	})
	g.open()
	s.request("ping", `{}`)
	if s.end(); len(answer) > 0 || len(g.lines("in ")) != 1 {
		t.Errorf("%d answers, calls %q", len(answer), g.lines("in "))
	}
	shown := compact(t, output(t, bin, "runs", "show", "last", "--format", "json", "--state", state))
	for _, want := range []string{`"tool":"pipeline"`, `"status":"cancelled"`, `"nodeId":"a"`, `"nodeId":"b"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %s in %s", want, shown)
		}
	}
}
