package server

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// A task has no call: what it asks and how it ends is read from the store, by whichever process its client asks. The run
// itself goes on in the process that began it, or in one that a client has asked for it since, and is continued there
// as a call with a key is: its end is that of the recorded run.

// pollInterval is how often a client should look at a task; a subscription reports each change instead.
const pollInterval = time.Second

// ErrLeft is the cause of the end of a run that is a task, when the only client that this process serves has gone:
// the run is suspended, so that another process can continue it.
var ErrLeft = errors.New("the client has gone, and the run is a task that goes on later")

// errTaskAsks is the error of a question that is passed on while its run is a task.
var errTaskAsks = &CannotAskError{
	Reason: "its call was answered with a task, which asks the questions of the graph itself, not those of other servers",
	text:   "the client cannot be asked: its call was answered with a task, which asks the questions of the graph itself, not those of other servers",
}

// asTask makes a run a task, after which no call carries its questions.
func (s *Server) asTask(ctx context.Context, t *interactiveRun, c *call) (Task, bool) {
	id := t.name.get()
	if id == "" {
		return Task{}, false
	}
	if c.subject != "" {
		ctx = WithSubject(ctx, c.subject)
	}
	task, err := s.opts.Tasks.Begin(ctx, c.tool.name, id)
	if err != nil {
		s.opts.Logger.Debug("a run that takes long is no task", "run", id, "error", err)
		return Task{}, false
	}
	t.leaveCall()
	return task, true
}

// leaveCall lets the run go on without a call.
func (t *interactiveRun) leaveCall() {
	t.name.setLeft(true)
	close(t.task)
	if t.leaves {
		go func() {
			select {
			case <-t.gone:
				t.cancel(ErrLeft)
			case <-t.over:
			}
		}()
	}
}

// goingOn are the runs that go on in this process because a client has looked at their task, or answered it. A
// reason why one does not go on is for the next look.
type goingOn struct {
	running int
	why     string
}

// mostStopped bounds how many reasons are remembered.
const mostStopped = 1000

// goOn continues a run that no process has, unless that has begun here. Answers join the run in any case: a client may answer
// one question with each request, and the second may come before the run that the first one has continued is there.
func (s *Server) goOn(ctx context.Context, c *Continued, in place) error {
	if !s.take(c) {
		return nil
	}
	from := s.current()
	tool, _ := from.find(c.Tool)
	call := &call{
		tool: tool, from: from, arguments: emptyObject, modern: true, subject: SubjectOf(ctx), can: abilities{form: true}, continued: c, goesOn: true,
		life: in.life, gone: in.gone, running: in.running, leaves: in.leaves, name: &RunName{}, follower: newFollower(),
	}
	why := ""
	switch {
	case tool == nil:
		why = notOffered(c.Tool)
	case !s.reserve(call):
		why = s.busy()
	}
	if why != "" {
		from.release()
		s.stopped(c.Run, why)
		return &AgainError{why}
	}
	t := s.begin(call)
	in.running.Go(func() {
		<-t.over
		s.stopped(c.Run, t.why)
	})
	return nil
}

func notOffered(tool string) string {
	return "tool " + wording.Quote(tool) + " is not offered any more, so its run does not go on here"
}

// take reports whether a run is to be continued, and notes that it is.
func (s *Server) take(c *Continued) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.going[c.Run].running
	if n > 0 && c.Answers == nil {
		return false
	}
	s.going[c.Run] = goingOn{running: n + 1}
	return true
}

// stopped notes that a run does not go on here any more, and why. Of several that have joined the run the last one counts.
func (s *Server) stopped(run, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.going[run].running - 1; n > 0 {
		s.going[run] = goingOn{running: n}
		return
	}
	if delete(s.going, run); why != "" && len(s.going) < mostStopped {
		s.going[run] = goingOn{why: why}
	}
}

// whyNot returns why a run did not go on when it was last continued here.
func (s *Server) whyNot(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.going[run].why
}

// detailed returns the members of a task as tasks/get has them, and lets a run go on that no process has.
func (s *Server) detailed(ctx context.Context, t *Task, in place) (members []byte, fault *rpcError) {
	var more []byte
	message := ""
	status := t.Status
	switch status {
	case TaskCompleted:
		if more, fault = s.outcomeOf(ctx, t); fault != nil {
			return nil, fault
		}
		if more[1] == 'e' { // "error"
			status = taskFailed
		}
	case TaskAsks:
		more = []byte(`"inputRequests":{`)
		for i, q := range t.Questions {
			if i > 0 {
				more = append(more, ',')
			}
			more = append(value.AppendString(more, q.Name), `:{"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...)
			more = append(append(more, oneLine([]byte(s.redact(string(q.Params))))...), '}')
		}
		more = append(more, '}')
	case TaskWorking:
		if t.Interrupted {
			message = s.whyNot(t.Run)
			_ = s.goOn(ctx, &Continued{Run: t.Run, Tool: t.Tool}, in) // the next look has its error
		}
	case TaskCancelled, taskFailed:
	}
	members = t.append(nil, status)
	if message != "" {
		members = value.AppendString(append(members, `,"statusMessage":`...), s.redact(message))
	}
	if more != nil {
		members = append(append(members, ','), more...)
	}
	return members, nil
}

// append appends the members that all forms of a task have.
func (t *Task) append(dst []byte, status TaskStatus) []byte {
	dst = value.AppendString(append(dst, `"taskId":`...), t.ID)
	dst = append(dst, `,"status":"`+string(status)+`","createdAt":"`...)
	dst = append(t.Created.UTC().AppendFormat(dst, time.RFC3339Nano), `","lastUpdatedAt":"`...)
	dst = append(t.Updated.UTC().AppendFormat(dst, time.RFC3339Nano), `","ttlMs":`...)
	every := pollInterval
	if t.Keep > 0 {
		dst = strconv.AppendInt(dst, max(1, t.Keep.Milliseconds()), 10)
		every = max(time.Millisecond, min(every, t.Keep))
	} else {
		dst = append(dst, "null"...)
	}
	return strconv.AppendInt(append(dst, `,"pollIntervalMs":`...), every.Milliseconds(), 10)
}

// appendTask appends the answer line of a call whose run is a task now.
func (s *Server) appendTask(dst, id []byte, t *Task) []byte {
	dst = append(appendHead(dst, id), `"result":{"resultType":"task",`...)
	dst = append(t.append(dst, t.Status), ',')
	return append(append(dst, s.self...), "}}\n"...)
}

// outcomeOf returns the member of a task that has ended: the result that its call would have been answered with, or the
// error.
func (s *Server) outcomeOf(ctx context.Context, t *Task) (member []byte, fault *rpcError) {
	from := s.current()
	defer from.release()
	id := []byte("0")
	head, end := len(appendHead(nil, id)), len("}\n")
	tool, _ := from.find(t.Tool)
	if tool == nil {
		line := s.appendRefusal(nil, id, &rpcError{code: codeInternal, message: notOffered(t.Tool)})
		return line[head : len(line)-end], nil
	}
	c := &call{
		tool: tool, from: from, arguments: emptyObject, modern: true, subject: SubjectOf(ctx),
		continued: &Continued{Run: t.Run, Tool: t.Tool}, apps: appsOf(ctx) && tool.appDetails != nil,
	}
	line := s.answer(ctx, c, nil, id)
	if c.again {
		return nil, &rpcError{code: codeInternal, message: c.why}
	}
	return line[head : len(line)-end], nil
}

// tooLong is a timer that fires when the run of a call takes too long for an answer. Without tasks it never does.
func (s *Server) tooLong(c *call) (long *time.Timer, stop func()) {
	if !c.tasks {
		return &time.Timer{}, func() {}
	}
	long = time.NewTimer(s.opts.TaskAfter)
	return long, func() { long.Stop() }
}
