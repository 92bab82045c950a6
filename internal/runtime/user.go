package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// NoUserError is why no user can be asked; it is an execution.ErrNoUser.
type NoUserError struct {
	Why   string
	lacks string // see MissingCapability
}

func (e *NoUserError) Error() string { return e.Why }

// MissingCapability returns the capability that the client has not declared; empty when that is not the
// reason.
func (e *NoUserError) MissingCapability() string { return e.lacks }

// Is lets errors.Is match execution.ErrNoUser.
func (*NoUserError) Is(target error) bool { return target == execution.ErrNoUser }

// absentUser is the user of a process that cannot ask one.
type absentUser struct{}

// Ask returns that no user can be asked.
func (absentUser) Ask(context.Context, execution.Question) (execution.Answer, error) {
	return execution.Answer{}, &NoUserError{Why: "this process has no user to ask"}
}

// ClientAsker asks the user of the client that called.
type ClientAsker struct{}

// Elicitor passes the questions of upstream servers on.
func (ClientAsker) Elicitor(*config.Secrets) mcpclient.Elicitor { return askUser }

// User returns the user of the client.
func (ClientAsker) User(string, *config.Secrets) execution.User { return hostUser{} }

// hostUser asks the user of the client whose call a run belongs to.
type hostUser struct{}

// Turn waits until the client has answered the questions of other runs.
func (hostUser) Turn(ctx context.Context) (done func(), err error) {
	if done, err = asksOf(ctx).inTurn(ctx, server.Turn); err != nil {
		return nil, hostError(err)
	}
	return done, nil
}

// AtOnce returns a channel that is closed when the run has become a task.
func (hostUser) AtOnce(ctx context.Context) <-chan struct{} { return server.AtOnce(ctx) }

// Ask asks after a Turn. A client of the modern era can correct an answer that does not match the
// form; what one of the legacy era answers is the engine's to check.
func (hostUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	mark := markOf(q.At, q.Digest)
	raw, sent, err := askHere(ctx, q, func(ctx context.Context) (json.RawMessage, error) {
		return asksOf(ctx).ask(ctx, mark, func(ctx context.Context) (json.RawMessage, error) {
			return server.Ask(ctx, server.Question{
				Own: true, Name: q.Node, Params: Elicitation(&q), Run: q.Run, Mark: mark,
				Check: func(raw json.RawMessage) error { return checkAnswer(ctx, &q, raw) },
			})
		})
	})
	var a execution.Answer
	switch {
	case sent != nil:
		return *sent, nil
	case err == nil:
		a, err = readAnswer(&q, raw)
	}
	if err != nil {
		return execution.Answer{}, hostError(err)
	}
	return a, nil
}

// hostError returns the error of a question for the engine.
func hostError(err error) error {
	var cannot *server.CannotAskError
	switch {
	case errors.As(err, &cannot):
		return &NoUserError{"the host cannot ask its user (" + cannot.Reason + ")", cannot.MissingCapability()}
	case errors.Is(err, server.ErrConnectionEnded):
		return fmt.Errorf("%w: %w", execution.ErrSuspended, err) // the process ends too
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("the host has not answered the question: %w", err)
}

// yesOrNoForm is the schema of an answer that is only yes or no: the protocol requires one.
const yesOrNoForm = `{"type":"object","properties":{}}`

// Elicitation returns the params of elicitation/create for a question.
func Elicitation(q *execution.Question) json.RawMessage {
	dst := value.AppendString([]byte(`{"message":`), wording.Printable(q.Message))
	dst = append(dst, `,"requestedSchema":`...)
	if q.Form == nil {
		dst = append(dst, yesOrNoForm...)
	} else {
		dst = append(dst, q.Form.JSON()...)
	}
	return append(dst, '}')
}

// readAnswer reads the result of elicitation/create. The content of an answer to a question without
// a form has no meaning.
func readAnswer(q *execution.Question, raw json.RawMessage) (a execution.Answer, err error) {
	v, err := value.Decode(raw)
	if err != nil {
		return a, fmt.Errorf("the answer is not valid JSON: %w", err)
	}
	answer, _ := v.(value.Object)
	if answer == nil {
		return a, errors.New("the answer is not an object")
	}
	action, _ := answer.Get("action")
	switch said, _ := action.(string); execution.Action(said) {
	case execution.Accept:
		a.Action = execution.Accept
		if q.Form != nil {
			a.Content, _ = answer.Get("content")
		}
	case execution.Decline:
		a.Action = execution.Decline
	case execution.Dismiss:
		a.Action = execution.Dismiss
	default:
		return a, errors.New("the answer has no action; expected accept, decline or cancel")
	}
	return a, nil
}

// checkAnswer returns why an answer does not match the form of its question.
func checkAnswer(ctx context.Context, q *execution.Question, raw json.RawMessage) error {
	a, err := readAnswer(q, raw)
	switch {
	case err != nil:
		return err
	case a.Action != execution.Accept || q.Form == nil:
		return nil
	case a.Content == nil:
		return errors.New("the action is accept and content is missing; expected an object that matches requestedSchema")
	}
	form, err := schema.Compile(q.Form.JSON())
	if err != nil {
		return nil //nolint:nilerr // the engine has compiled it too, and checks the content
	}
	problems, err := form.Check(ctx, a.Content)
	if err == nil && len(problems) > 0 {
		err = errors.New("the content does not match requestedSchema: " + problems.Text("content"))
	}
	return err
}

// InTurn is a user who may have to be waited for.
type InTurn struct{ execution.User }

// Turn waits until the user may be asked.
func (u InTurn) Turn(ctx context.Context) (done func(), err error) {
	if all, has := u.User.(execution.Turns); has {
		return all.Turn(ctx)
	}
	return func() {}, nil
}

// AtOnce returns when all questions can be put at once, see execution.AtOnce.
func (u InTurn) AtOnce(ctx context.Context) <-chan struct{} {
	if all, has := u.User.(execution.AtOnce); has {
		return all.AtOnce(ctx)
	}
	return nil
}

// ask asks after a Turn.
func (u InTurn) ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	done, err := u.Turn(ctx)
	if err != nil {
		return execution.Answer{}, err
	}
	defer done()
	return u.Ask(ctx, q)
}

// SuspendingUser asks a user, and suspends the run when it cannot: the user may be reached later.
type SuspendingUser struct {
	InTurn
	Why error // why the user could not be asked; nil: it could
}

// Ask asks the user; an error that is an execution.ErrNoUser becomes an execution.ErrSuspended.
func (u *SuspendingUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	a, err := u.User.Ask(ctx, q)
	if errors.Is(err, execution.ErrNoUser) {
		u.Why = err
		err = fmt.Errorf("%w: %w", execution.ErrSuspended, err)
	}
	return a, err
}

// laterUser suspends runs that ask: the person to ask may come later.
type laterUser struct{ asked *execution.Question }

// Ask returns an error that is an execution.ErrSuspended.
func (u *laterUser) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	u.asked = &q
	return execution.Answer{}, fmt.Errorf("a run in the background has no user to ask: %w", execution.ErrSuspended)
}

// askUser passes the question of an upstream server on to the user of the client that called,
// and says which server asks. The host may show it on a terminal, so it gets printable text.
func askUser(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	var message string
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["message"], &message) != nil {
		return nil, errors.New("the question has no message")
	}
	message = fmt.Sprintf("The server %q asks: %s", upstream, wording.Foreign(message))
	var err error
	if fields["message"], err = json.Marshal(message); err != nil {
		return nil, err
	}
	if params, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	return server.Ask(ctx, server.Question{Params: params, Name: mcpclient.QuestionName(ctx)})
}
