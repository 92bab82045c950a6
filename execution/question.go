package execution

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// User puts questions to the user of the client that called: ctx is that of the run, so it leads
// to the client, and ends with the run or when the time for the answer is over. Several goroutines
// call it at once, but one run has one question at a time, except for AtOnce. The error says why the user was not asked, and
// wraps ErrNoUser when no user can be; it wraps ErrSuspended when one may be later: then the run
// stays interrupted.
type User interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Turns is a User whose client gets one question at a time, also from several runs. Turn waits until
// the question may be put; the time for the answer begins then. done lets the next one go.
type Turns interface {
	Turn(ctx context.Context) (done func(), err error)
}

// AtOnce is a User that takes all questions of one run at the same time as soon as the channel is closed; nil never is. Until
// then a run has one question at a time. The channel is that of the run to which ctx belongs, such as one that becomes a
// task: its client can look at all open questions, and answer them in any order.
type AtOnce interface {
	AtOnce(ctx context.Context) <-chan struct{}
}

// ErrNoUser is the error of a User that cannot ask; what wraps it says why, as in "the host cannot
// ask its user (it has not declared elicitation)".
var ErrNoUser = errors.New("no user can be asked")

// WithUser sets who is asked; without it no user can be.
func WithUser(u User) Option { return func(h *hooks) { h.user = u } }

// Question is what a user is asked: to fill in a form, or to agree. It has no secrets.
type Question struct {
	Message string `json:"message"` // in plain text, also of a call to confirm: server, tool, effect and arguments
	Digest  string `json:"digest"`  // of what is asked: an answer is for the question with this digest only

	Form  *config.Data `json:"-"`               // the schema of the answer, as the file has it; nil: only yes or no
	Calls int          `json:"calls,omitempty"` // calls that wait for the answer; 0: the question is that of an ask node

	Server string        `json:"server,omitempty"` // of the calls
	Tool   string        `json:"tool,omitempty"`   // of the calls
	Effect config.Effect `json:"effect,omitempty"` // of the calls; empty: unknown

	Covers []string `json:"covers,omitempty"` // of a plan: the calls that the answer is for, see consents

	// Beside says that the earlier questions of the run stay open; else this one is its only question. Set by the engine.
	Beside bool `json:"beside,omitempty"`

	Run string  `json:"-"`
	At  Address `json:"-"` // of the ask, of the call, or of the forEach that makes the calls
	// Node is the name of the node for mocks: its id, facts.weather or todos_of_file:read.
	Node string `json:"-"`
}

// IsConfirmation reports whether calls wait for the answer.
func (q *Question) IsConfirmation() bool { return q.Calls > 0 }

// Action is what a user did with a question.
type Action string

// The actions. TimedOut and NoUser are the engine's: a User returns errors for them.
const (
	Accept   Action = "accept"
	Decline  Action = "decline"
	Dismiss  Action = "cancel" // the word of the protocol
	TimedOut Action = "timeout"
	NoUser   Action = "no-user"
)

// Answer is the answer to a question.
type Answer struct {
	Action  Action
	Content value.Value // of an accepted form: an object; nil for none

	// Set by the engine.
	Why    string        // of NoUser: why no user could be asked
	Lacks  string        // of NoUser: the capability that the client has not declared; "": it is not that
	Digest string        // of the question
	Time   time.Time     // of the answer; in a journal that of the event
	Stood  time.Duration // how long the time of the run stood still meanwhile
}

// Unasked returns the answer to a question that a User has not put: err says why. Where it has a method
// MissingCapability, the client has not declared what that returns.
func Unasked(err error) Answer {
	a := Answer{Action: NoUser, Why: err.Error()}
	var lacking interface{ MissingCapability() string }
	if errors.As(err, &lacking) {
		a.Lacks = lacking.MissingCapability()
	}
	return a
}

type answerJSON struct {
	Action  Action     `json:"action"`
	Content value.JSON `json:"content,omitzero"`
	Why     string     `json:"why,omitempty"`
	Lacks   string     `json:"lacks,omitempty"`
	Digest  string     `json:"digest"`
	Stood   int64      `json:"stoodMs,omitempty"`
}

// MarshalJSON writes action and digest; content, why, lacks and stoodMs where they apply.
func (a Answer) MarshalJSON() ([]byte, error) {
	return json.Marshal(answerJSON{Action: a.Action, Content: value.JSON{Value: a.Content}, Why: a.Why, Lacks: a.Lacks, Digest: a.Digest, Stood: a.Stood.Milliseconds()})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (a *Answer) UnmarshalJSON(src []byte) error {
	var in answerJSON
	err := json.Unmarshal(src, &in)
	*a = Answer{Action: in.Action, Content: in.Content.Value, Why: in.Why, Lacks: in.Lacks, Digest: in.Digest, Stood: time.Duration(in.Stood) * time.Millisecond}
	return err
}
