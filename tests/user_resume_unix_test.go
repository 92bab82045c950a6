//go:build unix

package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/testbin"
)

// The end of the host, or of the server, with a question open: nothing is called, and the run is
// interrupted. Resumed, it asks again.
func TestF15TheSessionEnds(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(h *userHost){
		"the host goes": func(h *userHost) {
			if h.http { // its connections end one by one, and a run may wait for the next call
				_ = h.cmd.Process.Signal(syscall.SIGTERM)
			}
		},
		"SIGTERM": func(h *userHost) { _ = h.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGKILL": func(h *userHost) {
			h.recorded("remove", "waiting")
			_ = h.cmd.Process.Kill()
		},
	} {
		t.Run(how, func(t *testing.T) {
			atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
				h.begin("remove", `{"n":1}`).question()
				end(h)
				h.end()
				h.called(0)
				h.recorded("remove", "interrupted")
				if said := h.toolgraph("resume", "last"); !strings.Contains(said, "standard input or standard error is not a terminal") {
					t.Errorf("resumed without a user: %s", said)
				}
				h.called(0)
			})
		})
	}
}

// A client that cancels its call takes the question back; the run is cancelled, and nothing is called.
func TestF15TheCallIsCancelled(t *testing.T) {
	t.Parallel()
	atEachDoor(t, userGraph, canAsk, func(t *testing.T, h *userHost) {
		if h.modern { // the call ends with its question, so that there is none to cancel
			return
		}
		c := h.begin("remove", `{"n":1}`)
		q := c.question()
		message := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.Itoa(c.id) + `}}`
		if h.http {
			_ = h.post(message).Body.Close()
		} else {
			h.write(message)
		}
		c.withdrawn(q)
		h.recorded("remove", "cancelled")
		c.refused(q, yes)
		h.called(0)
	})
}

// A run that waits for an answer stays interrupted in a server that resumes runs in the background: it has
// no user to ask. A person with a terminal, or --yes, can resume it afterwards.
func TestResumedInTheBackgroundWaits(t *testing.T) {
	t.Parallel()
	h := newUserHost(t, door{}, userGraph, canAsk)
	h.begin("remove", `{"n":1}`).question()
	h.end()
	s := startCommand(t, nil, "serve", h.graph, "--state", h.state, "--resume", "--log-level", "info")
	eventually(t, "the run waits", func() bool { return strings.Contains(s.stderr.String(), "waits for an answer of its user") })
	s.end()
	h.called(0)
	h.recorded("remove", "interrupted")
	if got := h.toolgraph("resume", "last", "--yes"); got != "2\n" {
		t.Errorf("got %s", got)
	}
	h.called(1)
	if log := s.stderr.String(); strings.Count(log, "waits for an answer of its user") != 1 || strings.Contains(log, "has failed") {
		t.Errorf("the log: %s", log)
	}
}

var recordedID = regexp.MustCompile(`"id": "([A-Z2-7]+)"`)

// A run that waits for an answer stays although the policy deletes all others; it is listed as old, and the answer
// is taken.
func TestX26AnswerAfterRetention(t *testing.T) {
	t.Parallel()
	h := newUserHost(t, door{}, userGraph, canAsk)
	h.begin("remove", `{"n":1}`).question()
	h.end()
	h.recorded("remove", "interrupted")
	waiting := recordedID.FindStringSubmatch(h.toolgraph("runs", "list", "--status", "interrupted", "--json"))[1]
	h.toolgraph("run", h.graph, "remove", "n=2", "--yes")
	h.recorded("remove", "finished")
	h.toolgraph("retention", "set", "--keep-bytes", "1")
	s := startCommand(t, nil, "serve", h.graph, "--state", h.state)
	s.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	s.sendCall("remove", `{"n":3}`) // it ends, because its client cannot ask a user
	eventually(t, "the other run is deleted", func() bool {
		return strings.Contains(h.toolgraph("runs", "list", "--status", "finished"), "no runs")
	})
	s.end()
	if list := h.toolgraph("runs", "list", "--old"); strings.Count(list, " interrupted, old: ") != 1 {
		t.Errorf("the list: %s", list)
	}
	if said := h.toolgraph("doctor"); !strings.Contains(said, "not deleted because they can continue: 1 run, see toolgraph runs list --old") {
		t.Errorf("the doctor: %s", said)
	}
	if got := h.toolgraph("resume", waiting, "--yes"); got != "2\n" {
		t.Errorf("got %s", got)
	}
	h.called(2)
}

// F16 (T08): resumed with the arguments that the user has agreed to, a call is not asked about again; with
// others it is, and the old answer is not used.
func TestF16OtherArgumentsOnResume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, changed string
		flags         []string
		asked         bool // again
	}{
		{"the same", "", nil, false},
		{"others", "{n: 2}", []string{"--changed"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate(t)
			dir := t.TempDir()
			graph := strings.Replace(g.holding(""), "type: mcp, server", "type: mcp, effect: destroy, confirm: true, server", 1)
			graph = strings.Replace(graph, "{n: {expr: $.entry.id}}", "{n: 1}", 1)
			f := newGraphFile(t, graph)
			s := startCommand(t, nil, "serve", f.path, "--state", dir)
			s.mu.Lock()
			s.requests = make(chan reply, 1)
			s.mu.Unlock()
			s.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+canAsk+`,"clientInfo":{"name":"test","version":"1"}}`)
			s.sendCall("hold", `{"id":1}`)
			q := s.await(s.requests)
			if !strings.Contains(string(q.Params), `Arguments: {\"n\":1}`) {
				t.Errorf("asked %s", q.Params)
			}
			s.write(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + yes + `}`)
			g.wait("in ", 1)
			_ = s.cmd.Process.Kill()
			s.end()
			if c.changed != "" {
				f.write(strings.Replace(graph, "{n: 1}", c.changed, 1))
			}
			resume := append([]string{"resume", "last", "--repeat", "--state", dir}, c.flags...)
			if c.asked { // without a user the run stays interrupted
				said, err := programCommand(t, testbin.Build(t, "toolgraph"), resume...).CombinedOutput()
				if err == nil || !strings.Contains(string(said), "standard input or standard error is not a terminal (--yes agrees without asking)") || len(g.lines("in ")) != 1 {
					t.Errorf("%v: %s\n%q", err, said, g.lines(""))
				}
				return
			}
			g.open()
			said, err := programCommand(t, testbin.Build(t, "toolgraph"), resume...).CombinedOutput()
			if err != nil || strings.Contains(string(said), "--yes") || len(g.lines("in ")) != 2 {
				t.Errorf("%v: %s\n%q", err, said, g.lines(""))
			}
		})
	}
}

// Without a terminal --yes agrees to what has no form, and says to what; it never fills in a form.
func TestYes(t *testing.T) {
	t.Parallel()
	ledger := filepath.Join(t.TempDir(), "ledger")
	f := newGraphFile(t, strings.ReplaceAll(userGraph, "$LEDGER", "ledger="+ledger))
	for _, c := range []struct {
		args  []string
		input string
		calls int
		out   string
		said  string
	}{
		{[]string{"run", f.path, "remove", "n=1"}, "yes\n", 0, "", "not a terminal (--yes agrees without asking), and the call of up.enter needs to be confirmed"},
		{[]string{"run", f.path, "remove", "n=1", "--yes"}, "", 1, "2\n", `toolgraph: --yes answers the question of node go of tool remove: Tool "remove" is about to call up.enter`},
		{[]string{"run", f.path, "hurry", "--yes"}, "", 0, "{\n  \"sure\": {},\n  \"really\": {}\n}\n", "toolgraph: --yes answers the question of node really of tool hurry: Really?\n"},
		{[]string{"run", f.path, "tidy", "--yes"}, "", 0, "", `is not a terminal, and this node asks: "Remove 12 files?"`},
		{[]string{"debug", f.path, "remove", "n=1", "--yes"}, "continue\n", 1, "2\n", "--yes answers the question of node go of tool remove"},
		{[]string{"debug", f.path, "remove", "n=1"}, "continue\n", 0, "", "up.enter needs to be confirmed"},
		{[]string{"inspect", f.path, "--allow-run", "run_tool", "tool=remove"}, "", 0, "", "up.enter needs to be confirmed"},
	} {
		_ = os.Remove(ledger)
		cmd := programCommand(t, testbin.Build(t, "toolgraph"), append(c.args, "--no-history")...)
		var out, said strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.input), &out, &said
		err := cmd.Run()
		raw, _ := os.ReadFile(ledger) // none when nothing was called
		if calls := strings.Count(string(raw), "\n"); calls != c.calls || c.out != "" && out.String() != c.out || !strings.Contains(said.String()+out.String(), c.said) {
			t.Errorf("%q: %v, %d calls\n%s\n%s", c.args, err, calls, out.String(), said.String())
		}
	}
}
