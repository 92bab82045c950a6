package simulation

import (
	"hash/fnv"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// answerOfUser is a function of the question: mostly the user agrees.
func answerOfUser(q *execution.Question) execution.Answer {
	h := fnv.New64a()
	h.Write([]byte(q.Node + q.Digest))
	sum := h.Sum64()
	switch {
	case sum%10 == 0:
		return execution.Answer{Action: execution.Dismiss}
	case sum%10 < 3:
		return execution.Answer{Action: execution.Decline}
	case q.Form == nil:
		return execution.Answer{Action: execution.Accept}
	}
	return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"v"}, []value.Value{float64(sum >> 8 % 100)})}
}

// asked checks that a question may be put.
func (w *world) asked(p *process, q *execution.Question) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.cancelled {
		w.violate("question %s is put after the cancellation", q.At)
	}
	for _, o := range p.pending {
		if o.question != nil {
			w.violate("question %s is put while %s is open", q.At, o.question.At)
		}
	}
	recorded := false
	for i := range w.events {
		e := &w.events[i]
		switch {
		case e.At() != q.At:
		case e.Kind == execution.QuestionAsked:
			recorded = e.Question.Digest == q.Digest
		case e.Kind == execution.Answered && e.Answer.Digest == q.Digest:
			w.violate("question %s is put again, and its answer is in the journal", q.At)
		}
	}
	if !recorded {
		w.violate("question %s is put and is not in the journal", q.At)
	}
}

// checkConfirmed checks that the user has agreed to a call: to it alone, or to those of all items.
func (w *world) checkConfirmed(c *execution.Call) {
	whole := c.At().Outer()
	for i := range w.events {
		e := &w.events[i]
		if e.Kind == execution.Answered && (e.At() == c.At() || e.At() == whole) && e.Answer.Action == execution.Accept {
			return
		}
	}
	w.violate("call %s is made, and the user has not agreed to it", c.At())
}
