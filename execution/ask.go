package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// ask puts the question of an ask node. Nothing catches a failure of its message.
func (l *live) ask(s *site, n *graph.Ask) (outcome, error) {
	if failed := l.resolve(s, nil); failed != nil {
		return ended(failed)
	}
	start := l.clock.now()
	message, err := s.message(n)
	if err != nil {
		return s.fails(start, err)
	}
	q := s.question(message, message)
	q.Form = n.Fields
	a, failed, err := l.put(s, q, n.Timeout)
	if err != nil {
		return outcome{}, err
	}
	var output value.Value = value.NewMap()
	if failed == nil && n.Form != nil {
		output = a.Content
		failed = s.fills(n, q, output)
	}
	switch {
	case failed == nil:
		rec := s.frame.record(s, start, output, nil)
		return recorded(rec, true)
	case suspended(l.base, failed) || failed.interrupted():
		return ended(s.located(failed))
	}
	rec := s.frame.record(s, start, nil, withHelp(n.Help, failed))
	return recorded(rec, true)
}

// message evaluates the message of an ask.
func (s *site) message(n *graph.Ask) (text string, err error) {
	defer recovered(&err)
	v, err := n.Message.Eval(s.work, s.scope)
	if err != nil {
		return "", err
	}
	text, isText := v.(string)
	if !isText || text == "" {
		return "", failureAt(CodeExpression, n, nil, "message of node %q is not a text; make it one with $string", n.ID())
	}
	if most := graph.LongestMessage; utf8.RuneCountInString(text) > most {
		return "", failureAt(CodeExpression, n, nil, "message of node %q has %d characters, at most %d are shown; shorten it with $substring",
			n.ID(), utf8.RuneCountInString(text), most)
	}
	return text, nil
}

// fills returns the failure of an answer that does not match the form.
func (s *site) fills(n *graph.Ask, q *Question, content value.Value) *Failure {
	problems, err := n.Form.Check(s.work, orNull(content))
	if err != nil {
		return failureOf(s.ctx, n, err)
	}
	if len(problems) == 0 {
		return nil
	}
	return userFailure(n, config.FailDismissed, "the host sent an answer that does not match the form of %s: %s", q.short(), problems.Text("answer"))
}

// question returns a question at the site. What is asked identifies it.
func (s *site) question(message string, asked value.Value) *Question {
	return &Question{
		Message: s.frame.graph.Secrets.Redact(message), Digest: digest(asked), Run: s.frame.live.id, At: s.address(),
		Node: call.NameOf(s.frame.tool, s.owner.ID(), s.part),
	}
}

// shortQuestion is how many characters of a question a failure has room for.
const shortQuestion = 200

func (q *Question) short() string {
	return wording.Quote(wording.Truncate(wording.OneLine(q.Message), shortQuestion))
}

// put puts a question, unless the run has the answer already. The failure is that of a user who
// has not agreed, or of a run that ends.
func (l *live) put(s *site, q *Question, timeout time.Duration) (Answer, *Failure, error) {
	a, known := l.past.answer(q)
	if !known {
		var failed *Failure
		var err error
		if a, failed, err = l.askUser(s, q, timeout); failed != nil || err != nil {
			return a, failed, err
		}
	}
	switch a.Action {
	case Accept:
		return a, nil, nil
	case Decline:
		return a, userFailure(s.node, config.FailDeclined, "the user declined: %s", q.short()), nil
	case TimedOut:
		return a, userFailure(s.node, config.FailTimeout, "the user did not answer within %s: %s", timeout, q.short()), nil
	case NoUser:
		needs := "this node asks: " + q.short()
		if q.IsConfirmation() {
			needs = fmt.Sprintf("the call of %s needs to be confirmed", strings.TrimPrefix(q.Server+"."+q.Tool, "."))
		}
		failed := userFailure(s.node, config.FailNoUser, "%s, and %s", cmp.Or(a.Why, ErrNoUser.Error()), needs)
		failed.Lacks = a.Lacks
		return a, failed, nil
	}
	return a, userFailure(s.node, config.FailDismissed, "the user closed the question: %s", q.short()), nil
}

func userFailure(node graph.Node, code config.FailureCode, format string, args ...any) *Failure {
	failed := failureAt(CodeUser, node, nil, format, args...)
	failed.Detail = string(code)
	return failed
}

// askUser asks, and records the question and the answer. A run has one question at a time, except for AtOnce.
func (l *live) askUser(s *site, q *Question, timeout time.Duration) (a Answer, failed *Failure, err error) {
	s.begin() // other parts do not wait for the answer
	done := l.turn(s, q)
	if done != nil {
		defer done()
	}
	if err := s.ctx.Err(); err != nil {
		return a, endOf(s.ctx, s.node, "before its question", err), nil
	}
	if failed := l.hooks.stopped(); failed != nil {
		return a, failed, nil
	}
	asked := Event{Kind: QuestionAsked, Run: l.id, Time: l.clock.now(), Step: s.visit(), Question: q}
	if err := l.emit(s.ctx, &asked); err != nil {
		return a, nil, err
	}
	a, why := l.answerOf(s, q, timeout)
	var fault *PanicError
	var coded interface{ ErrorCode() string }
	switch {
	case errors.As(why, &fault):
		return a, failureOf(s.ctx, s.node, why), nil
	case errors.Is(why, ErrSuspended):
		return a, suspension(), nil
	case s.ctx.Err() != nil:
		return a, endOf(s.ctx, s.node, "while it waited for an answer of the user", s.ctx.Err()), nil
	case errors.As(why, &coded):
		return a, userFailure(s.node, config.FailureCode(coded.ErrorCode()), "%s", why), nil
	case why != nil:
		a = Unasked(why)
	}
	a.Digest, a.Time, a.Stood = q.Digest, l.clock.now(), l.clock.takeStood()
	answered := Event{Kind: Answered, Run: l.id, Time: a.Time, Step: s.visit(), Answer: &a, Sync: true}
	return a, nil, l.emit(s.ctx, &answered)
}

// errTimedOut is the cause of a context that the time for an answer has ended.
var errTimedOut = errors.New("the time for the answer is over")

// answerOf waits for the turn of the client, then for the answer, whose time begins then. A run that
// is to be suspended does not wait for either.
func (l *live) answerOf(s *site, q *Question, timeout time.Duration) (a Answer, err error) {
	defer recovered(&err)
	defer l.clock.wait(s.frame.pace)()
	user := l.hooks.user
	if user == nil {
		return a, ErrNoUser
	}
	ctx, suspend := context.WithCancelCause(s.ctx)
	defer suspend(nil)
	inTurn, hasTurn := l.waits(ctx, wait{})
	defer func() { hasTurn() }()
	if l.hooks.stop != nil {
		go func() {
			select {
			case <-l.hooks.stop:
				suspend(ErrSuspended)
			case <-ctx.Done():
			}
		}()
	}
	if all, has := user.(Turns); has {
		done, err := all.Turn(inTurn)
		if err != nil {
			return a, cmp.Or(suspendedBy(inTurn), err)
		}
		defer done()
	}
	timeout = l.remains(s.address(), timeout)
	until := l.clock.now().Add(timeout)
	asking, answered := l.waits(ctx, wait{at: s.address(), due: until, until: until})
	hasTurn()
	hasTurn = answered
	if err := asking.Err(); err != nil { // while the question was recorded
		return a, cmp.Or(suspendedBy(asking), err)
	}
	timed, cancel := context.WithTimeoutCause(asking, timeout, errTimedOut)
	defer cancel()
	a, err = user.Ask(timed, *q)
	switch {
	case err == nil:
		return a, nil
	case suspendedBy(asking) != nil:
		return a, ErrSuspended
	case errors.Is(context.Cause(timed), errTimedOut):
		return Answer{Action: TimedOut}, nil
	}
	return a, err
}

// suspendedBy returns ErrSuspended when that has ended the context; or nil.
func suspendedBy(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrSuspended) {
		return ErrSuspended
	}
	return nil
}

// turn waits until the run has no other question, or may have this one beside others. done lets the next one go; nil when
// the run has ended before.
//
// A part that waits for its turn when the user begins to take all questions at once does not wait any longer. The question
// that has the turn then stays open; those that come later are beside it, up to mostBeside.
func (l *live) turn(s *site, q *Question) (done func()) {
	l.mu.Lock()
	if l.asking == nil {
		l.asking, l.besides = make(chan struct{}, 1), make(chan struct{}, mostBeside)
	}
	asking, besides := l.asking, l.besides
	l.mu.Unlock()
	var atOnce <-chan struct{}
	if all, has := l.hooks.user.(AtOnce); has {
		atOnce = all.AtOnce(s.ctx)
	}
	defer l.clock.wait(s.frame.pace)()
	ctx, back := l.waits(s.ctx, wait{})
	defer back()
	select {
	case <-atOnce: // before a free turn
	default:
		select {
		case asking <- struct{}{}:
			return func() { <-asking }
		case <-atOnce:
		case <-ctx.Done():
			return nil
		}
	}
	select {
	case besides <- struct{}{}:
		q.Beside = true
		return func() { <-besides }
	case <-ctx.Done():
		return nil
	}
}

// mostBeside is how many questions a run has beside another: they are all in its row of a store.
const mostBeside = 16

// answer returns the answer that a resumed run has to a question: only to this one, with the same
// digest.
func (p *past) answer(q *Question) (Answer, bool) {
	if p == nil {
		return Answer{}, false
	}
	a, known := p.answers[q.At]
	return a, known && a.Digest == q.Digest
}
