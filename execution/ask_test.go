package execution_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// user answers questions from a list, the last one again, and keeps them.
type user struct {
	mu      sync.Mutex
	answers []func(ctx context.Context, q execution.Question) (execution.Answer, error)
	asked   []execution.Question
}

func (u *user) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	u.mu.Lock()
	answer := u.answers[min(len(u.asked), len(u.answers)-1)]
	u.asked = append(u.asked, q)
	u.mu.Unlock()
	return answer(ctx, q)
}

func (u *user) messages() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	texts := make([]string, len(u.asked))
	for i, q := range u.asked {
		texts[i] = q.Message
	}
	return strings.Join(texts, "; ")
}

type answerFunc = func(ctx context.Context, q execution.Question) (execution.Answer, error)

func answers(all ...answerFunc) *user { return &user{answers: all} }

func does(action execution.Action) answerFunc {
	return func(context.Context, execution.Question) (execution.Answer, error) {
		return execution.Answer{Action: action}, nil
	}
}

func fillsIn(t *testing.T, content string) answerFunc {
	t.Helper()
	v := decode(t, content)
	return func(context.Context, execution.Question) (execution.Answer, error) {
		return execution.Answer{Action: execution.Accept, Content: v}, nil
	}
}

func errs(err error) answerFunc {
	return func(context.Context, execution.Question) (execution.Answer, error) { return execution.Answer{}, err }
}

// never answers: it waits for the end of the question.
func never(ctx context.Context, _ execution.Question) (execution.Answer, error) {
	<-ctx.Done()
	return execution.Answer{}, ctx.Err()
}

// counted answers calls with their arguments, and counts them.
type counted struct {
	mu    sync.Mutex
	calls []string
}

func (c *counted) CallTool(_ context.Context, call execution.Call) (value.Value, error) {
	text, err := value.Encode(call.Args)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call.Server+"."+call.Tool+string(text))
	return call.Args, err
}

const asking = `
- {id: entry, type: entry, next: sure}
- id: sure
  type: ask
  message: {expr: '"Remove " & $.entry.n & " files?"'}
  schema: {type: object, properties: {keepNewest: {type: boolean}}, required: [keepNewest]}
  timeoutMs: 5000
  help: Ask the owner.
  next: exit
- {id: exit, type: exit}
`

func TestAsk(t *testing.T) {
	g := build(t, asking)
	for _, c := range []struct {
		name   string
		answer answerFunc
		want   string // the value, or the code and a part of the message
	}{
		{"filled in", fillsIn(t, `{"keepNewest": true}`), `{"keepNewest":true}`},
		{"declined", does(execution.Decline), `declined: the user declined: "Remove 3 files?"; Ask the owner.`},
		{"closed", does(execution.Dismiss), `dismissed: the user closed the question: "Remove 3 files?"`},
		{"does not fit", fillsIn(t, `{"keepNewest": 1}`), `dismissed: the host sent an answer that does not match the form of "Remove 3 files?"`},
		{"without content", does(execution.Accept), `dismissed: the host sent an answer that does not match`},
		{"cannot ask", errs(fmt.Errorf("%w: the host cannot ask its user", execution.ErrNoUser)), `no-user: no user can be asked: the host cannot ask its user, and this node asks: "Remove 3 files?"`},
		{"not in the recording", errs(codedError{}), `tool-error: server "up": no such table`},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := answers(c.answer)
			result, err := execution.New(echo, execution.WithUser(u)).Run(t.Context(), g, decode(t, `{"n": 3}`))
			got := ""
			var failed *execution.Failure
			switch {
			case errors.As(err, &failed):
				got = string(failed.Kind()) + ": " + failed.Message
			case err != nil:
				t.Fatal(err)
			default:
				got = encode(t, result.Value)
			}
			if !strings.HasPrefix(got, c.want) || u.messages() != "Remove 3 files?" {
				t.Errorf("got %s after %q, want %s", got, u.messages(), c.want)
			}
		})
	}
	_, failed := fails(t.Context(), t, echo, g, `{"n": 3}`)
	if failed.Kind() != config.FailNoUser {
		t.Errorf("without a user the run failed with %v", failed)
	}
}

// Without a form the output is an empty object; onError takes what the user has not agreed to.
func TestAskWithoutForm(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: sure}
- {id: sure, type: ask, message: 'Go on?', onError: {codes: [declined], value: {said: {expr: $failure.message}}}, next: exit}
- {id: exit, type: exit}
`)
	for answer, want := range map[execution.Action]string{execution.Accept: `{}`, execution.Decline: `{"said":"the user declined: \"Go on?\""}`} {
		result, err := execution.New(echo, execution.WithUser(answers(does(answer)))).Run(t.Context(), g, decode(t, `{}`))
		if err != nil || encode(t, result.Value) != want {
			t.Errorf("%s: got %v, %v", answer, result.Value, err)
		}
	}
}

// Nothing catches a message that fails, and such a question is not put.
func TestAskMessages(t *testing.T) {
	for expr, want := range map[string]string{
		`$.entry.n`:            `message of node "sure" is not a text`,
		`$.entry.nope`:         `message of node "sure" is not a text`,
		`$error("stop")`:       `stop`,
		`$pad("x", 2001, "x")`: `has 2001 characters, at most 2000`,
	} {
		g := build(t, `
- {id: entry, type: entry, next: sure}
- {id: sure, type: ask, message: {expr: '`+expr+`'}, onError: {codes: [expression, raised, dismissed]}, next: exit}
- {id: exit, type: exit}
`)
		u := answers(does(execution.Accept))
		_, err := execution.New(echo, execution.WithUser(u)).Run(t.Context(), g, decode(t, `{"n": 3}`))
		if err == nil || !strings.Contains(err.Error(), want) || len(u.asked) > 0 {
			t.Errorf("%s: got %v, want %s; asked %q", expr, err, want, u.messages())
		}
	}
}

// A run puts one question at a time, and each of its parts gets its own answer.
func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build(t, `tools:
- name: outer
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1, 2, 3, 4]', maxParallel: 4}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  nodes:
`+indent(asking))
		open, most := 0, 0
		var mu sync.Mutex
		u := answers(func(_ context.Context, q execution.Question) (execution.Answer, error) {
			mu.Lock()
			open++
			most = max(most, open)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			open--
			mu.Unlock()
			return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"keepNewest"}, []value.Value{strings.Contains(q.Message, "2")})}, nil
		})
		j := &journal.Memory{}
		result, err := execution.New(echo, execution.WithUser(u), execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
		if err != nil || encode(t, result.Value) != `[{"keepNewest":false},{"keepNewest":true},{"keepNewest":false},{"keepNewest":false}]` {
			t.Fatalf("got %v, %v", result.Value, err)
		}
		events, err := j.Load(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		recorded, mostRecorded := 0, 0
		for _, e := range events {
			switch e.Kind { // others are not counted
			case execution.QuestionAsked:
				recorded++
			case execution.Answered:
				recorded--
			}
			mostRecorded = max(mostRecorded, recorded)
		}
		if most != 1 || mostRecorded != 1 || len(u.asked) != 4 {
			t.Errorf("%d questions were open at once, %d of them recorded, %d in all", most, mostRecorded, len(u.asked))
		}
	})
}

// The process ends while a question is open: the run stays interrupted, and asks again.
func TestSuspendedQuestion(t *testing.T) {
	g := build(t, asking)
	for name, ends := range map[string]func(stop chan struct{}) answerFunc{
		"by the user": func(chan struct{}) answerFunc { return errs(fmt.Errorf("later: %w", execution.ErrSuspended)) },
		"by a stop": func(stop chan struct{}) answerFunc {
			return func(ctx context.Context, q execution.Question) (execution.Answer, error) {
				close(stop)
				return never(ctx, q)
			}
		},
	} {
		j, stop := &journal.Memory{}, make(chan struct{})
		_, err := execution.New(echo, execution.WithUser(answers(ends(stop))), execution.WithJournal(j), execution.WithRunID("r"), execution.WithStop(stop)).
			Run(t.Context(), g, decode(t, `{"n": 3}`))
		events, loadErr := j.Load(t.Context(), "r")
		if !errors.Is(err, execution.ErrSuspended) || loadErr != nil || events[len(events)-1].Kind != execution.QuestionAsked {
			t.Fatalf("%s: %v, %v, %v", name, err, loadErr, events)
		}
		again := answers(fillsIn(t, `{"keepNewest": true}`))
		result, err := execution.New(echo, execution.WithUser(again), execution.WithJournal(j)).Resume(t.Context(), g, events)
		if err != nil || encode(t, result.Value) != `{"keepNewest":true}` || len(again.asked) != 1 {
			t.Errorf("%s: resumed to %v, %v, asked %q", name, result, err, again.messages())
		}
	}
}

// Cut after every event and resumed, a run with questions ends the same, and asks again only what
// was not answered.
func TestResumeWithQuestions(t *testing.T) {
	g := build(t, strings.NewReplacer("FLAGS", "confirm: true, forEach: {items: '[1, 2]'}", "$.entry.n)", "$item)").Replace(confirming))
	ready := decode(t, `{"n": 3}`)
	args := map[string]bool{}
	run := func(j execution.Journal) (*execution.Result, *user, error) {
		u := answers(does(execution.Accept))
		result, err := execution.New(echo, execution.WithUser(u), execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, ready)
		return result, u, err
	}
	whole := &journal.Memory{}
	want, _, err := run(whole)
	if err != nil {
		t.Fatal(err)
	}
	events, err := whole.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(events); n++ {
		kept := &cut{left: n}
		if _, _, err := run(kept); !errors.Is(err, errCrash) {
			t.Fatalf("the cut run ended with %v", err)
		}
		kept.left = -1
		before, err := kept.Load(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		isAnswered := slices.ContainsFunc(before, func(e execution.Event) bool { return e.Kind == execution.Answered })
		u := answers(does(execution.Accept))
		got, err := execution.New(echo, execution.WithUser(u), execution.WithJournal(kept), execution.WithRepeatable(always)).Resume(t.Context(), g, before)
		if err != nil || encode(t, got.Value) != encode(t, want.Value) {
			t.Fatalf("after %d events: %v, %v", n, got, err)
		}
		if isAnswered != (len(u.asked) == 0) {
			t.Errorf("after %d events, answered %t: asked %q", n, isAnswered, u.messages())
		}
		args[u.messages()] = true
	}
	if len(args) != 2 {
		t.Errorf("asked %v", args)
	}
}
