package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

// tasked is a server whose tool task answers with a task.
type tasked struct {
	t          testing.TB
	dir, diary string
	u          *config.Upstream
}

func newTasked(t testing.TB, modes ...string) *tasked {
	dir := t.TempDir()
	s := &tasked{t: t, dir: dir, diary: filepath.Join(t.TempDir(), "diary")}
	s.u = fake(t, append(modes, "tasks="+dir, "diary="+s.diary)...)
	return s
}

// put writes a file of the first task.
func (s *tasked) put(kind, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, "task-1"+kind)
	err := os.WriteFile(path+".part", []byte(text), 0o600)
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// count is how many lines of the diary begin with a text.
func (s *tasked) count(begin string) int {
	raw, _ := os.ReadFile(s.diary)
	n := 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}

// begin calls the tool, and has its answer in the channel.
func (s *tasked) begin(ctx context.Context, p *Pool, args string, taken string) <-chan error {
	done := make(chan error, 1)
	v, err := value.Decode([]byte(args))
	if err != nil {
		s.t.Fatal(err)
	}
	go func() {
		got, err := p.CallTool(ctx, call.Call{Server: "fake", Tool: "task", Args: v, Task: taken})
		if err == nil && got != 7.0 {
			err = errors.New("the value is not that of the task")
		}
		done <- err
	}()
	return done
}

func (s *tasked) want(done <-chan error, code, words string) {
	s.t.Helper()
	err := receive(s.t, done, "the end of the call")
	if code == "" {
		if err != nil {
			s.t.Error(err)
		}
		return
	}
	if e := wantError(s.t, "", err, code); !strings.Contains(e.Error(), words) {
		s.t.Errorf("got %q, want %q", e, words)
	}
}

const seven = `{"status":"completed","result":{"content":[{"type":"text","text":"7"}]}}`

// A task is awaited, whose id is known before it ends.
func TestTaskIsAwaited(t *testing.T) {
	for mode, asked := range map[string]string{"modern": "get task-1", "both": "result task-1"} {
		s := newTasked(t, mode)
		p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
		var begun atomic.Value
		done := s.begin(call.WithTasks(t.Context(), call.Tasks{Begun: func(id string) { begun.Store(id) }}), p, `{"a":1}`, "")
		waitForLine(t, s.diary, asked)
		if begun.Load() != "task-1" {
			t.Errorf("%s: the task that has begun is %v", mode, begun.Load())
		}
		s.put(".state", seven)
		s.want(done, "", "")
		if s.count("task") != 1 || s.count("cancel") != 0 {
			t.Errorf("%s: %d calls were made, %d cancelled", mode, s.count("task"), s.count("cancel"))
		}
	}
}

// A task that fails is a failure of the call, with the words of the server; a state that cannot be is one as well.
func TestTaskFails(t *testing.T) {
	for state, want := range map[string][2]string{
		`{"status":"failed","error":{"code":-32050,"message":"disk full"}}`:                                  {CodeRPCError, "disk full (JSON-RPC error -32050)"},
		`{"status":"failed","statusMessage":"no luck"}`:                                                      {CodeRPCError, "no luck"},
		`{"status":"completed","result":{"isError":true,"content":[{"type":"text","text":"no such bill"}]}}`: {CodeToolError, "no such bill"},
		`{"status":"cancelled","statusMessage":"by the operator"}`:                                           {CodeToolError, "the server has cancelled the task of the call: by the operator"},
		`{"status":"completed"}`:                                {CodeBadResult, "completed without a result"},
		`{"status":"completed","result":{"resultType":"task"}}`: {CodeBadResult, "its result is not that of a call"},
		`{"status":"running"}`:                                  {CodeBadResult, "its status is running, expected working"},
		`{"status":4}`:                                          {CodeBadResult, "its status is 4, expected a text"},
		`{"taskId":"task-2"}`:                                   {CodeBadResult, "the answer is about another task"},
		`{"taskId":17}`:                                         {CodeBadResult, "its taskId is 17, expected a text"},
		`{"taskId":["task-1"]}`:                                 {CodeBadResult, `its taskId is ["task-1"], expected a text`},
		`{"status":"input_required","inputRequests":3}`:         {CodeBadResult, "without inputRequests"},
		`{"status":"input_required","inputRequests":{"q":{"method":"roots/list"}}}`: {CodeInputRequired, "no user can be asked"},
	} {
		s := newTasked(t, "modern")
		p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
		s.put(".state", state)
		done := s.begin(t.Context(), p, `{}`, "")
		s.want(done, want[0], want[1])
		ended := strings.Contains(state, "failed") || strings.Contains(state, "completed") || strings.Contains(state, "cancelled")
		if (s.count("cancel task-1") == 1) == ended {
			t.Errorf("%s: it was cancelled %d times", state, s.count("cancel"))
		}
	}
}

// The end of a call cancels its task, unless the run goes on elsewhere.
func TestTaskIsCancelledWithItsCall(t *testing.T) {
	for mode, asked := range map[string]string{"modern": "get task-1", "both": "result task-1"} {
		for _, stays := range []bool{false, true} {
			s := newTasked(t, mode)
			p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
			why := errors.New("the process ends")
			ctx, stop := context.WithCancelCause(t.Context())
			tasks := call.Tasks{Begun: func(string) {}, Stays: func(cause error) bool { return stays && errors.Is(cause, why) }}
			done := s.begin(call.WithTasks(ctx, tasks), p, `{}`, "")
			waitForLine(t, s.diary, asked)
			stop(why)
			s.want(done, CodeCancelled, "cancelled while")
			mustCall(t, p, "inc", `{"n":1}`, "2") // what was sent before has been read
			if got := s.count("cancel task-1") == 1; got == stays {
				t.Errorf("%s, stays %t: cancelled %t", mode, stays, got)
			}
		}
	}
}

// A task that never ends takes no longer than the call may.
func TestTaskTimesOut(t *testing.T) {
	for mode, asked := range map[string]string{"modern": "get task-1", "both": "result task-1"} {
		timers := &heldTimers{}
		s := newTasked(t, mode)
		p := pool(t, s.u, timers.clock(), skipping(10*pollLeast, pollLeast))
		done := s.begin(t.Context(), p, `{}`, "")
		waitForLine(t, s.diary, asked)
		timers.expire()
		s.want(done, CodeTimeout, "within "+patience.String())
		mustCall(t, p, "inc", `{"n":1}`, "2")
		if s.count("cancel task-1") != 1 {
			t.Errorf("%s: it was cancelled %d times", mode, s.count("cancel"))
		}
	}
}

// What a server says of the interval has bounds.
func TestTaskIntervalsHaveBounds(t *testing.T) {
	for said, want := range map[string]time.Duration{
		`0`: pollLeast, `-5`: pollLeast, `-1e300`: pollLeast, `250`: 250 * time.Millisecond, `1e300`: pollMost, `99999999999999999999`: pollMost, `1e999`: pollMost,
		`"5"`: pollUsual, `null`: pollUsual, ``: pollUsual, `{}`: pollUsual, `NaN`: pollUsual,
	} {
		if got := pollInterval([]byte(said)); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
	for said, want := range map[string]time.Duration{`0`: pollLeast, `1e300`: pollMost, `"soon"`: pollUsual} {
		s := newTasked(t, "modern")
		waits := make(chan time.Duration, 100)
		p := pool(t, s.u, withClock(func(c *clock) {
			after := c.after
			c.after = func(d time.Duration) <-chan time.Time {
				if s.count("task") == 1 && (d == pollLeast || d == pollUsual || d == pollMost) {
					waits <- d
					s.put(".state", seven)
					return over()
				}
				return after(d)
			}
		}))
		s.want(s.begin(t.Context(), p, `{"pollIntervalMs":`+said+`}`, ""), "", "")
		if got := receive(t, waits, "a wait"); got != want {
			t.Errorf("%s: it waited %s, want %s", said, got, want)
		}
	}
}

// A notification of the server ends the wait.
func TestTaskIsNotified(t *testing.T) {
	s := newTasked(t, "modern", "notify")
	waits := make(chan struct{}, 10)
	p := pool(t, s.u, withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d == pollMost {
				waits <- struct{}{}
				return nil // for ever
			}
			return after(d)
		}
	}))
	done := s.begin(t.Context(), p, `{"pollIntervalMs":1e12}`, "")
	receive(t, waits, "the wait")
	s.put(".state", seven)
	s.want(done, "", "")
	if s.count("get") != 1 {
		t.Errorf("the task was asked for %d times, want once", s.count("get"))
	}
}

// The questions of a task are asked once each, and answered by tasks/update; the status may go back meanwhile.
func TestTaskAsks(t *testing.T) {
	const form = `"params":{"message":"sure?","requestedSchema":{"type":"object"}}`
	for mode, state := range map[string]string{
		"modern": `{"status":"input_required","inputRequests":{"NAME":{"method":"elicitation/create",` + form + `}}}`,
		"both":   `{"status":"input_required","question":{"message":"sure?","requestedSchema":{"type":"object"}}}`,
	} {
		var asked atomic.Int64
		s := newTasked(t, mode)
		s.u.AllowElicit = true
		p := pool(t, s.u, skipping(10*pollLeast, pollLeast), WithElicitor(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			asked.Add(1)
			return []byte(`{"action":"accept","content":{"ok":true}}`), nil
		}))
		s.put(".state", strings.ReplaceAll(state, "NAME", "one"))
		s.put(".next", `{"status":"working"}`)
		done := s.begin(t.Context(), p, `{}`, "")
		waitFor(t, "the first answer", func() bool { return s.count("update task-1") == 1 })
		if mode == "modern" { // the server forgets that it has the answer, and goes back
			s.put(".state", strings.ReplaceAll(state, "NAME", "one"))
			seen := s.count("get")
			waitFor(t, "more requests", func() bool { return s.count("get") > seen+3 })
		}
		s.put(".next", seven)
		s.put(".state", strings.ReplaceAll(state, "NAME", "two"))
		s.want(done, "", "")
		if asked.Load() != 2 || s.count("update task-1") != 2 {
			t.Errorf("%s: the user was asked %d times, and %d answers were sent, want 2", mode, asked.Load(), s.count("update"))
		}
	}
}

// A task whose questions have no end is given up.
func TestTaskThatOnlyEverAsks(t *testing.T) {
	s := newTasked(t, "modern")
	s.u.AllowElicit = true
	n := 0
	next := func() {
		n++
		s.put(".state", strings.ReplaceAll(`{"status":"input_required","inputRequests":{"NAME":{"method":"elicitation/create","params":{"message":"m"}}}}`, "NAME", strings.Repeat("q", n)))
	}
	p := pool(t, s.u, skipping(10*pollLeast, pollLeast), WithElicitor(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		next()
		return []byte(`{"action":"accept"}`), nil
	}))
	next()
	s.want(s.begin(t.Context(), p, `{}`, ""), CodeInputRequired, "has asked for input 10 times")
	if n != inputRounds+1 || s.count("cancel") != 1 {
		t.Errorf("%d questions were put, and %d tasks cancelled", n, s.count("cancel"))
	}
}

// A task that an earlier process has begun is taken up without a call.
func TestTaskIsTakenUp(t *testing.T) {
	for _, mode := range []string{"modern", "both"} {
		for _, known := range []bool{true, false} {
			s := newTasked(t, mode)
			p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
			s.put(".state", seven)
			code := CodeTaskUnknown
			if known {
				s.put("", "{}")
				code = ""
			}
			s.want(s.begin(t.Context(), p, `{}`, "task-1"), code, "no task task-1")
			if s.count("task") != 0 || s.count("cancel") != 0 {
				t.Errorf("%s: %d calls were made", mode, s.count("task"))
			}
		}
	}
	broken := newTasked(t, "crashatstart")
	p := pool(t, broken.u, withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if d >= pollUsual && d <= pollMost && d%time.Second == 0 {
				return over()
			}
			return after(d)
		}
	}))
	broken.want(broken.begin(t.Context(), p, `{}`, "task-1"), CodeTaskUnknown, "start failed")
}

// A server that dies during its task is asked again when it has started again. If it knows the task no more, the
// failure is not that of a call which was not sent.
func TestTaskOutlivesItsServer(t *testing.T) {
	for _, known := range []bool{true, false} {
		s := newTasked(t, "modern")
		p := pool(t, s.u, skipping(10*pollLeast, pollLeast, 2*pollLeast))
		done := s.begin(t.Context(), p, `{}`, "")
		waitForLine(t, s.diary, "get task-1")
		if !known {
			if err := os.Remove(filepath.Join(s.dir, "task-1")); err != nil {
				t.Fatal(err)
			}
			s.want(done, CodeRPCError, "no task task-1")
			continue
		}
		_, _ = callTool(p, "die", `{"code":3}`)
		s.put(".state", seven)
		s.want(done, "", "")
		if s.count("task") != 1 {
			t.Errorf("%d calls were made", s.count("task"))
		}
	}
	lost := &awaiting{found: true, ctx: context.Background(), last: &Error{Code: CodeServerStart, Message: "is gone"}}
	unknown := &Error{Code: CodeRPCError, Err: &rpcError{code: -32602}}
	if e := lost.again(unknown, pollUsual); e.Code != CodeTransport || !strings.Contains(e.Message, "is gone; now the server does not know the task") {
		t.Errorf("got %v", e)
	}
}

// What a server says of the state of a task is progress of the call.
func TestTaskReportsItsState(t *testing.T) {
	s := newTasked(t, "modern")
	p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
	heard := make(chan string, 100)
	s.put(".state", `{"status":"working","statusMessage":"halfway"}`)
	done := s.begin(WithProgress(t.Context(), func(_, _ float64, message string) { heard <- message }), p, `{}`, "")
	waitFor(t, "three requests", func() bool { return s.count("get") >= 3 })
	s.put(".state", seven)
	s.want(done, "", "")
	if got := receive(t, heard, "the report"); got != "halfway" || len(heard) != 0 {
		t.Errorf("heard %q, and %d more", got, len(heard))
	}
}
