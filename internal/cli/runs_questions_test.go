package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"toolgraph/internal/program"
)

// questioned is a run as a file: its user has filled in a form, agreed to a call and to the calls of a
// forEach, and was asked what the run still waits for. MESSAGE and DIGEST are replaced.
const questioned = `{"toolgraphRun": 1, "run": {"id": "RUN", "file": "graph.yaml", "server": "s"}, "events": [
	{"kind": "run-started", "run": "RUN", "time": "2026-01-02T03:04:05Z", "start": {"tool": "tool", "graph": "hash", "args": {"a": 1}}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 0, "nodeId": "entry", "nodeType": "entry", "output": {"a": 1}}},
	{"kind": "question-asked", "run": "RUN", "time": "2026-01-02T03:04:06Z", "step": {"executionIndex": 1, "nodeId": "sure", "nodeType": "ask"}, "question": {"message": "MESSAGE", "digest": "d1"}},
	{"kind": "answered", "run": "RUN", "time": "2026-01-02T03:04:07Z", "step": {"executionIndex": 1, "nodeId": "sure", "nodeType": "ask"}, "answer": {"action": "accept", "digest": "d1", "content": {"keepNewest": true, "why": "MESSAGE"}}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 1, "nodeId": "sure", "nodeType": "ask", "output": {"keepNewest": true, "why": "MESSAGE"}}},
	{"kind": "question-asked", "run": "RUN", "time": "2026-01-02T03:04:08Z", "step": {"executionIndex": 2, "nodeId": "each", "nodeType": "mcp", "server": "up", "tool": "rm"}, "question": {"message": "Two MESSAGE", "digest": "DIGEST", "calls": 2, "server": "up", "tool": "rm", "effect": "destroy"}},
	{"kind": "answered", "run": "RUN", "time": "2026-01-02T03:04:09Z", "step": {"executionIndex": 2, "nodeId": "each", "nodeType": "mcp"}, "answer": {"action": "accept", "digest": "DIGEST"}},
	{"kind": "parts-started", "run": "RUN", "step": {"executionIndex": 2, "nodeId": "each", "nodeType": "mcp"}, "parts": {"count": 1, "digest": "d"}},
	{"kind": "call-started", "run": "RUN", "step": {"executionIndex": 2, "part": "0", "nodeId": "each", "nodeType": "mcp", "server": "up", "tool": "rm", "digest": "x"}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 2, "part": "0", "nodeId": "each", "nodeType": "mcp", "output": 1, "confirmed": {"at": "2026-01-02T03:04:09Z", "digest": "DIGEST"}}},
	{"kind": "step-finished", "run": "RUN", "record": {"executionIndex": 2, "nodeId": "each", "nodeType": "mcp", "output": [1], "parts": 1}},
	{"kind": "question-asked", "run": "RUN", "time": "2026-01-02T03:04:10Z", "step": {"executionIndex": 3, "nodeId": "last", "nodeType": "ask"}, "question": {"message": "Last MESSAGE", "digest": "d3"}}]}`

// TestShownQuestions: the questions of a run, its answers and confirmations are shown, and nothing of
// them is raw on the terminal.
func TestShownQuestions(t *testing.T) {
	dir := t.TempDir()
	hostile := strings.NewReplacer("MESSAGE", `a\u001b[2J\nb\u202e\u0007`, "DIGEST", "d2").Replace(questioned)
	var file exported
	if err := json.Unmarshal([]byte(hostile), &file); err != nil {
		t.Fatal(err)
	}
	store := openStore(t, dir) // as the process of the run has it
	if err := store.Import(t.Context(), file.Run, file.Events); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Run(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	for _, args := range append(looks[:len(looks)-1:len(looks)-1],
		[]string{"runs", "show", "RUN", "--step", "1"}, []string{"runs", "show", "RUN", "--step", "2.0", "--full"},
		[]string{"runs", "list", "--status", "waiting"}, []string{"inspect", "read_run", "run=RUN"}, []string{"inspect", "list_runs"}) {
		command(t, dir, nil, args...)
	}
	for want, args := range map[string][]string{
		"waiting: Last a\\x1b[2J":                              {"runs", "list"},
		"(accepted: a\\x1b[2J":                                 {"runs", "show", "RUN"},
		"1  (confirmed)":                                       {"runs", "show", "RUN"},
		"step 3, node last, has waited for an answer since":    {"runs", "show", "RUN"},
		"the run continues when its user answers":              {"runs", "show", "RUN"},
		"\naccepted at 2026-":                                  {"runs", "show", "RUN", "--step", "1"},
		`: {"keepNewest":true,"why":"a\u001b`:                  {"runs", "show", "RUN", "--step", "1"},
		", digest d2\n":                                        {"runs", "show", "RUN", "--step", "2.0"},
		"confirmed by the user at 2026-":                       {"runs", "show", "RUN", "--step", "2.0"},
		"  | Two a":                                            {"runs", "show", "RUN", "--step", "2.0"},
		`"action": "accept"`:                                   {"runs", "show", "RUN", "--step", "1", "-f", "json"},
		`"status": "waiting"`:                                  {"runs", "list", "--status", "waiting", "-f", "json"},
		"no runs":                                              {"runs", "list", "--status", "running"},
		"cannot read graph.yaml":                               {"resume", "RUN"}, // it would ask here
		"is running; only runs that have ended can be deleted": {"runs", "rm", "RUN"},
	} {
		if _, out, errs := command(t, dir, nil, args...); !strings.Contains(out+errs, want) {
			t.Errorf("%q does not print %q:\n%s%s", args, want, out, errs)
		}
	}
}

// A result of which the client got a summary says how long it is.
func TestShownSpill(t *testing.T) {
	dir := t.TempDir()
	src := strings.Replace(importable, `"end": {"failure": {"code": "tool", "nodeId": "call", "message": "no"}}`, `"end": {"value": 1, "spilled": 70000}`, 1)
	if code, _, errs := command(t, dir, strings.NewReader(src), "runs", "import", "-"); code != program.ExitOK {
		t.Fatal(errs)
	}
	for want, args := range map[string][]string{
		"spilled    the result has 70000 bytes, more than maxResultBytes: the client got a summary\n": {"runs", "show", "RUN"},
		`"spilled": 70000`: {"runs", "list", "-f", "json"},
	} {
		if _, out, errs := command(t, dir, nil, args...); !strings.Contains(out, want) {
			t.Errorf("%q does not print %q:\n%s%s", args, want, out, errs)
		}
	}
}

// A confirmation is compared by address: another digest, or none, is a difference.
func TestDifferentConfirmations(t *testing.T) {
	dir := t.TempDir()
	for id, digest := range map[string]string{"A": "d2", "B": "d2", "C": "other"} {
		src := strings.NewReplacer("MESSAGE", "m", "DIGEST", digest, `"RUN"`, `"`+id+`"`).Replace(questioned)
		if code, _, errs := command(t, dir, strings.NewReader(src), "runs", "import", "-"); code != program.ExitOK {
			t.Fatal(errs)
		}
	}
	free := strings.NewReplacer("MESSAGE", "other", "DIGEST", "d2", `"RUN"`, `"D"`, `, "confirmed": {"at": "2026-01-02T03:04:09Z", "digest": "DIGEST"}`, "").Replace(questioned)
	if code, _, errs := command(t, dir, strings.NewReader(free), "runs", "import", "-"); code != program.ExitOK {
		t.Fatal(errs)
	}
	for other, want := range map[string]string{
		"B": "both runs have the same steps with the same values",
		"C": "step 2.0 (each) is the first whose value differs:\n  a was confirmed by the user, digest d2\n  b was confirmed by the user, digest other\n",
		"D": "step 1 (sure) is the first whose value differs:\n  .why: \"m\" → \"other\"\n",
	} {
		if _, out, errs := command(t, dir, nil, "runs", "diff", "A", other); !strings.Contains(out, want) {
			t.Errorf("%s: %s%s\nwant %s", other, out, errs, want)
		}
	}
}
