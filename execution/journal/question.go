package journal

import (
	"context"
	"encoding/json"
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
	Questions int       `json:"questions,omitempty"`
	Spilled   int       `json:"spilled,omitempty"`
	Forked    string    `json:"forkedFrom,omitempty"`
	Used      *usedText `json:"used,omitempty"`
}

// isWaiting selects the rows with an open question.
const isWaiting = `facts LIKE '{"question":%'`

// text returns the column.
func (f facts) text() string {
	if f == (facts{}) {
		return ""
	}
	if f == (facts{Used: f.Used}) {
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
	open := f.Question
	switch {
	case e.Start != nil:
		f.Forked = e.Start.ForkedFrom
	case e.Question != nil:
		f.Questions++
		f.Question = askedBy(e)
	case e.Answer != nil && open != nil && open.Address == e.At(),
		e.Record != nil && open != nil && closes(e.Record, open.Address): // a run that ends does not wait for the answer
		f.Question = nil
	case e.End != nil:
		f.Question, f.Spilled, f.Used = nil, e.End.Spilled, (*usedText)(e.End.Used)
	}
}

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
