package runtime

import (
	"encoding/json"

	"toolgraph/execution"
)

// joining is a call that joins a run. It belongs to one goroutine.
type joining struct {
	id     string    // of the run
	state  joinState // nil: following
	alone  bool      // no later run is joined
	waited string    // the run for which it has waited for a process that has the version of the graph that the run began with

	identity
	client
	replies

	report *reporter // of the steps of a run that others make; nil: none
	leave  func()    // ends that
}

// joinState is what a call does about the run that it has joined: it is following, answering or leaving it.
type joinState interface{ isJoinState() }

// following is the state of a call whose run it is. It resumes the run when that is interrupted, cancels it when its
// client cancels the call, and goes on with a later run.
type following struct{}

// answering is the state of a call that came to answer the questions of a run. It ends when its user cannot be asked,
// and the run goes on when the call ends.
type answering struct{}

// leaving is the state of a call whose process ends, and which waits for another process that resumes the run.
type leaving struct {
	result *execution.Result // of the run in this process; nil when this process has resumed the run
	err    error
}

func (following) isJoinState() {}
func (answering) isJoinState() {}
func (leaving) isJoinState()   {}

// identity is what the run of a call is compared with.
type identity struct {
	tool    string // that is called
	caller  string // of the run, if it is to be compared
	refused error  // for a run of another tool or caller; nil: they are not compared
}

// client is who has made a call.
type client struct {
	user    execution.User
	canAsk  bool               // see server.Called
	options []execution.Option // of a run that is resumed here for it
}

// replies are the answers to questions of a run that a call has, and those that it cannot get. Questions are
// distinguished by their marks.
type replies struct {
	given   map[string]json.RawMessage // answers that came with the call, by the names of questions
	mark    string                     // of the question that they are for
	answers map[string]execution.Answer
	unasked map[string]bool // the user of this client cannot be asked
}
