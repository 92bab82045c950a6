package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// In the modern era only the client sends requests. A run that has a question ends its call
// with the question, and waits. The client calls again with the answer and with the state
// that came with the question; that call is answered with the result of the run or with its
// next question.

// interactiveRun is a run that may ask the user. It outlives the call that started it.
type interactiveRun struct {
	tool      string
	subject   string // of the access token of its first call
	arguments [sha256.Size]byte
	cancel    context.CancelCauseFunc
	follower  *follower
	name      *RunName
	leaves    bool            // see place
	task      chan struct{}   // closed when the run is a task, or goes on for one
	over      <-chan struct{} // closed when the run has ended
	why       string          // the error of the run; set before that
	questions chan *question  // from the run to the current call
	ended     chan []byte     // the answer line without its head; buffered
	outcome   Outcome         // of that answer; set before it is sent
	status    int             // likewise
	gone      <-chan struct{} // closed when no client can answer any more
	lost      chan struct{}   // closed when no call can come any more, because the last state was withdrawn

	asking chan struct{}  // has one element while a question is open
	names  map[string]int // how many own questions had a name; guarded by asking

	pending *pendingRuns
}

// question is an open question of a run.
type question struct {
	Question
	answer chan json.RawMessage // buffered

	state string // of the answer; "" before the client gets the question. Guarded by pendingRuns.mu
	over  bool   // the run does not wait any more; likewise
	taken bool   // a call brings the answer; likewise
}

// defaultPatience is how long a run waits for the answer to a question that is passed on, within
// its own limits. The run itself limits the time for its own questions.
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
	*question
	expiry *time.Timer // nil: the run itself ends its question
}

// errNotWaiting refuses a state that no run waits for.
var errNotWaiting = invalidParams("requestState is unknown: no run of this tool with these arguments waits for it in this process; " +
	"it was used, has expired or belongs to another server; call again without it")

// errNoCall is the error of a question that no call can carry to the client.
var errNoCall = &CannotAskError{
	Reason: "its call ended with a question that it has not answered in time",
	text:   "the client cannot be asked: its call ended with a question that it has not answered in time",
}

// runInteractive starts a run that may ask, or continues one, and appends the answer line.
func (s *Server) runInteractive(ctx context.Context, c *call, dst, id []byte) []byte {
	var t *interactiveRun
	if c.state != "" {
		if w := s.pending.take(c.state); w != nil {
			t = w.interactiveRun
			defer t.follower.attend(c)() // before the run continues
			w.answer <- c.reply
		} else if fault := s.unparks(c); fault != nil {
			c.outcome.Code = fault.code
			return s.appendRefusal(dst, id, fault)
		}
	}
	if t == nil {
		c.follower, c.name = newFollower(), &RunName{}
		defer c.follower.attend(c)()
		t = s.begin(c)
	}
	long, stop := s.tooLong(c)
	defer stop()
	for over := ctx.Done(); ; {
		select {
		case q := <-t.questions:
			answer := c.early[q.Name]
			if answer == nil || q.Own || checkAnswer(answer) != nil {
				if state := s.wait(t, q); state != "" {
					c.outcome.Waits = true
					return s.appendQuestion(dst, id, q, state)
				}
				continue // the run does not wait for the answer any more
			}
			delete(c.early, q.Name)
			q.answer <- answer
		case rest := <-t.ended:
			c.outcome, c.status = t.outcome, t.status
			return append(appendHead(dst, id), rest...)
		case <-long.C:
			if task, is := s.asTask(ctx, t, c); is {
				return s.appendTask(dst, id, &task)
			}
			long.Reset(s.opts.TaskAfter)
		case <-over:
			if t.cancel(nil); c.key == "" {
				return s.appendFailure(dst, id, c, "the run was cancelled")
			}
			over = nil // the run ends here, and may go on elsewhere: it says whether its client calls again
		}
	}
}

// unparks makes a call that brings the answer to a question one that continues its run, which has been parked meanwhile.
func (s *Server) unparks(c *call) *rpcError {
	if c.parked == nil {
		return errNotWaiting
	}
	state := c.state
	if c.state = ""; !s.reserve(c) {
		c.state = state // it has no place
		return &rpcError{code: codeInternal, message: s.busy()}
	}
	c.continued = c.parked
	return nil
}

// begin starts the run of a call. The run takes over the place of the call among the runs.
func (s *Server) begin(c *call) *interactiveRun {
	ctx, cancel := context.WithCancelCause(c.life)
	t := &interactiveRun{
		name: c.name, leaves: c.leaves, task: make(chan struct{}), over: ctx.Done(),
		tool: c.tool.request(), subject: c.subject, arguments: sha256.Sum256(c.arguments), cancel: cancel, follower: c.follower,
		questions: make(chan *question), ended: make(chan []byte, 1), gone: c.gone, lost: make(chan struct{}),
		asking: make(chan struct{}, 1), names: map[string]int{}, pending: &s.pending,
	}
	c.handedOver = true
	if c.goesOn {
		t.leaveCall()
	}
	run := *c
	run.arguments = bytes.Clone(c.arguments)
	if c.can != (abilities{}) {
		run.user = t
	}
	c.running.Go(func() {
		defer cancel(nil)
		id := []byte("0")
		rest := s.answer(ctx, &run, nil, id)[len(appendHead(nil, id)):]
		s.release() // before the client gets the answer
		run.from.release()
		t.outcome, t.status, t.why = run.outcome, run.status, run.why
		t.ended <- rest
	})
	return t
}

// turn waits until the run has no other question: its calls carry one at a time, and its task all. Other runs have
// calls of their own.
func (t *interactiveRun) turn(ctx context.Context) (done func(), err error) {
	select {
	case t.asking <- struct{}{}:
		return func() { <-t.asking }, nil
	case <-t.task:
		return func() {}, nil
	case <-t.gone:
		return nil, ErrConnectionEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// atOnce is closed when the run is a task: no call carries its questions any more, so they need not wait for each other.
func (t *interactiveRun) atOnce() <-chan struct{} { return t.task }

// ask waits for the call that carries the question to the client, and for the answer.
func (t *interactiveRun) ask(ctx context.Context, one Question) (raw json.RawMessage, err error) {
	q := &question{Question: one, answer: make(chan json.RawMessage, 1)}
	if q.Own && isClosed(t.task) { // the answer comes by a request about the task
		return t.replyTo(ctx, q)
	}
	if q.Name = cmp.Or(q.Name, unnamed); q.Own { // after a turn
		name := q.Name
		q.Name = t.unique(name)
		defer func() {
			switch taken := t.pending.withdraw(q); {
			case taken && err != nil: // a call brings the answer just now
				raw, err = <-q.answer, nil
			case q.state == "": // the client has not got it, and gets it later
				t.names[name]--
			}
		}()
	} else {
		done, err := t.turn(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	task := t.task
	if q.Own {
		task = nil // likewise
	}
	select {
	case t.questions <- q:
	case <-task:
		return nil, errTaskAsks
	case <-t.lost:
		return nil, errNoCall
	case <-t.gone:
		return nil, ErrConnectionEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return t.replyTo(ctx, q)
}

// replyTo waits for the answer to a question that the client has, or gets from the task.
func (t *interactiveRun) replyTo(ctx context.Context, q *question) (json.RawMessage, error) {
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-t.gone:
		return nil, ErrConnectionEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// unique returns a name that no own question of the run has had, so that the answer to an earlier
// question never passes for that to a later one: sure, then sure#2.
func (t *interactiveRun) unique(name string) string {
	if t.names[name]++; t.names[name] > 1 {
		return fmt.Sprintf("%s#%d", name, t.names[name])
	}
	return name
}

// wait registers a run until its answer arrives, and returns the state for the answer; "" when the
// run does not wait any more.
func (s *Server) wait(t *interactiveRun, q *question) string {
	p, state := &s.pending, s.newState(q, rand.Text())
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.over {
		return ""
	}
	q.state = state
	t.name.setLeft(true)
	w := &pendingRun{interactiveRun: t, question: q}
	p.waiting[q.state] = w
	if !q.Own {
		w.expiry = time.AfterFunc(p.patience, func() {
			if p.take(state) != nil {
				t.cancel(nil)
			}
		})
	}
	return state
}

// take removes and returns the run of a state; nil for an unknown state.
func (p *pendingRuns) take(state string) *pendingRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.waiting[state]
	if w != nil {
		if w.expiry != nil {
			w.expiry.Stop()
		}
		delete(p.waiting, state)
		w.taken = true
		w.name.setLeft(false)
	}
	return w
}

// withdraw makes the state of a question invalid: its run does not wait any more. It reports whether a call has taken the state
// before, which brings the answer.
func (p *pendingRuns) withdraw(q *question) (taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.over = true
	if w := p.waiting[q.state]; w != nil {
		delete(p.waiting, q.state)
		close(w.lost)
	}
	return q.taken
}

// resume checks the state and the answer of a call that continues a run.
func (s *Server) resume(c *call, m *message) *rpcError {
	c.state = text(m.requestState)
	s.pending.mu.Lock()
	w := s.pending.waiting[c.state]
	s.pending.mu.Unlock()
	if w == nil {
		return s.elsewhere(c, m)
	}
	if w.tool != c.tool.request() || w.subject != c.subject || w.arguments != sha256.Sum256(c.arguments) {
		return errNotWaiting
	}
	var answers map[string]json.RawMessage
	if m.inputResponses == nil || json.Unmarshal(m.inputResponses, &answers) != nil || answers[w.Name] == nil {
		return invalidParams("inputResponses: expected an object with the answer under the key " + wording.Quote(w.Name))
	}
	c.reply = answers[w.Name]
	if c.parked = s.continuedBy(c.state); c.parked != nil {
		c.parked.Answers = map[string]json.RawMessage{w.Name: c.reply}
	}
	err := checkAnswer(c.reply)
	if err == nil && w.Check != nil {
		err = w.Check(c.reply)
	}
	if err != nil {
		return invalidParams("inputResponses." + w.Name + ": " + err.Error())
	}
	return nil
}

// appendQuestion appends the answer line of a call whose run has a question.
func (s *Server) appendQuestion(dst, id []byte, q *question, state string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"resultType":"`+string(mcp.ResultTypeInputRequired)+`","inputRequests":{`...)
	dst = value.AppendString(dst, q.Name)
	dst = append(dst, `:{"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...)
	dst = append(append(dst, q.Params...), `}},"requestState":`...)
	dst = append(value.AppendString(dst, state), ',')
	return append(append(dst, s.self...), "}}\n"...)
}
