package runtime

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

// A task is a recorded run that a client may look at, answer and cancel without a call. What makes a run the task
// of a client is a value beside the run, which is found only with the secret in the id of the task and with the subject that has
// made the call. It is deleted with the run.

// tasks are the runs of the store as tasks. Several goroutines call it at once.
type tasks struct{ current func() *Loaded }

// beside is the value that makes a run a task.
type beside struct {
	Tool string `json:"tool"` // as clients name it
}

// besideName returns the name of that value. Nothing else than its hash keeps the secret.
func besideName(ctx context.Context, secret string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", server.SubjectOf(ctx), secret))
	return "task." + hex.EncodeToString(sum[:])
}

// Begin makes a run a task of the subject of ctx.
func (t tasks) Begin(ctx context.Context, tool, run string) (server.Task, error) {
	l := t.current()
	if err := l.begunTask(ctx, run); err != nil {
		return server.Task{}, err
	}
	body, err := json.Marshal(beside{tool})
	if err != nil {
		return server.Task{}, err
	}
	secret := rand.Text()
	if err := l.History.Attach(ctx, run, besideName(ctx, secret), body); err != nil {
		return server.Task{}, err
	}
	return t.Look(ctx, run+"-"+secret, "")
}

// longestTask bounds the ids that are looked for, in bytes.
const longestTask = 200

// find returns the run of a task. An id of another subject is answered as one that never was.
func (t tasks) find(ctx context.Context, id string) (run, tool string, err error) {
	run, secret, is := strings.Cut(id, "-")
	if !is || len(id) > longestTask {
		return "", "", server.ErrNoTask
	}
	body, err := t.current().History.Attached(ctx, run, besideName(ctx, secret))
	var of beside
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return "", "", server.ErrNoTask
	case err != nil:
		return "", "", t.current().unavailable(err)
	case json.Unmarshal(body, &of) != nil:
		return "", "", server.ErrNoTask
	}
	return run, of.Tool, nil
}

// Look returns a task, after its state has changed.
func (t tasks) Look(ctx context.Context, id, state string) (server.Task, error) {
	l := t.current()
	name, tool, err := t.find(ctx, id)
	if err != nil {
		return server.Task{}, err
	}
	var run journal.Run
	if state == "" {
		run, err = l.History.Exact(ctx, name)
	} else {
		run, err = l.nextState(ctx, name, state)
	}
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return server.Task{}, server.ErrNoTask
	case ctx.Err() != nil:
		return server.Task{}, ctx.Err()
	case err != nil:
		return server.Task{}, l.unavailable(err)
	}
	keep, err := l.History.Settle(ctx)
	if err != nil {
		return server.Task{}, l.unavailable(err)
	}
	task := server.Task{
		ID: id, Tool: tool, Run: name, State: taskState(run), Status: taskStatus(run), Created: run.Started, Updated: lastChange(run), Keep: keep.MostAge(run.Server, run.Tool),
	}
	open := run.Open()
	if l.elsewhere != nil {
		open, err = l.lookElsewhere(ctx, run, &task)
	} else {
		task.Interrupted = run.Status == journal.Interrupted && l.fleet.localRun(name) == nil
		if run.Parked {
			if open, err = l.unanswered(ctx, run); err == nil && len(open) == 0 && task.Status == server.TaskAsks {
				task.Status = server.TaskWorking // the answers are stored, and the run goes on soon
			}
		}
	}
	if task.Status == server.TaskAsks {
		for _, asked := range open {
			q := l.openQuestion(ctx, run, asked)
			task.Questions = append(task.Questions, server.TaskQuestion{Name: questionName(asked), Params: Elicitation(&q)})
		}
	}
	return task, err
}

// nextState waits until a task has another state than it had.
func (l *Loaded) nextState(ctx context.Context, run, state string) (journal.Run, error) {
	if l.elsewhere != nil {
		return l.nextStateElsewhere(ctx, run, state)
	}
	return l.History.Wait(ctx, run, func(r journal.Run) bool { return taskState(r) != state })
}

// taskStatus returns the status of a run as that of a task. One that is interrupted goes on.
func taskStatus(r journal.Run) server.TaskStatus {
	switch {
	case r.Status == journal.Cancelled:
		return server.TaskCancelled
	case r.HasEnded():
		return server.TaskCompleted
	case r.Question != nil:
		return server.TaskAsks
	}
	return server.TaskWorking
}

// taskState returns what changes with the status of a task, and with its open questions.
func taskState(r journal.Run) string {
	state := string(taskStatus(r))
	for _, asked := range r.Open() {
		state += " " + questionName(asked)
	}
	if r.Question == nil && r.Status == journal.Interrupted {
		state += " later"
	}
	return state
}

// lastChange returns when the last step of a run was recorded, or its last question.
func lastChange(r journal.Run) time.Time {
	last := r.Started.Add(time.Duration(r.Duration * float64(time.Millisecond)))
	if r.HasEnded() {
		last = r.Ended
	}
	for _, asked := range r.Open() {
		if asked.Time.After(last) {
			last = asked.Time
		}
	}
	return last
}

// questionName returns the name of a question that no other of its run has.
func questionName(q *journal.Asked) string { return nameOf(q.Node, markFor(q)) }

func nameOf(node, mark string) string { return node + "." + mark }

// openQuestion returns an open question of a run, with its form.
func (l *Loaded) openQuestion(ctx context.Context, run journal.Run, asked *journal.Asked) execution.Question {
	g, err := l.currentGraph(ctx, run)
	if err != nil {
		g = nil
	}
	q, _ := questionAt(g, run.ID, asked)
	return q
}

// Change answers open questions of a task, or cancels it. Answers to other questions have no effect: they were answered, or
// withdrawn.
func (t tasks) Change(ctx context.Context, id string, answers map[string]json.RawMessage) (*server.Continued, error) {
	name, tool, err := t.find(ctx, id)
	if err != nil {
		return nil, err
	}
	l := t.current()
	var goes *server.Continued
	switch {
	case l.elsewhere != nil && answers == nil:
		err = l.elsewhere.Change(ctx, name, nil)
	case l.elsewhere != nil:
		err = l.answerElsewhere(ctx, name, answers)
	case answers == nil:
		err = l.cancelTask(ctx, name)
	default:
		goes, err = l.answerTask(ctx, name, tool, answers)
	}
	var refused *server.RefusedError
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return nil, server.ErrNoTask
	case err == nil || ctx.Err() != nil || errors.Is(err, errUnreached) || errors.As(err, &refused):
		return goes, err
	}
	return nil, l.unavailable(err)
}

// errUnreached is the error of a request about a run whose process does not do what it is asked.
var errUnreached = &server.AgainError{Reason: "the process that has the run of the task has not answered; send the request again"}

// cancelTask cancels a run, wherever it is. One that has ended stays as it is.
func (l *Loaded) cancelTask(ctx context.Context, id string) error {
	return l.reach(ctx, id, func(run journal.Run) (done bool, err error) {
		if run.InProgress() {
			return true, l.fleet.cancelRun(ctx, id)
		}
		if run.CanResume() {
			err = endCancelled(ctx, l.History, id, "")
		}
		return true, err
	})
}

// answerTask answers open questions of a run, all or none, and returns when the run has the answers. Those to a run that
// no process has are for the call that continues it.
//
// All are checked before the first is sent, so that a client whose request is refused knows that nothing was taken. An
// answer is compared with the form of the graph as it is now; where that has changed, only its action is read.
func (l *Loaded) answerTask(ctx context.Context, id, tool string, answers map[string]json.RawMessage) (goes *server.Continued, err error) {
	err = l.reach(ctx, id, func(run journal.Run) (done bool, err error) {
		given, err := l.checkedAnswers(ctx, run, run.Open(), answers)
		if err != nil {
			return true, err
		}
		if run.Parked {
			return l.storeReplies(ctx, run, given)
		}
		if run.Status == journal.Interrupted && len(given) > 0 {
			goes = &server.Continued{Run: id, Answers: map[string]json.RawMessage{}, Tool: tool}
			for _, one := range given {
				goes.Answers[one.name] = answers[one.name]
			}
			return true, nil
		}
		return l.reply(ctx, run, given)
	})
	return goes, err
}

// taskAnswer is the answer to an open question of a task, which it has been compared with.
type taskAnswer struct {
	name   string // of the question
	asked  *journal.Asked
	answer execution.Answer
}

// checkedAnswers returns those answers that belong to an open question. The error is for the client whose answer does not match.
func (l *Loaded) checkedAnswers(ctx context.Context, run journal.Run, open []*journal.Asked, answers map[string]json.RawMessage) (given []taskAnswer, err error) {
	for _, asked := range open {
		one := taskAnswer{name: questionName(asked), asked: asked}
		raw := answers[one.name]
		if raw == nil {
			continue
		}
		q := l.openQuestion(ctx, run, asked)
		if err := checkAnswer(ctx, &q, raw); err != nil {
			return nil, &server.RefusedError{Reason: "inputResponses." + one.name + ": " + err.Error()}
		}
		if one.answer, err = readAnswer(&q, raw); err != nil {
			return nil, err
		}
		given = append(given, one)
	}
	return given, nil
}

// reply sends answers to the process of a run, and reports whether the run has them all. Each is recorded by that process
// before its question is closed, so the client's request is acknowledged when the answers survive a crash. An answer
// to a question that a resumed run has not asked again yet is not taken; it is sent again after a while.
func (l *Loaded) reply(ctx context.Context, run journal.Run, replies []taskAnswer) (done bool, err error) {
	for _, one := range replies {
		if err := l.fleet.answer(ctx, run, answerMail{markFor(one.asked), one.answer}); err != nil {
			return false, err
		}
	}
	waiting, stop := context.WithTimeout(ctx, sendAgain)
	defer stop()
	for _, one := range replies {
		after, err := l.History.Wait(waiting, run.ID, isTaken(markFor(one.asked)))
		if err != nil || after.CanResume() { // its process may have died with the answer
			return false, nil
		}
	}
	return true, nil
}

// storeReplies stores answers to a parked run, which any process resumes then. It reports whether the run was still parked.
func (l *Loaded) storeReplies(ctx context.Context, run journal.Run, replies []taskAnswer) (done bool, err error) {
	for _, one := range replies {
		body, err := json.Marshal(one.answer)
		if err != nil {
			return true, err
		}
		if parked, err := l.History.AnswerParked(ctx, run.ID, markFor(one.asked), body); err != nil || !parked {
			return false, cmp.Or(err, journal.ErrRunning)
		}
	}
	l.parks.ring()
	return true, nil
}

// mostReached is how often a process is tried to reach that may have died: a database notices that within 10 s.
const mostReached = 10

// reach does something with a run until it is done. A process that has died is not reached: then the run is soon
// interrupted.
func (l *Loaded) reach(ctx context.Context, id string, do func(journal.Run) (done bool, err error)) error {
	for range mostReached {
		run, err := l.History.Exact(ctx, id)
		if err != nil {
			return err
		}
		done, err := do(run)
		lost := errors.Is(err, journal.ErrNoProcess) || errors.Is(err, journal.ErrRunning) || errors.Is(err, execution.ErrTaken)
		switch {
		case err != nil && !lost:
			return err
		case done && err == nil:
			return nil
		case lost:
			waiting, stop := context.WithTimeout(ctx, sendAgain)
			_, _ = l.History.Wait(waiting, id, func(r journal.Run) bool { return r.Status != run.Status || r.Owner != run.Owner })
			stop()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errUnreached
}

// continueTask makes the call that continues the run of a task, or reads its end. Who has made it was compared when the
// task was found.
func (l *Loaded) continueTask(ctx context.Context, j *joining, c *server.Continued) (*execution.Result, error) {
	run, err := l.History.Exact(ctx, c.Run)
	if err != nil {
		return nil, l.unavailable(err)
	}
	start, err := l.History.Start(ctx, c.Run)
	if err != nil {
		return nil, l.unavailable(err)
	}
	j.id, j.mark, j.given, j.caller, j.alone = c.Run, c.Mark, c.Answers, start.Caller, true
	if !run.HasEnded() {
		return l.join(ctx, j)
	}
	return l.taskEnd(ctx, run)
}

// taskEnd returns the recorded end of a task.
func (l *Loaded) taskEnd(ctx context.Context, run journal.Run) (*execution.Result, error) {
	result, err := l.endOf(ctx, run)
	var lost *lostError
	switch {
	case isUnread(err):
		return nil, l.unavailable(err)
	case errors.As(err, &lost): // a damaged run stays so
		return nil, &server.LostError{Err: err}
	}
	return result, err
}
