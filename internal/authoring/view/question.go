package view

import (
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
)

// Question is a question of a run, with its answer.
type Question struct {
	Message  string           `json:"message"` // its beginning, when it is longer than the maximum
	Digest   string           `json:"digest"`
	Calls    int              `json:"calls,omitempty"`  // calls that the answer was for; 0: an ask node has asked
	Effect   config.Effect    `json:"effect,omitempty"` // of the calls
	Asked    time.Time        `json:"asked"`
	Action   execution.Action `json:"action,omitempty"` // empty: there is no answer
	Answered time.Time        `json:"answered,omitzero"`
	Content  *Recorded        `json:"content,omitempty"` // what the user has filled in
}

// QuestionOf returns a recorded question, and of its message the first most bytes (0: all).
func QuestionOf(r journal.Reply, most int) Question {
	q := Question{Message: r.Message, Digest: r.Digest, Calls: r.Calls, Effect: r.Effect, Asked: r.Time}
	if most > 0 && len(q.Message) > most {
		q.Message = wording.Head(q.Message, most) + "…"
	}
	if r.Answer == nil {
		return q
	}
	q.Action, q.Answered = r.Answer.Action, r.At
	if r.Content.JSON != nil {
		content := RecordedOf(r.Content)
		q.Content = &content
	}
	return q
}
