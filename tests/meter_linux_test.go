package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/testbin"
)

// shared is a value of some bytes that has 2^60 parts when it is walked; equal makes two of them.
const shared = `$reduce([1..60], function($a, $i) {{"l": $a, "r": $a}}, {"x": %d})`

var (
	equal   = fmt.Sprintf("($v := "+shared+"; $w := "+shared+"; $v = $w)", 1, 1)
	unequal = fmt.Sprintf("($v := "+shared+"; $w := "+shared+"; $v = $w)", 1, 2)
	whole   = fmt.Sprintf(shared, 1)
)

// forever takes more steps than there is time for.
const forever = `($down := function($n) { $n <= 0 ? 0 : $down($n - 1) }; $down(100000000000))`

// walking has a tool for each work without an end, and one that is quick.
var walking = `server: {name: g, version: 1.0.0}
executionLimits: {maxResultBytes: 65536}
tools:
- name: compare
  nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '{"equal": ` + equal + `, "unequal": ` + unequal + `}'}, next: exit}
  - {id: exit, type: exit}
- name: give
  nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '` + whole + `'}, next: exit}
  - {id: exit, type: exit}
- name: forever
  nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '` + forever + `'}, next: exit}
  - {id: exit, type: exit}
- name: quick
  nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
- name: large
  nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '{"items": [1..3000].{"n": $, "text": $pad("", 40, "x")}}'}, next: exit}
  - {id: exit, type: exit}
`

// mostMemory is below what one encoding without a limit took, in KiB.
const mostMemory = 900 << 10

// memoryOf is how many KiB an ended process had at once.
func memoryOf(t *testing.T, state *os.ProcessState) int64 {
	t.Helper()
	usage, isUsage := state.SysUsage().(*syscall.Rusage)
	if !isUsage {
		t.Fatalf("%T", state.SysUsage())
	}
	return usage.Maxrss
}

func TestX01EvalOfSharedParts(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		equal: "true", unequal: "false",
		"$string(" + whole + ")": "$string makes a string of more than 64 MiB", whole: "the result has more than 256 MiB",
	} {
		cmd := exec.Command(testbin.Build(t, "toolgraph"), "eval", expr)
		out, err := cmd.CombinedOutput()
		slow := strings.HasPrefix(expr, "$string") && strings.Contains(string(out), "took longer than") // the other limit, beside other work
		if !strings.Contains(string(out), want) && !slow {
			t.Errorf("%s: %v, %.300s", expr, err, out)
		}
		if used := memoryOf(t, cmd.ProcessState); used > mostMemory {
			t.Errorf("%s: %d KiB of memory", expr, used)
		}
	}
}

// A served graph compares shared parts once, refuses a result of 2^60 parts, and answers others
// while an expression without an end runs, which a cancellation ends.
func TestX01ServerOfSharedParts(t *testing.T) {
	t.Parallel()
	s := startWalking(t)
	if got := s.call("compare", `{}`).text(t); got != `{"equal":true,"unequal":false}` {
		t.Errorf("compared: %s", got)
	}
	if r := s.call("give", `{}`); !r.IsError {
		t.Errorf("given: %.300s", r.text(t))
	}
	id, answer := s.sendCall("forever", `{}`)
	if r := s.call("quick", `{}`); r.IsError {
		t.Errorf("a quick tool beside it: %s", r.text(t))
	}
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	eventually(t, "the run is cancelled", func() bool { return s.status("forever") == "cancelled" })
	select {
	case r := <-answer:
		t.Errorf("a cancelled call is answered: %s", r.Result)
	default:
	}
}

// walkingSession serves the file of this test, with a history.
type walkingSession struct {
	*session
	state string
}

func startWalking(t *testing.T) walkingSession {
	t.Helper()
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"graph.yaml": walking})
	state := filepath.Join(dir, "state")
	s := startCommand(t, nil, "serve", filepath.Join(dir, "graph.yaml"), "--state", state)
	s.handshake()
	return walkingSession{s, state}
}

// status is that of the one run of a tool.
func (s walkingSession) status(tool string) string {
	s.t.Helper()
	out, err := exec.Command(testbin.Build(s.t, "toolgraph"), "runs", "list", "--json", "--tool", tool, "--state", s.state).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	var list struct{ Runs []struct{ Status string } }
	mustUnmarshal(s.t, out, &list)
	if len(list.Runs) != 1 {
		return fmt.Sprintf("%d runs", len(list.Runs))
	}
	return list.Runs[0].Status
}

// busy calls the tool that does not end by itself, and returns when its expression is at work.
func (s walkingSession) busy() (answer <-chan reply) {
	s.t.Helper()
	s.requests = make(chan reply, 8)
	_, answer = s.send("tools/call", `{"name":"forever","arguments":{},"_meta":{"progressToken":"p"}}`)
	eventually(s.t, "the first node is done", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.notes) > 0
	})
	return answer
}

// SIGTERM and the end of the input end an expression at work. Its own limit would end it as well, but
// with the failure of the run.
func TestX01EndOfEndlessWalk(t *testing.T) {
	t.Parallel()
	t.Run("SIGTERM", func(t *testing.T) {
		t.Parallel()
		s := startWalking(t)
		answer := s.busy()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if r := s.result(s.await(answer)); !r.IsError || !strings.Contains(r.text(t), "the run is suspended") {
			t.Errorf("the answer is %+v", r)
		}
		if code := exitOf(t, s.session); code != 0 || s.status("forever") != "interrupted" {
			t.Errorf("the exit code is %d, the run is %s", code, s.status("forever"))
		}
	})
	t.Run("end of input", func(t *testing.T) {
		t.Parallel()
		s := startWalking(t)
		answer := s.busy()
		_ = s.in.Close() // it is open
		if r := s.result(s.await(answer)); !r.IsError || !strings.Contains(r.text(t), "closed its input") {
			t.Errorf("the answer is %+v", r)
		}
		if code := exitOf(t, s.session); code != 0 {
			t.Errorf("the exit code is %d", code)
		}
	})
}

func TestX01ToolkitOfSharedParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	writeAll(t, filepath.Dir(path), map[string]string{"graph.yaml": walking})
	a := newAgent(t, path)
	a.call("testJSONata", fmt.Sprintf(`{"expression": %q}`, equal), `{"result": true}`)
	a.call("testJSONata", fmt.Sprintf(`{"expression": %q}`, unequal), `{"result": false}`)
	a.call("testJSONLogic", fmt.Sprintf(`{"expression": {"==": [{"var": %q}, true]}}`, equal), `{"result": true}`)
	if got := a.raw("testJSONata", fmt.Sprintf(`{"expression": %q}`, whole)); len(got) > 1<<20 {
		t.Errorf("%d bytes for a value of shared parts", len(got))
	}
}

// Four pages of a value that holds a result 2,500 times are encoded to their ends only.
func TestX02PagesAtOnce(t *testing.T) {
	t.Parallel()
	s := startWalking(t)
	var made struct {
		Content []struct{ URI string }
	}
	mustUnmarshal(t, s.request("tools/call", `{"name":"large","arguments":{}}`).Result, &made)
	if len(made.Content) != 2 {
		t.Fatalf("no link: %+v", made)
	}
	var answers []<-chan reply
	for range 4 {
		_, answer := s.sendCall("read_result", fmt.Sprintf(`{"uri":%q,"select":"$map([1..2500], function($i){$$})","offset":2000,"limit":4000}`, made.Content[1].URI))
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		r := s.result(s.await(answer))
		if r.IsError || len(r.Content) != 2 || len(r.Content[0].Text) != 4000 || !strings.Contains(r.Content[1].Text, "next offset: 6000") {
			t.Errorf("the page is %.500v", r)
		}
	}
	s.end()
	if used := memoryOf(t, s.cmd.ProcessState); used > mostMemory/2 {
		t.Errorf("%d KiB of memory", used)
	}
}

// Eighteen steps that each double a text make 256 MiB: the results beyond the limit are left out.
func TestX03StepsThatDouble(t *testing.T) {
	t.Parallel()
	s := start(t, `server: {name: g, version: 1.0.0}
pipeline: {name: pipeline}
tools:
- name: twice
  inputSchema: {type: object, properties: {text: {type: string}}}
  nodes:
  - {id: entry, type: entry, next: work}
  - {id: work, type: transform, transform: {expr: '{"text": $.entry.text & $.entry.text}'}, next: exit}
  - {id: exit, type: exit}
`)
	text, steps := strings.Repeat("x", 1024), []string{}
	for i := range 18 {
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":"twice","args":{"text":%q}}`, i, text))
		text = fmt.Sprintf("{{s%d.text}}", i)
	}
	r := s.call("pipeline", `{"steps":[`+strings.Join(steps, ",")+`]}`)
	if got := r.text(t); !r.IsError || !strings.Contains(got, "maxNodeOutputBytes") || len(got) > 64<<20 {
		t.Errorf("%d bytes: …%s", len(got), got[max(0, len(got)-500):])
	}
	s.end()
	if used := memoryOf(t, s.cmd.ProcessState); used > mostMemory {
		t.Errorf("%d KiB of memory", used)
	}
}
