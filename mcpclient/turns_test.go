package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// openUntil is an elicitor whose user answers when the test does; asked has the name of each
// host that is asked.
func openUntil(answer <-chan struct{}) (ask Elicitor, asked chan string) {
	asked = make(chan string, 2*elicitOpen)
	return func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error) {
		name, _ := ctx.Value(hostKey{}).(string)
		asked <- name
		select {
		case <-answer:
			return host(ctx, server, params)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, asked
}

// answered is what a call in the background has come to.
type answered struct {
	got string
	err error
}

// callAs calls in the background, for a host of this name.
func callAs(t *testing.T, p *Pool, name, tool, args string) <-chan answered {
	t.Helper()
	ctx, stop := context.WithTimeout(context.WithValue(context.Background(), hostKey{}, name), 2*patience)
	done := make(chan answered, 1)
	go func() {
		defer stop()
		got, err := callWith(ctx, p, tool, args)
		done <- answered{got, err}
	}()
	return done
}

const question = `{"method":"elicitation/create"}`

// A question that waits for its user holds up no other call to the server, not even where
// one call at a time may be in flight.
func TestAQuestionHoldsUpItsCallAlone(t *testing.T) {
	for tool, u := range asking(t) {
		u.MaxInFlight = 1
		answer := make(chan struct{})
		ask, asked := openUntil(answer)
		p := pool(t, u, withAdjust(allowPrivate), WithElicitor(ask))
		first := callAs(t, p, "first", strings.Fields(tool)[0], question)
		receive(t, asked, "the question")
		for range 3 {
			if got := receive(t, callAs(t, p, "other", "echo", `{"n":1}`), "the call of another"); got.err != nil || !strings.Contains(got.got, `"n":1`) {
				t.Errorf("%q: %+v", tool, got)
			}
		}
		if tool == "callback" { // another question of the same server finds its own host
			second := callAs(t, p, "second", tool, question)
			if name := receive(t, asked, "the second question"); name != "second" {
				t.Errorf("%q: %s was asked", tool, name)
			}
			defer func() {
				if got := receive(t, second, "the second call"); got.err != nil || !strings.Contains(got.got, `"host":"second"`) {
					t.Errorf("%+v", got)
				}
			}()
		}
		close(answer)
		if got := receive(t, first, "the call that asked"); got.err != nil || !strings.Contains(got.got, `"host":"first"`) {
			t.Errorf("%q: %+v", tool, got)
		}
	}
}

// Open questions are bounded and the one too many is refused; pings are answered meanwhile.
func TestOpenQuestionsAreBounded(t *testing.T) {
	u := fake(t)
	u.AllowElicit = true
	answer := make(chan struct{})
	ask, asked := openUntil(answer)
	p := pool(t, u, WithElicitor(ask))
	var open []<-chan answered
	for range elicitOpen {
		open = append(open, callAs(t, p, "many", "callback", question))
		receive(t, asked, "the question")
	}
	if got, err := callTool(p, "callback", `{"method":"ping"}`); err != nil || !strings.Contains(got, `"result":{}`) {
		t.Errorf("ping: %s, %v", got, err)
	}
	if got, err := callTool(p, "callback", question); err != nil || !strings.Contains(got, "64 questions of the server are open, which is the limit") {
		t.Errorf("one too many: %s, %v", got, err)
	}
	close(answer)
	for _, call := range open {
		if got := receive(t, call, "a call that asked"); got.err != nil || !strings.Contains(got.got, `"action":"accept"`) {
			t.Errorf("%+v", got)
		}
	}
}

// A call that runs out of time while another waits for its user says that this may be why.
func TestTimeoutBesideAQuestion(t *testing.T) {
	u := fake(t)
	u.AllowElicit = true
	timers, answer := &heldTimers{}, make(chan struct{})
	ask, asked := openUntil(answer)
	p := pool(t, u, timers.clock(), WithElicitor(ask))
	first := callAs(t, p, "first", "callback", question)
	receive(t, asked, "the question")
	slow := callAs(t, p, "other", "sleep", `{"ms":3600000}`)
	waitFor(t, "the call to be sent", func() bool { return timers.running() == 1 })
	timers.expire()
	got := receive(t, slow, "the call without an answer")
	if e := wantError(t, got.got, got.err, CodeTimeout); !strings.Contains(e.Error(), "another call waits for an answer of its user") {
		t.Errorf("got %v", e)
	}
	close(answer)
	receive(t, first, "the call that asked")
}

// flying begins a call whose turn it is.
func flying(t *testing.T, calls *turns) *turn {
	t.Helper()
	c, err := calls.wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls.begin(c, &watch{})
	return c
}

// isOf waits for the call of a question, which must be c.
func isOf(t *testing.T, by claim, c *turn) (answer func()) {
	t.Helper()
	w, answer, err := by()
	if err != nil || w != c.watch {
		t.Fatalf("the question is of %p, %v, expected %p", w, err, c.watch)
	}
	return answer
}

func TestQuestionsFindTheirCall(t *testing.T) {
	calls := newTurns()
	if _, _, err := calls.claim()(); !errors.Is(err, errNoCall) {
		t.Errorf("no call: %v", err)
	}
	a := flying(t, calls)
	answerA := isOf(t, calls.claim(), a)
	again := isOf(t, calls.claim(), a) // alone, it may ask more than one thing at a time
	again()
	b := flying(t, calls) // goes on, because a waits
	answerB := isOf(t, calls.claim(), b)
	if _, _, err := calls.claim()(); !errors.Is(err, errUnclear) {
		t.Errorf("a third question of two calls: %v", err)
	}
	answerA()
	if len(calls.token) != 1 {
		t.Error("a goes on, and a call may begin")
	}
	answerB() // now both go on, and either could ask
	unclear := calls.claim()
	if _, _, err := calls.claim()(); !errors.Is(err, errUnclear) {
		t.Errorf("both have asked: %v", err)
	}
	found := make(chan func(), 1)
	go func() { found <- isOf(t, unclear, b) }()
	calls.end(a) // so it is of b
	receive(t, found, "the call of the question")()
	calls.end(b)
	if len(calls.token) != 0 || len(calls.calls) != 0 {
		t.Errorf("left: %d tokens, %d calls", len(calls.token), len(calls.calls))
	}
	// A question is of the call in flight when it was read, whatever comes after it.
	c := flying(t, calls)
	late := calls.claim()
	calls.end(c)
	d := flying(t, calls)
	isOf(t, late, c)()
	calls.end(d)
}
