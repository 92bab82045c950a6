package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	stack "runtime/debug"
	"sync"

	"toolgraph/expressions/value"
)

// call is one tools/call.
type call struct {
	tool      *tool
	from      *catalog // where the tool is listed
	arguments []byte
	modern    bool

	token  []byte                         // progressToken; nil: the client asks for no progress
	level  severity                       // the least severe log messages to send
	notify func(fill func([]byte) []byte) // sends a line before the answer

	follower *follower // reports the progress of the run; nil: the client asks for no reports

	subject    string                     // of the access token of the client; "" without one
	can        abilities                  // the questions that the client can show its user
	user       user                       // nil: the client cannot show questions
	life       context.Context            // the context of a run that outlives its call
	gone       <-chan struct{}            // closed when the client of such a run cannot answer any more
	running    *sync.WaitGroup            // of such runs
	leaves     bool                       // see place
	tasks      bool                       // the client declares the extension for tasks, which are offered
	apps       bool                       // the client shows the result in a view
	shown      []byte                     // what the view shows: a member of _meta; nil: nothing
	name       *RunName                   // of its run; nil: it is not asked for
	state      string                     // requestState of the run that the call continues; "" for a new run
	reply      json.RawMessage            // for that run
	parked     *Continued                 // the same call, if that run is parked meanwhile; nil: it cannot be
	early      map[string]json.RawMessage // answers that came with a new run, by the names of questions
	key        string                     // the client's name of the call; "": none
	continued  *Continued                 // of a run that this process does not have; nil: none
	goesOn     bool                       // there is no call: the run goes on for its task
	handedOver bool                       // the run has taken over the call's place and catalog
	outcome    Outcome                    // of the answer
	status     int                        // of the answer over HTTP; 0: 200
	why        string                     // the error of the run; "": none
	again      bool                       // the error says nothing of the run: the call can be made again
}

// newCall finds the tool and checks the form of the call. An error here is a mistake of the
// client and never reaches a model; arguments that do not fit the schema do. The caller must
// release the catalog of the call when it has ended.
func (s *Server) newCall(m *message, at era, subject string) (*call, *rpcError) {
	from := s.current()
	c, fault := from.newCall(m, at)
	if fault == nil {
		c.subject = subject
		c.tasks = c.modern && !c.tool.prompt && s.opts.Tasks != nil && declaresTasks(m.capabilities) // the extension is for tools
		c.apps = m.apps && c.tool.appDetails != nil && !c.tool.prompt
		fault = s.mustTask(c)
	}
	if fault == nil && c.modern && m.requestState != nil {
		fault = s.resume(c, m)
	}
	if fault != nil {
		from.release()
		return nil, fault
	}
	return c, nil
}

func (from *catalog) newCall(m *message, at era) (*call, *rpcError) {
	t, fault := from.wanted(m)
	if fault != nil {
		return nil, fault
	}
	c := &call{tool: t, from: from, arguments: emptyObject, modern: at == modern}
	switch {
	case at == legacy && (m.requestState != nil || m.inputResponses != nil):
		return nil, invalidParams("requestState and inputResponses belong to protocol version 2026-07-28; leave them out")
	case m.arguments != nil && m.arguments[0] != '{':
		return nil, invalidParams("arguments: expected an object, got " + describeRaw(m.arguments))
	case m.depth > maxArgumentsDepth:
		return nil, invalidParams(fmt.Sprintf("arguments: nested %d levels deep, at most %d are allowed", m.depth, maxArgumentsDepth))
	case m.arguments != nil:
		c.arguments = m.arguments
	}
	if validID(m.progressToken) {
		c.token = m.progressToken
	}
	if c.modern {
		c.can = abilitiesOf(m.capabilities)
		if m.inputResponses != nil && m.requestState == nil {
			_ = json.Unmarshal(m.inputResponses, &c.early) // invalid answers are ignored
		}
	}
	if c.key, fault = keyOfCall(m.key); fault != nil {
		return nil, fault
	}
	if m.logLevel != nil && c.modern {
		if c.level, fault = parseLevel(m.logLevel); fault != nil {
			return nil, fault
		}
	}
	return c, nil
}

// finished releases the place of the call among the runs, and its catalog.
func (s *Server) finished(c *call) {
	if c.handedOver {
		return
	}
	if c.state == "" {
		s.release()
	}
	c.from.release()
}

// perform runs a call, or continues a run, and appends the complete answer line.
func (s *Server) perform(ctx context.Context, c *call, dst, id []byte) []byte {
	if c.state != "" || c.modern && (c.tasks || c.can != (abilities{})) {
		return s.runInteractive(ctx, c, dst, id)
	}
	if c.token != nil || c.level != silent {
		c.follower = newFollower()
		defer c.follower.attend(c)()
	}
	return s.answer(ctx, c, dst, id)
}

// answer runs a call and appends the complete answer line. It never panics.
func (s *Server) answer(ctx context.Context, c *call, dst, id []byte) (line []byte) {
	growStack()
	mark := len(dst)
	defer func() {
		if p := recover(); p != nil {
			line = s.appendFailure(dst[:mark], id, c, s.internalError(c, p))
		}
	}()
	args, err := value.Decode(c.arguments)
	if err != nil {
		return s.appendFailure(dst, id, c, "invalid arguments: "+err.Error())
	}
	place := &waitingUser{server: s, call: c}
	ctx = context.WithValue(ctx, placeKey{}, place)
	if c.user != nil {
		ctx = context.WithValue(ctx, userKey{}, user(place))
	}
	if c.subject != "" {
		ctx = WithSubject(ctx, c.subject)
	}
	if about := c.called(); about != (Called{}) {
		ctx = WithCalled(ctx, about)
	}
	answer, err := c.tool.run(ctx, args, c.watch())
	c.noteError(err)
	c.takeShown(ctx, &answer)
	if refusal := c.refusalOf(answer, err); refusal != nil {
		c.outcome.Code, c.status = refusal.code, statusOfCall(refusal)
		return s.appendRefusal(dst, id, refusal)
	}
	if c.tool.prompt {
		return s.appendPrompt(ctx, dst, id, c, &answer, err)
	}
	if answer.Whole != nil {
		return s.appendWhole(dst, id, c, &answer)
	}
	if err != nil && answer.Value == nil {
		answer.Notice = failed(err.Error())
	}
	if n := answer.Notice; n != nil {
		if n.Failed {
			c.failed(n.Texts[0])
		}
		return s.appendNotice(dst, id, c, n, answer.Usage)
	}
	if err != nil {
		c.failed(err.Error())
	}
	return s.appendValue(ctx, dst, id, c, answer, err != nil)
}

// noteError notes the error of a run for those who look at its task.
func (c *call) noteError(err error) {
	var away *AwayError
	if err != nil && !errors.As(err, &away) {
		var again *AgainError
		c.why, c.again = err.Error(), errors.As(err, &again)
	}
}

// internalError logs a panic and returns the message for the client.
func (s *Server) internalError(c *call, p any) string {
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails, see crypto/rand
	id := hex.EncodeToString(raw[:])
	s.opts.Logger.Error("a call panicked", "id", id, "tool", c.tool.name,
		"panic", c.from.secrets.Redact(fmt.Sprint(p)), "stack", c.from.secrets.Redact(string(stack.Stack())))
	return "internal error, id " + id + "; search the log of the server for it"
}

// busy is the message when the limit of runs is reached.
func (s *Server) busy() string {
	return fmt.Sprintf("busy: %d runs are in flight, which is the limit; call again when some have ended", s.opts.MaxRuns)
}

// reserve takes a place among the runs for a call, and reports whether one was free. A call
// that continues a run needs none: the run gets its own place back.
func (s *Server) reserve(c *call) bool {
	if c.state != "" {
		return true
	}
	if s.runs.Add(1) > int64(s.opts.MaxRuns) {
		s.runs.Add(-1)
		return false
	}
	return true
}

func (s *Server) release() { s.runs.Add(-1) }
