package journal

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// Asked is a question of a run.
type Asked struct {
	Address execution.Address `json:"address"`
	Node    string            `json:"nodeId"` // as messages name it: sure, todos_of_file:remove
	Time    time.Time         `json:"asked"`
	execution.Question
}

// Reply is a question of a run with its answer.
type Reply struct {
	Asked
	Answer  *execution.Answer // without its content; nil: there is none yet
	At      time.Time         // of the answer
	Content Recorded          // of the answer
}

// facts is what the row of a run has in its column facts, as JSON; empty for none of it. The
// question is first, so that waiting runs can be selected.
type facts struct {
	Question  *Asked    `json:"question,omitempty"`
	Beside    []*Asked  `json:"beside,omitempty"`
	Questions int       `json:"questions,omitempty"`
	Spilled   int       `json:"spilled,omitempty"`
	Forked    string    `json:"forkedFrom,omitempty"`
	Used      *usedText `json:"used,omitempty"`
}

// isWaiting selects the rows with an open question.
const isWaiting = `facts LIKE '{"question":%'`

// text returns the column.
func (f facts) text() string {
	if f.Question == nil && f.Questions == 0 && f.Spilled == 0 && f.Forked == "" { // no question is open beside none
		if f.Used == nil {
			return ""
		}
		return usedOpen + string(f.Used.append(nil)) + usedClose
	}
	text, err := json.Marshal(f)
	if err != nil {
		return "" // this does not happen
	}
	return string(text)
}

// read reads the column.
func (f *facts) read(text string) error {
	*f = facts{}
	if text == "" {
		return nil
	}
	if used, ok := onlyUsed(text); ok {
		f.Used = &usedText{}
		return f.Used.read(used)
	}
	return json.Unmarshal([]byte(text), f)
}

// follow follows the events of a run, which have no secrets any more.
func (f *facts) follow(e *execution.Event) {
	switch {
	case e.Start != nil:
		f.Forked = e.Start.ForkedFrom
	case e.Question != nil:
		f.Questions++
		f.ask(askedBy(e))
	case e.Answer != nil:
		f.close(func(q *Asked) bool { return q.Address == e.At() })
	case e.Record != nil:
		f.close(func(q *Asked) bool { return closerOf(e.Record).closes(q.Address) }) // a run that ends does not wait for the answer
	case e.End != nil:
		f.Question, f.Beside, f.Spilled, f.Used = nil, nil, e.End.Spilled, (*usedText)(e.End.Used)
	}
}

// ask adds an open question. One that a resumed run asks again keeps its place.
//
// A question that is not beside others is the only one, because the run of another process may have left questions open
// which this one does not ask yet, or asks in another order. Those that are beside others leave them: a task that is
// resumed for the answer to one of its questions still shows the rest, and takes their answers, before it asks them again.
func (f *facts) ask(q *Asked) {
	if !q.Beside {
		f.Question, f.Beside = q, nil
		return
	}
	open := openOf(f.Question, f.Beside)
	if i := slices.IndexFunc(open, func(o *Asked) bool { return o.Address == q.Address }); i >= 0 {
		open[i] = q
	} else {
		open = append(open, q)
	}
	f.Question, f.Beside = open[0], open[1:]
}

// close removes the open questions that are closed.
func (f *facts) close(isClosed func(*Asked) bool) {
	if f.Question == nil {
		return
	}
	open := slices.DeleteFunc(openOf(f.Question, f.Beside), isClosed)
	if f.Question, f.Beside = nil, nil; len(open) > 0 {
		f.Question, f.Beside = open[0], open[1:]
	}
}

// openOf returns a list of its own of the first open question and those beside it.
func openOf(first *Asked, beside []*Asked) []*Asked {
	if first == nil {
		return nil
	}
	return append([]*Asked{first}, beside...)
}

// Open returns the open questions of the run, the first asked before the others. A run whose client is asked one thing at a
// time has one at most.
func (r Run) Open() []*Asked { return openOf(r.Question, r.Beside) }

func askedBy(e *execution.Event) *Asked {
	return &Asked{Address: e.At(), Node: e.Step.Name(), Time: e.Time.UTC(), Question: *e.Question}
}

// longestMessage bounds the message of a question, in bytes.
const longestMessage = 16 << 10

// bareQuestion returns a question as it is recorded: without secrets and bounded. Nothing depends
// on the message, because an answer belongs to a digest.
func bareQuestion(q *execution.Question, secrets *config.Secrets) *execution.Question {
	safe := *q
	if safe.Message = secrets.Redact(q.Message); len(safe.Message) > longestMessage {
		safe.Message = wording.Head(safe.Message, longestMessage) + "…"
	}
	return &safe
}

// Questions returns the questions of a run that were asked at the wanted addresses, in the order of
// the events, with the first most bytes of each content (0: all).
func (s *Store) Questions(ctx context.Context, id string, wanted func(execution.Address) bool, most int) ([]Reply, error) {
	var all []Reply
	latest := map[execution.Address]int{}
	err := s.walk(ctx, id, position{}, func(f frame) (bool, error) {
		e := &f.event
		switch {
		case e.Question != nil && wanted(e.At()):
			latest[e.At()] = len(all)
			all = append(all, Reply{Asked: *askedBy(e)})
		case e.Answer != nil:
			i, known := latest[e.At()]
			if !known || all[i].Digest != e.Answer.Digest {
				return true, nil
			}
			content, err := f.recorded(most)
			if err != nil {
				return false, err
			}
			content.JSON = append([]byte(nil), content.JSON...) // so that the whole chunk is not held in memory
			all[i].Answer, all[i].At, all[i].Content = e.Answer, e.Time.UTC(), content
		}
		return true, nil
	})
	return all, err
}
