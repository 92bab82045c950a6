package execution_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// crowd is a user who is asked several things at once, and answers when all that it waits for were asked.
type crowd struct {
	atOnce chan struct{}
	asked  chan execution.Question
	answer chan struct{}
}

func (c *crowd) AtOnce(context.Context) <-chan struct{} { return c.atOnce }

func (c *crowd) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	c.asked <- q
	select {
	case <-c.answer:
		return execution.Answer{Action: execution.Accept}, nil
	case <-ctx.Done():
		return execution.Answer{}, ctx.Err()
	}
}

const besideGraph = `tools:
- name: outer
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1..%d]', maxParallel: 32}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: {expr: '"Is it " & $.entry.n & "?"'}, next: exit}
  - {id: exit, type: exit}
`

// besides runs the parts, and returns the questions as they are recorded and a channel that is closed at the end.
func besides(t *testing.T, parts int, c *crowd) (recorded func() []execution.Question, ended <-chan struct{}) {
	t.Helper()
	var mu sync.Mutex
	var all []execution.Question
	watch := execution.ObserverFunc(func(e execution.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Question != nil {
			all = append(all, *e.Question)
		}
	})
	g := build(t, fmt.Sprintf(besideGraph, parts))
	over := make(chan struct{})
	go func() {
		defer close(over)
		if _, err := execution.New(echo, execution.WithUser(c), execution.WithObserver(watch)).Run(t.Context(), g, value.NewMap()); err != nil {
			t.Error(err)
		}
	}()
	return func() []execution.Question {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}, over
}

// A user who takes all questions at once is asked by all parts before the first answer.
func TestQuestionsAtOnce(t *testing.T) {
	c := &crowd{make(chan struct{}), make(chan execution.Question), make(chan struct{})}
	close(c.atOnce)
	recorded, ended := besides(t, 3, c)
	seen := map[string]bool{}
	for range 3 {
		q := <-c.asked
		seen[q.Message] = q.Beside
	}
	if len(seen) != 3 || !seen["Is it 1?"] || !seen["Is it 2?"] || !seen["Is it 3?"] || len(recorded()) != 3 {
		t.Errorf("asked %v", seen)
	}
	close(c.answer)
	<-ended
}

// The parts that wait for their turn ask as soon as the user takes all questions at once.
func TestQuestionsAtOnceLater(t *testing.T) {
	c := &crowd{make(chan struct{}), make(chan execution.Question), make(chan struct{})}
	recorded, ended := besides(t, 3, c)
	if first := <-c.asked; first.Beside || len(recorded()) != 1 {
		t.Errorf("first %+v of %d", first, len(recorded()))
	}
	close(c.atOnce)
	for range 2 {
		if q := <-c.asked; !q.Beside {
			t.Errorf("then %+v", q)
		}
	}
	close(c.answer)
	<-ended
}

// A run has at most so many questions open beside others; the rest wait.
func TestQuestionsAtOnceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const parts, most = 20, 16
		c := &crowd{make(chan struct{}), make(chan execution.Question, parts), make(chan struct{})}
		close(c.atOnce)
		recorded, ended := besides(t, parts, c)
		for answered := range parts {
			synctest.Wait()
			if n := len(recorded()); n != min(most+answered, parts) {
				t.Errorf("%d questions were asked after %d answers", n, answered)
			}
			c.answer <- struct{}{}
		}
		<-ended
	})
}
