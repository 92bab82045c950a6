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

// In the modern era only the client sends requests. A run that has a question ends its call
// with the question, and waits. The client calls again with the answer and with the state
// that came with the question; that call is answered with the result of the run or with its
// next question.

// interactiveRun is a run that may ask the user. It outlives the call that started it.
type interactiveRun struct {
	tool      string
	arguments [sha256.Size]byte
	cancel    context.CancelFunc
	follower  *follower
	questions chan question // from the run to the current call
	ended     chan []byte   // the answer line without its head; buffered
}

// question is an open question of a run.
type question struct {
	name   string // the key of the answer in inputResponses
	params json.RawMessage
	answer chan json.RawMessage // buffered
}

// defaultPatience is how long a run waits for an answer, within its own limits.
const defaultPatience = 10 * time.Minute

// unnamed is the name of a question without a name.
const unnamed = "question"

// pendingRuns are the runs that wait for an answer, by the requestState that the answer must
// have. Each state is valid for one answer. Safe for concurrent use.
type pendingRuns struct {
	patience time.Duration // how long a run waits for an answer

	mu      sync.Mutex // guards waiting
	waiting map[string]*pendingRun
}

type pendingRun struct {
	*interactiveRun
	question
	expiry *time.Timer
}

// errNotWaiting refuses a state that no run waits for.
var errNotWaiting = invalidParams("requestState is unknown: no run of this tool with these arguments waits for it in this process; " +
	"it was used, has expired or belongs to another server; call again without it")

// runInteractive starts a run that may ask, or continues one, and appends the answer line.
func (s *Server) runInteractive(ctx context.Context, c *call, dst, id []byte) []byte {
	var t *interactiveRun
	if c.state != "" {
		w := s.pending.take(c.state)
		if w == nil {
			return s.appendRefusal(dst, id, errNotWaiting)
		}
		t = w.interactiveRun
		defer t.follower.attend(c)() // before the run continues
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
				return s.appendQuestion(dst, id, q, s.pending.wait(t, q))
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

// begin starts the run of a call. The run takes over the place of the call among the runs.
func (s *Server) begin(c *call) *interactiveRun {
	ctx, cancel := context.WithCancel(c.life)
	t := &interactiveRun{
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
		s.release() // before the client gets the answer
		run.from.release()
		t.ended <- rest
	}()
	return t
}

func (t *interactiveRun) ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
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

// wait registers a run until its answer arrives, and returns the state for the answer.
func (p *pendingRuns) wait(t *interactiveRun, q question) (state string) {
	state = rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[state] = &pendingRun{interactiveRun: t, question: q, expiry: time.AfterFunc(p.patience, func() {
		if p.take(state) != nil {
			t.cancel()
		}
	})}
	return state
}

// take removes and returns the run of a state; nil for an unknown state.
func (p *pendingRuns) take(state string) *pendingRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.waiting[state]
	if w != nil {
		w.expiry.Stop()
		delete(p.waiting, state)
	}
	return w
}

// resume checks the state and the answer of a call that continues a run.
func (s *Server) resume(c *call, m *message) *rpcError {
	c.state = text(m.requestState)
	s.pending.mu.Lock()
	w := s.pending.waiting[c.state]
	s.pending.mu.Unlock()
	if w == nil || w.tool != c.tool.name || w.arguments != sha256.Sum256(c.arguments) {
		return errNotWaiting
	}
	var answers map[string]json.RawMessage
	if m.inputResponses == nil || json.Unmarshal(m.inputResponses, &answers) != nil || answers[w.name] == nil {
		return invalidParams("inputResponses: expected an object with the answer under the key " + wording.Quote(w.name))
	}
	c.reply = answers[w.name]
	if err := checkAnswer(c.reply); err != nil {
		return invalidParams("inputResponses." + w.name + ": " + err.Error())
	}
	return nil
}

// appendQuestion appends the answer line of a call whose run has a question.
func (s *Server) appendQuestion(dst, id []byte, q question, state string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"resultType":"`+string(mcp.ResultTypeInputRequired)+`","inputRequests":{`...)
	dst = value.AppendString(dst, q.name)
	dst = append(dst, `:{"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...)
	dst = append(append(dst, q.params...), `}},"requestState":`...)
	dst = append(value.AppendString(dst, state), ',')
	return append(append(dst, s.self...), "}}\n"...)
}
