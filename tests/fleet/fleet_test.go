//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

type cleaning struct{ *testing.M }

func (c cleaning) Run() int { return testbin.Run(c.M) }

func TestMain(m *testing.M) { pgtest.Main(cleaning{m}) }

// calls is how many calls the clients make; FLEET sets it.
func calls(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("FLEET"))
	if err != nil && os.Getenv("FLEET") != "" {
		t.Fatalf("FLEET is %q, expected a number of calls", os.Getenv("FLEET"))
	}
	if n <= 0 {
		return 60
	}
	return n
}

// places are where histories can be.
var places = map[string]func(*testing.T) string{
	"SQLite":   func(t *testing.T) string { return t.TempDir() },
	"Postgres": func(t *testing.T) string { return pgtest.URL(t) },
}

// Three processes answer calls while one of them is killed and one is restarted. Each call is answered
// once, with the right value, however often its client repeats it; a call of the upstream server that
// is not safe to repeat is made once.
func TestFleet(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, place(t), 3)
			var early, late sync.WaitGroup
			early.Go(func() { f.stopped(t) })
			f.questions(t)
			f.cancellations(t)
			early.Wait() // processes that end now would make its run wait
			late.Go(func() { f.lateAnswers(t) })
			late.Go(func() { f.sleeper(t, name == "Postgres") })
			f.load(t, calls(t))
			late.Wait()
			f.nothingLeft()
		})
	}
}

// inFlight is how many calls there are at the same time.
const inFlight = 16

// load makes calls, each with a key, in the middle of which processes end. Some calls are sent twice at
// the same time.
func (f *fleet) load(t *testing.T, n int) {
	todo := make(chan int)
	var working, ending sync.WaitGroup
	var mu sync.Mutex // guards unknown
	unknown := 0
	for range inFlight {
		working.Go(func() {
			for id := range todo {
				answers := make([]string, 1+id%7/6)
				var asking sync.WaitGroup
				for i := range answers {
					asking.Go(func() { answers[i] = f.order(t, id) })
				}
				asking.Wait()
				want := fmt.Sprintf(`{"id":%d,"paid":1}`, id)
				switch paid := f.up.count(id); {
				case answers[len(answers)-1] != answers[0]:
					t.Errorf("order %d has two answers: %q", id, answers)
				case answers[0] == want && paid == 1:
				case strings.Contains(answers[0], "outcome") && paid <= 1:
					mu.Lock()
					unknown++
					mu.Unlock()
				default:
					t.Errorf("order %d, paid %d times: %s", id, paid, answers[0])
				}
			}
		})
	}
	all := f.all()
	for id := range n {
		switch id {
		case n / 4:
			ending.Go(func() { all[0].kill(t) })
		case n / 2:
			ending.Go(func() {
				all[1].drain(t)
				f.start()
			})
		}
		todo <- id
	}
	close(todo)
	working.Wait()
	ending.Wait()
	if unknown > inFlight {
		t.Errorf("%d calls have an unknown outcome, and at most %d were in flight when a process was killed", unknown, inFlight)
	}
	t.Logf("%d calls, %d of them with an unknown outcome", n, unknown)
}

// order calls until there is an answer, which it returns.
func (f *fleet) order(t *testing.T, id int) string {
	steps := 1 + id%10
	if id%25 == 3 { // so that it is suspended when its process is stopped
		steps = 60
	}
	message := call("order", fmt.Sprintf(`{"id":%d,"steps":%d}`, id, steps), fmt.Sprintf(`"toolgraph/key":"order-%d"`, id), "")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, body, err := f.balance(message, http.Header{})
		switch {
		case err != nil || status == http.StatusServiceUnavailable:
		case status != http.StatusOK:
			t.Errorf("order %d: status %d: %s", id, status, body)
			return ""
		default:
			return textOf(t, body)
		}
	}
	t.Errorf("order %d has no answer", id)
	return ""
}

// call is a tools/call.
func call(tool, arguments, meta, more string) string {
	if meta != "" {
		meta = `,"_meta":{` + meta + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s%s}}`, tool, arguments, meta, more)
}

// textOf returns the text of a result, or the error.
func textOf(t *testing.T, body string) string {
	var m struct {
		Result struct {
			Content []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Errorf("%v: %s", err, body)
		return ""
	}
	switch {
	case m.Error != nil:
		return "error: " + m.Error.Message
	case len(m.Result.Content) > 0:
		return m.Result.Content[0].Text
	}
	return body
}

const modern = "2026-07-28"

func modernHeaders(tool string) http.Header {
	return http.Header{"Mcp-Protocol-Version": {modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool}}
}

const askable = `"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`

var requestState = regexp.MustCompile(`"requestState":"([^"]+)"`)

// ask calls the tool that asks, and returns the state for the answer.
func ask(t *testing.T, p *process, id int) (state string) {
	_, body, err := p.post(call("confirm", fmt.Sprintf(`{"id":%d}`, id), askable, ""), modernHeaders("confirm"))
	found := requestState.FindStringSubmatch(body)
	if err != nil || found == nil {
		t.Fatalf("no question: %v, %s", err, body)
	}
	return found[1]
}

func answer(t *testing.T, p *process, id int, state string) string {
	more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"sure":{"action":"accept"}}`, state)
	_, body, err := p.post(call("confirm", fmt.Sprintf(`{"id":%d}`, id), askable, more), modernHeaders("confirm"))
	if err != nil {
		t.Fatal(err)
	}
	return textOf(t, body)
}

// questions: an answer reaches the run in another process, and one whose process was stopped; the same
// answer again gets the same result.
func (f *fleet) questions(t *testing.T) {
	all := f.all()
	const first = 1_000_000
	state := ask(t, all[0], first)
	for range 2 {
		if got, want := answer(t, all[1], first, state), fmt.Sprintf(`{"id":%d,"paid":1}`, first); got != want {
			t.Errorf("the answer in another process, and again: %s", got)
		}
	}
	if got := answer(t, all[0], first, state); !strings.Contains(got, "requestState is unknown") {
		t.Errorf("the state is used again where it was made: %s", got)
	}
	if got := answer(t, all[2], first-1, state); !strings.Contains(got, "requestState is unknown") {
		t.Errorf("the state of another call: %s", got)
	}
	leaving := f.start()
	state = ask(t, leaving, first+1)
	leaving.drain(t)
	if got, want := answer(t, all[0], first+1, state), fmt.Sprintf(`{"id":%d,"paid":1}`, first+1); got != want {
		t.Errorf("the answer after the process was stopped: %s", got)
	}
	f.asking = f.start()
	f.open = ask(t, f.asking, first+2)
}

// lateAnswers: the answer to a question of a process that was killed resumes the run.
func (f *fleet) lateAnswers(t *testing.T) {
	const id = 1_000_002
	f.asking.kill(t)
	if got, want := answer(t, f.all()[2], id, f.open), fmt.Sprintf(`{"id":%d,"paid":1}`, id); got != want {
		t.Errorf("the answer after the process was killed: %s", got)
	}
}

// stopped: a call without a key gets its answer from a process that is stopped, although another one goes
// on with the run.
func (f *fleet) stopped(t *testing.T) {
	const id = 1_000_003
	p := f.run(true, "--http-grace", "12s")
	open := sync.OnceFunc(f.up.gate(id))
	defer open()
	answer := f.long(t, p, id, 3, 1) // the first call waits for the gate, and few are left for the rest of the grace
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.drain(t)
	}()
	f.wait("the run is suspended after its call", func() bool { return strings.Contains(p.log.String(), "runs are suspended") })
	open()
	<-ended
	if got, want := <-answer, fmt.Sprintf(`{"id":%d,"paid":1}`, id); got != want {
		t.Errorf("the call of a process that is stopped: %s", got)
	}
}

// sleeper: a process that sleeps for too long loses its run, and answers with what another process made
// of it. With SQLite no process loses its runs while it lives.
func (f *fleet) sleeper(t *testing.T, loses bool) {
	const id = 1_000_004
	p := f.run(true)
	answer := f.long(t, p, id, 60, 3)
	_ = p.cmd.Process.Signal(syscall.SIGSTOP)
	if loses {
		f.wait("another process pays", func() bool { return f.up.count(id) > 0 })
	}
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
	if got, want := <-answer, fmt.Sprintf(`{"id":%d,"paid":1}`, id); got != want || f.up.count(id) != 1 {
		t.Errorf("the call of a process that has slept, paid %d times: %s", f.up.count(id), got)
	}
}

// long makes a call without a key that has many steps, and returns when it has made calls.
func (f *fleet) long(t *testing.T, p *process, id, steps, calls int) (answer <-chan string) {
	said := make(chan string, 1)
	go func() {
		_, body, err := p.post(call("order", fmt.Sprintf(`{"id":%d,"steps":%d}`, id, steps), "", ""), http.Header{})
		if err != nil {
			body = err.Error()
		} else {
			body = textOf(t, body)
		}
		said <- body
	}()
	f.wait("the run has begun", func() bool { return f.up.looks(id) >= calls })
	return said
}

// cancellations: a notification, and a command, reach the run in another process.
func (f *fleet) cancellations(t *testing.T) {
	all := f.all()
	session := http.Header{"Mcp-Session-Id": {"of-a-client-with-a-long-name"}}
	cancel := map[string]func(run string){
		"notifications/cancelled": func(string) {
			status, body, err := all[1].post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session)
			if status != http.StatusAccepted || err != nil {
				t.Errorf("%d, %v: %s", status, err, body)
			}
		},
		"runs cancel": func(run string) {
			if out, err := f.toolgraph("runs", "cancel", run); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		},
	}
	begun := 0
	for name, do := range cancel {
		ended := make(chan string, 1)
		go func() {
			status, body, err := all[0].post(call("hold", "{}", "", ""), session)
			ended <- fmt.Sprint(status, err, body)
		}()
		begun++
		f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == begun })
		var running []struct{ ID string }
		f.wait("the run is recorded", func() bool {
			out, err := f.toolgraph("runs", "list", "--status", "running", "--tool", "hold", "--json")
			var list struct{ Runs []struct{ ID string } }
			_ = json.Unmarshal([]byte(out), &list)
			running = list.Runs
			return err == nil && len(running) == 1
		})
		do(running[0].ID)
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatalf("%s does not reach the call", name)
		}
		f.wait("the upstream call is cancelled", func() bool { _, cancelled := f.up.holds(); return cancelled == begun })
		f.wait("the run is recorded as cancelled after "+name, func() bool {
			out, err := f.toolgraph("runs", "show", running[0].ID)
			return err == nil && strings.Contains(out, "cancelled")
		})
	}
}

// nothingLeft waits until no run waits for anything: the end of a run without a key is recorded soon after its
// answer.
func (f *fleet) nothingLeft() {
	for _, status := range []string{"running", "waiting", "interrupted"} {
		f.wait("no run is "+status, func() bool {
			out, err := f.toolgraph("runs", "list", "--status", status)
			return err == nil && strings.TrimSpace(out) == "no runs"
		})
	}
}
