package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// In the modern era nobody but the client sends requests. A run that has a question ends
// its call with the question, and waits; the client calls again with the answer and the
// state that came with the question, and that call is answered with what the run comes
// to, or with its next question.

// talk is a run that may ask. It outlives the call that began it.
type talk struct {
	tool      string
	arguments [sha256.Size]byte
	cancel    context.CancelFunc
	follower  *follower
	questions chan question // from the run to the call at hand
	ended     chan []byte   // the answer without its head; holds one
}

// question is what a run waits for.
type question struct {
	name   string // under which the answer must come
	params json.RawMessage
	answer chan json.RawMessage // holds one
}

// defaultPatience is how long a run waits for an answer, if its own limits let it.
const defaultPatience = 10 * time.Minute

// unnamed is the name of a question that has none.
const unnamed = "question"

// talks are the runs that wait for an answer, by the state that the answer must come
// with. Each state is good for one answer. Safe for concurrent use.
type talks struct {
	patience time.Duration // how long a run waits for an answer

	mu      sync.Mutex // guards waiting
	waiting map[string]*waitingTalk
}

type waitingTalk struct {
	*talk
	question
	expiry *time.Timer
}

// errNotWaiting is a state that no run waits with.
var errNotWaiting = invalidParams("requestState: no run of this tool with these arguments waits for it here: it was used already, has expired, " +
	"or is not of this server; call again without it")

// converse begins a run that may ask, or goes on with one, and appends the answer line.
func (s *Server) converse(ctx context.Context, c *call, dst, id []byte) []byte {
	var t *talk
	if c.state != "" {
		w := s.talks.take(c.state)
		if w == nil {
			return s.appendRefusal(dst, id, errNotWaiting)
		}
		t = w.talk
		defer t.follower.attend(c)() // before the run goes on
		w.answer <- c.reply
	} else {
		c.follower = newFollower()
		defer c.follower.attend(c)()
		t = s.begin(c)
	}
	for {
		select {
		case q := <-t.questions:
			answer := c.early[q.name]
			if answer == nil || checkAnswer(answer) != nil {
				return s.appendQuestion(dst, id, q, s.talks.wait(t, q))
			}
			delete(c.early, q.name)
			q.answer <- answer
		case rest := <-t.ended:
			return append(appendHead(dst, id), rest...)
		case <-ctx.Done():
			t.cancel()
			return s.appendFailure(dst, id, c, "the run was cancelled")
		}
	}
}

// begin starts the run of a call, which takes over the call's place among the runs.
func (s *Server) begin(c *call) *talk {
	ctx, cancel := context.WithCancel(c.life)
	t := &talk{
		tool: c.tool.name, arguments: sha256.Sum256(c.arguments), cancel: cancel, follower: c.follower,
		questions: make(chan question), ended: make(chan []byte, 1),
	}
	c.handedOver = true
	run := *c
	run.arguments = bytes.Clone(c.arguments)
	run.ask = t.ask
	go func() {
		defer cancel()
		id := []byte("0")
		rest := s.answer(ctx, &run, nil, id)[len(appendHead(nil, id)):]
		s.release() // before the client can know that it has ended
		run.from.release()
		t.ended <- rest
	}()
	return t
}

func (t *talk) ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	q := question{name: unnamed, params: params, answer: make(chan json.RawMessage, 1)}
	if name, _ := ctx.Value(nameKey{}).(string); name != "" {
		q.name = name
	}
	select {
	case t.questions <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wait keeps a talk until its answer comes, and is the state that it must come with.
func (ts *talks) wait(t *talk, q question) (state string) {
	state = rand.Text()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.waiting[state] = &waitingTalk{talk: t, question: q, expiry: time.AfterFunc(ts.patience, func() {
		if ts.take(state) != nil {
			t.cancel()
		}
	})}
	return state
}

// take is the talk of a state, which is used up by it; nil when there is none.
func (ts *talks) take(state string) *waitingTalk {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	w := ts.waiting[state]
	if w != nil {
		w.expiry.Stop()
		delete(ts.waiting, state)
	}
	return w
}

// resume checks what a call brings to go on with a run that waits.
func (s *Server) resume(c *call, m *message) *rpcError {
	c.state = text(m.requestState)
	s.talks.mu.Lock()
	w := s.talks.waiting[c.state]
	s.talks.mu.Unlock()
	if w == nil || w.tool != c.tool.name || w.arguments != sha256.Sum256(c.arguments) {
		return errNotWaiting
	}
	var answers map[string]json.RawMessage
	if m.inputResponses == nil || json.Unmarshal(m.inputResponses, &answers) != nil || answers[w.name] == nil {
		return invalidParams("inputResponses: expected an object with the answer under " + wording.Quote(w.name))
	}
	c.reply = answers[w.name]
	if err := checkAnswer(c.reply); err != nil {
		return invalidParams("inputResponses." + w.name + ": " + err.Error())
	}
	return nil
}

// appendQuestion appends the answer of a call whose run has a question.
func (s *Server) appendQuestion(dst, id []byte, q question, state string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"resultType":"`+string(mcp.ResultTypeInputRequired)+`","inputRequests":{`...)
	dst = value.AppendString(dst, q.name)
	dst = append(dst, `:{"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...)
	dst = append(append(dst, q.params...), `}},"requestState":`...)
	dst = append(value.AppendString(dst, state), ',')
	return append(append(dst, s.self...), "}}\n"...)
}
