package execution

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
)

// recordedQuestion is a question of a run with its answer.
type recordedQuestion struct {
	Question
	at       Address
	answer   Answer
	answered bool // otherwise the run was interrupted while it waited
	used     bool
}

// recordedQuestions returns the questions of a run in the order of their addresses, of those that a
// resumed run has put again the last. Those of the first used steps are not played.
func recordedQuestions(events []Event, used int) (all []recordedQuestion) {
	latest := map[Address]int{} // the index of the latest question in all
	for _, e := range events {
		at := e.At()
		switch e.Kind {
		case QuestionAsked:
			q := recordedQuestion{Question: *e.Question, at: at, used: at.Outermost() < used}
			if i, again := latest[at]; again {
				all[i] = q
				continue
			}
			latest[at] = len(all)
			all = append(all, q)
		case Answered:
			if i, asked := latest[at]; asked && all[i].Digest == e.Answer.Digest {
				all[i].answer, all[i].answered = *e.Answer, true
			}
		case RunStarted, StepReady, CallStarted, AttemptFailed, PartsStarted, StepFinished, ContextEdited, RunFinished:
		}
	}
	slices.SortStableFunc(all, func(a, b recordedQuestion) int { return a.at.Compare(b.at) })
	return all
}

// Ask returns the answer to the question that was recorded at the same address, or else to the
// first recorded one by address, when it is the same question and was not played yet: also that
// the user declined, did not answer in time, or could not be asked. The error is a
// *NotAskedError when there is none.
func (r *Recording) Ask(_ context.Context, q Question) (Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *recordedQuestion
	for i := range r.questions {
		known := &r.questions[i]
		if !known.answered || known.used || known.Digest != q.Digest {
			continue
		}
		if same := known.at == q.At; found == nil || same {
			found = known
			if same {
				break
			}
		}
	}
	if found == nil {
		return Answer{}, r.notAsked(q)
	}
	found.used = true
	return found.answer, nil
}

// notAsked counts the questions that the recording has instead.
func (r *Recording) notAsked(q Question) error {
	e := &NotAskedError{Node: q.Node, Questions: len(r.questions)}
	for _, known := range r.questions {
		if known.Digest == q.Digest {
			e.Same = true
			e.Open = e.Open || !known.answered
		}
	}
	return e
}

// Effect returns the effect of the calls of a tool that the user was asked to confirm; ok is false
// when the recording has no such question.
func (r *Recording) Effect(server, tool string) (effect config.Effect, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.questions {
		if q.IsConfirmation() && q.Server == server && q.Tool == tool {
			return q.Effect, true
		}
	}
	return "", false
}

// Called reports whether a tool of a server was called.
func (r *Recording) Called(server, tool string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.calls, func(c recordedCall) bool { return c.server == server && c.tool == tool })
}

// NotAskedError is a question that a recording does not have an answer to.
type NotAskedError struct {
	Node      string // that asks, or whose call has to be confirmed
	Questions int    // recorded questions
	Same      bool   // it has this question, but its answer was played before, or is missing
	Open      bool   // the recorded run ended before it was answered
}

// Error names the node and what the recording has.
func (e *NotAskedError) Error() string {
	has := fmt.Sprintf("it has %d others", e.Questions)
	switch {
	case e.Open:
		has = "the recorded run was interrupted before the answer"
	case e.Same:
		has = "it was asked more often than it was recorded"
	case e.Questions == 0:
		has = "it has no questions"
	case e.Questions == 1:
		has = "it has 1 other question"
	}
	return fmt.Sprintf("the recording does not have the answer to this question of node %q: %s", e.Node, has)
}

// ErrorCode is not-recorded.
func (e *NotAskedError) ErrorCode() string { return "not-recorded" }
