package graphtest

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
)

// questionOf returns the question of an ask node; without fields it has no form.
func questionOf(t *testing.T, node string, at execution.Address, fields string) execution.Question {
	t.Helper()
	q := execution.Question{Message: "Remove 12 files?", Node: node, At: at}
	if fields != "" {
		form, err := config.ParseData("form", []byte(fields))
		if err != nil {
			t.Fatal(err)
		}
		q.Form = form
	}
	return q
}

// askedWith returns what answers the questions of a test with these mocks.
func askedWith(t *testing.T, mocks string) *caller {
	t.Helper()
	s, err := Parse("g.test.yaml", []byte("tests: [{name: it, tool: t, mocks: "+mocks+", expect: {value: 1}}]"))
	if err != nil {
		t.Fatal(err)
	}
	return &caller{naming: naming{tool: "t", ids: map[string]bool{"sure": true}}, mocks: s.Cases[0].Mocks, used: map[*Rule]int{}}
}

const keepNewest = `{type: object, properties: {keepNewest: {type: boolean}}, required: [keepNewest]}`

// A mock answers a question as a user could, and nothing else.
func TestMockAnswersQuestion(t *testing.T) {
	for _, c := range []struct {
		name, mocks, node, form string
		at                      execution.Address
		want                    string // the answer, or the error with !
		problem                 string
	}{
		{name: "a form", mocks: `{sure: {result: {keepNewest: true}}}`, form: keepNewest, want: `accept {"keepNewest":true}`},
		{name: "yes", mocks: `{sure: {result: {}}}`, want: `accept {}`},
		{name: "nothing is filled in", mocks: `{sure: {nothing: true}}`, want: `accept {}`},
		{name: "no", mocks: `{sure: {error: "no", code: declined}}`, form: keepNewest, want: "decline null"},
		{name: "no, without a code", mocks: `{sure: {error: "no"}}`, want: "decline null"},
		{name: "closed", mocks: `{sure: {error: "no", code: dismissed}}`, want: "cancel null"},
		{name: "too late", mocks: `{sure: {error: late, code: timeout}}`, want: "timeout null"},
		{name: "no user", mocks: `{sure: {error: a script, code: no-user}}`, want: "!no user can be asked: a script"},
		{name: "by the message", mocks: `{sure: [{when: {message: "Remove 3 files?"}, error: "no"}, {when: {message: "Remove 12 files?"}, result: {}}]}`, want: "accept {}"},
		{name: "of the tool, by its name", mocks: `{"t:sure": {result: {}}}`, want: "accept {}"},
		{name: "of another tool", mocks: `{"other:sure": {result: {}}}`, node: "other:sure", at: "1/2", want: "accept {}"},

		{name: "no mock", mocks: `{other: {result: {}}}`, form: keepNewest, problem: `node "sure" asks "Remove 12 files?", but no mock answers it, and a test asks no person; write mocks: {sure: {result: {"keepNewest":false}}}`},
		{name: "no mock of a yes", mocks: `{}`, problem: `write mocks: {sure: {result: {}}}`},
		{name: "no mock in a frame", mocks: `{sure: {result: {}}}`, node: "other:sure", at: "1/2", problem: `node "other:sure" (step 1/2) asks "Remove 12 files?", but no mock answers it, and a test asks no person; write mocks: {"other:sure": {result: {}}}`},
		{name: "no rule", mocks: `{sure: {when: {message: "Remove 3 files?"}, result: {}}}`, problem: "no mock answers it"},
		{name: "a field of another type", mocks: `{sure: {result: {keepNewest: 1}}}`, form: keepNewest, problem: `mock "sure" answers node "sure", but the answer does not match its schema: result.keepNewest`},
		{name: "a missing field", mocks: `{sure: {nothing: true}}`, form: keepNewest, problem: `the answer does not match its schema: result.keepNewest`},
		{name: "a field without a form", mocks: `{sure: {result: {keepNewest: true}}}`, problem: `but it has no schema, so that there is nothing to fill in; write result: {}`},
		{name: "no object", mocks: `{sure: {result: true}}`, form: keepNewest, problem: `an object with what was filled in, not true; write result: {"keepNewest":false}`},
		{name: "the code of a call", mocks: `{sure: {error: x, code: tool-error}}`, problem: `an ask cannot fail with the code "tool-error"; write declined, dismissed, timeout or no-user`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.node == "" {
				c.node, c.at = "sure", "3"
			}
			calls := askedWith(t, c.mocks)
			answer, err := calls.Ask(t.Context(), questionOf(t, c.node, c.at, c.form))
			if c.problem != "" {
				if p := calls.unanswered; p == nil || err == nil || p.What != "question" || !strings.Contains(p.Message, c.problem) {
					t.Errorf("got %v and %v, want %q", p, err, c.problem)
				}
				return
			}
			got := string(answer.Action) + " " + exactText(answer.Content)
			if err != nil {
				got = "!" + err.Error()
				if !errors.Is(err, execution.ErrNoUser) {
					t.Errorf("the engine does not know %v", err)
				}
			}
			if got != c.want || calls.unanswered != nil {
				t.Errorf("got %q and %v, want %q", got, calls.unanswered, c.want)
			}
		})
	}
}

// Each question takes the next answer of a sequence, and a call is confirmed without a mock.
func TestQuestionsOneAfterTheOther(t *testing.T) {
	calls := askedWith(t, `{sure: {sequence: [{result: {}}, {error: "no", code: declined}]}}`)
	q := questionOf(t, "sure", "3", "")
	for _, want := range []execution.Action{execution.Accept, execution.Decline} {
		if answer, err := calls.Ask(t.Context(), q); err != nil || answer.Action != want {
			t.Errorf("got %v and %v, want %s", answer, err, want)
		}
	}
	_, err := calls.Ask(t.Context(), q)
	if p := calls.unanswered; err == nil || p == nil || !strings.Contains(p.Message, `node "sure" asks question 3, but the sequence of mock "sure" has 2 answers; add answers, or write repeat: last`) {
		t.Errorf("got %v and %v", p, err)
	}
	calls = askedWith(t, `{}`)
	confirm := execution.Question{Message: "Delete?", Node: "remove", At: "4", Calls: 2, Server: "files", Tool: "delete"}
	if answer, err := calls.Ask(t.Context(), confirm); err != nil || answer.Action != execution.Accept || calls.unanswered != nil {
		t.Errorf("got %v, %v and %v", answer, err, calls.unanswered)
	}
}
