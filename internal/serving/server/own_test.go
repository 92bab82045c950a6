package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const askingInit = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`

// owner is a bench whose tool "do" asks questions of its own, as an engine does.
type owner struct {
	*bench
	put   chan int           // gets the number of a question, from 1, when its turn has come
	came  chan string        // gets what came of it: the answer, or the error
	late  context.CancelFunc // ends the time for the answer of the latest question
	check func(json.RawMessage) error

	after time.Duration // how long a run goes on after its question
}

// owning is a bench whose runs ask so many questions, one after the other.
func owning(t *testing.T, questions int) *owner {
	o := &owner{put: make(chan int, 100), came: make(chan string, 100)}
	o.bench = doing(t, func(ctx context.Context, _ Watch) {
		for i := range questions {
			came := o.one(ctx, i+1)
			time.Sleep(o.after)
			o.came <- came
		}
	})
	return o
}

func (o *owner) one(ctx context.Context, n int) string {
	done, err := Turn(ctx)
	if err != nil {
		return err.Error()
	}
	defer done()
	ctx, o.late = context.WithCancel(ctx)
	defer o.late()
	o.put <- n
	answer, err := Ask(ctx, Question{Own: true, Name: "sure", Params: json.RawMessage(goOn), Check: o.check})
	if err != nil {
		return err.Error()
	}
	return string(answer)
}

// waitFor waits until so many runs wait for their user.
func (o *owner) waitFor(t *testing.T, runs int64) {
	t.Helper()
	for end := time.Now().Add(patience); o.server.waiting.Load() < runs; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the runs do not ask")
		}
	}
}

// legacyDo is a call in the legacy era.
func legacyDo(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"do"}}`, id)
}

// Of the runs of one client one asks at a time; the others wait for their turn, in which they give up
// their places too. One that is cancelled leaves the queue.
func TestOwnQuestionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := owning(t, 1)
		h := connect(t, o.server)
		h.send(askingInit)
		h.next()
		for id := range 3 {
			h.send(legacyDo(id))
			synctest.Wait()
		}
		if got := h.have(); len(got) != 1 || got[0] != questionNo(1) || len(o.put) != 1 {
			t.Fatalf("%d questions are put: %q", len(o.put), got)
		}
		if runs, waiting := o.server.runs.Load(), o.server.waiting.Load(); runs != 0 || waiting != 3 {
			t.Errorf("%d runs go on and %d wait", runs, waiting)
		}
		h.send(cancelOf(1))
		if got := h.have(); len(got) > 0 {
			t.Errorf("the cancelled call: %q", got)
		}
		h.send(answerNo(1))
		if got := h.have(); len(got) != 2 || !strings.Contains(strings.Join(got, ""), questionNo(2)) || len(o.put) != 2 {
			t.Errorf("after the answer: %q", got)
		}
		h.send(answerNo(2))
		h.have()
		if err := h.close(); err != nil {
			t.Error(err)
		}
		o.noneLeft(t)
		close(o.came)
		var came []string
		for what := range o.came {
			came = append(came, what)
		}
		if want := []string{"context canceled", accepted, accepted}; strings.Join(came, "|") != strings.Join(want, "|") {
			t.Errorf("got %q", came)
		}
	})
}

// F15 (T07), legacy era: when the time for the answer is over the question is withdrawn, and an
// answer that comes then has no effect, neither on this question nor on the next.
func TestF15LegacyLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := owning(t, 2)
		h := connect(t, o.server)
		h.send(askingInit)
		h.next()
		h.send(legacyDo(1))
		h.want(questionNo(1))
		o.late()
		h.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"toolgraph-1"}}`)
		h.want(questionNo(2))
		h.send(answerNo(1))
		if got := h.have(); len(got) > 0 || len(o.came) != 1 {
			t.Errorf("a late answer: %q", got)
		}
		h.send(strings.Replace(answerNo(2), accepted, `{"action":"decline"}`, 1))
		h.send(answerNo(2)) // answered twice: the first answer counts
		h.have()
		if first, second := <-o.came, <-o.came; first != "context canceled" || second != `{"action":"decline"}` {
			t.Errorf("got %s and %s", first, second)
		}
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
}

// F15 (T07) over HTTP in the legacy era: sessions do not wait for each other, answer only their own
// questions, and each once.
func TestF15HTTPSessions(t *testing.T) {
	o := owning(t, 1)
	h := serveSite(t, o.server, HTTPOptions{})
	one, other := h.session(`{"elicitation":{}}`), h.session(`{"elicitation":{}}`)
	first := h.open(h.request(t.Context(), legacyDo(1), one))
	first.want(questionNo(1))
	second := h.open(h.request(t.Context(), legacyDo(1), other))
	second.want(questionNo(2)) // a session of its own
	refused := func(n int, session string) {
		t.Helper()
		if status, body := h.post(answerNo(n), session); status != 400 || !strings.Contains(body, "no open question of this session has this id") {
			t.Errorf("%d %s", status, body)
		}
	}
	refused(1, other)
	opened := make(chan *stream, 1)
	go func() { opened <- h.open(h.request(t.Context(), legacyDo(2), one)) }() // no line comes before its turn
	o.waitFor(t, 3)
	if status, body := h.post(answerNo(1), one); status != 202 {
		t.Errorf("%d %s", status, body)
	}
	third := <-opened
	third.want(questionNo(3))
	refused(1, one)
	o.late()
	third.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"toolgraph-3"}}`)
	refused(3, one)
	h.post(answerNo(2), other)
	o.noneLeft(t)
}

// A question has one answer, however fast the second one comes.
func TestF15AnsweredTwice(t *testing.T) {
	m := &message{id: []byte("1"), result: []byte(accepted)}
	q := &questions{pending: map[requestKey]chan asked{keyOf(session{name: "s"}, m.id): make(chan asked, 1)}}
	if q.answered(session{name: "other"}, m) || q.answered(session{"s", "someone"}, m) || !q.answered(session{name: "s"}, m) || q.answered(session{name: "s"}, m) {
		t.Error("answered twice, or by another session")
	}
}

// sureState is the state of an answer that is the run's own question of this name.
func sureState(t *testing.T, line, name string) string {
	t.Helper()
	found := givenState.FindStringSubmatch(line)
	if found == nil || !strings.Contains(line, `"inputRequests":{"`+name+`":{"method":"elicitation/create"`) {
		t.Fatalf("not the question %s: %s", name, line)
	}
	return found[1]
}

func sure(state, name, answer string) string {
	return fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:%s},`, state, name, answer)
}

const unknownState = "requestState is unknown: no run of this tool with these arguments waits for it in this process"

// F15 (T07), modern era: when the time for the answer is over its state is not valid any more, nor that
// of another run, nor one that was used. No call can carry the next question of the run then.
func TestF15ModernStates(t *testing.T) {
	o := owning(t, 2)
	h := connect(t, o.server)
	refused := func(state, name, why string) {
		t.Helper()
		h.send(askCall(9, "do", sure(state, name, accepted)))
		if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"`+why) {
			t.Errorf("got %s, want %s", got, why)
		}
	}
	h.send(askCall(1, "do", ""))
	state := sureState(t, h.next(), "sure")
	o.late()
	for i, want := range []string{"context canceled", "the client cannot be asked: its call ended with a question that it has not answered in time"} {
		if got := <-o.came; got != want {
			t.Errorf("question %d: %s", i+1, got)
		}
	}
	o.noneLeft(t)
	refused(state, "sure", unknownState)
	if n := len(o.server.pending.waiting); n != 0 {
		t.Errorf("%d states are left", n)
	}
	// Two runs: the answer to the question of one is no answer to that of the other.
	h.send(askCall(2, "do", ""))
	first := sureState(t, h.next(), "sure")
	h.send(strings.Replace(askCall(3, "do", ""), `"arguments":{}`, `"arguments":{"n":1}`, 1))
	second := sureState(t, h.next(), "sure")
	refused(second, "sure", unknownState) // bound to its arguments
	h.send(askCall(4, "do", sure(first, "sure", accepted)))
	next := sureState(t, h.next(), "sure#2")
	refused(first, "sure", unknownState) // was used
	if got := <-o.came; got != accepted {
		t.Errorf("got %s", got)
	}
	// F16 (T08): an answer to the first question is none to the second, also with the new state.
	refused(next, "sure", `inputResponses: expected an object with the answer under the key \"sure#2\"`)
	h.send(askCall(5, "do", sure(next, "sure#2", `{"action":"cancel"}`)))
	if got := h.next(); !strings.Contains(got, `"id":5,"result"`) || <-o.came != `{"action":"cancel"}` {
		t.Errorf("got %s", got)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
	o.noneLeft(t)
}

// F16 (T08): an answer that comes with a new call was given before the question, so it is none. An
// answer that is not accepted does not use up the state.
func TestF16ModernAnswersComeAfterTheQuestion(t *testing.T) {
	o := owning(t, 1)
	o.check = func(answer json.RawMessage) error {
		if strings.Contains(string(answer), `"n":1`) {
			return nil
		}
		return errors.New("n is missing")
	}
	h := connect(t, o.server)
	h.send(askCall(1, "do", `"inputResponses":{"sure":`+accepted+`},`))
	state := sureState(t, h.next(), "sure")
	h.send(askCall(2, "do", sure(state, "sure", `{"action":"accept","content":{}}`)))
	if got := h.next(); !strings.Contains(got, `"error":{"code":-32602,"message":"inputResponses.sure: n is missing"`) || len(o.came) > 0 {
		t.Errorf("got %s", got)
	}
	h.send(askCall(3, "do", sure(state, "sure", accepted)))
	if got := h.next(); !strings.Contains(got, `"id":3,"result"`) || <-o.came != accepted {
		t.Errorf("got %s", got)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

// A run's own questions have no patience but that of the run.
func TestOwnQuestionsOutlastThePatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := owning(t, 1)
		h := connect(t, o.server)
		h.send(askCall(1, "do", ""))
		state := sureState(t, h.next(), "sure")
		time.Sleep(2 * defaultPatience)
		h.send(askCall(2, "do", sure(state, "sure", accepted)))
		if got := h.next(); !strings.Contains(got, `"id":2,"result"`) {
			t.Errorf("got %s", got)
		}
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
}

// When the connection ends, so do the open questions and those that wait, in both eras, before the
// server returns; the runs are not cancelled before that.
func TestOwnQuestionsEndWithTheConnection(t *testing.T) {
	for name, begin := range map[string]func(h *host){
		"legacy": func(h *host) {
			h.send(askingInit)
			h.next()
			h.send(legacyDo(1))
			h.send(legacyDo(2))
			h.want(questionNo(1))
		},
		"modern": func(h *host) {
			for id := range 2 {
				h.send(askCall(id, "do", ""))
				sureState(h.t.(*testing.T), h.next(), "sure")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := owning(t, 1)
			o.after = 50 * time.Millisecond
			h := connect(t, o.server)
			begin(h)
			o.waitFor(t, 2)
			if err := h.close(); err != nil {
				t.Error(err)
			}
			if len(o.came) != 2 {
				t.Errorf("%d questions have ended before the server", len(o.came))
			}
			for range 2 {
				if got := <-o.came; got != ErrConnectionEnded.Error() {
					t.Errorf("got %s", got)
				}
			}
			if n := len(o.server.pending.waiting); n != 0 {
				t.Errorf("%d states are left", n)
			}
		})
	}
}

// Over HTTP a run of the modern era that waits for its user ends before the server does.
func TestOwnQuestionsEndWithTheHTTPServer(t *testing.T) {
	o := owning(t, 1)
	o.after = 50 * time.Millisecond
	h := serveSite(t, o.server, HTTPOptions{})
	_, headers := modernCall(1, "do", "{}")
	_, body := h.post(askCall(1, "do", ""), headers...)
	sureState(t, body, "sure")
	h.end()
	if len(o.came) != 1 || <-o.came != ErrConnectionEnded.Error() {
		t.Error("the question has not ended with the server")
	}
	o.noneLeft(t)
}
