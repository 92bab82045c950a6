package execution_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// confirming calls a tool in a node with FLAGS, after an allow of the file that is ALLOW.
const confirming = `
- {id: entry, type: entry, next: remove}
- {id: remove, type: mcp, server: up, tool: delete, effect: destroy, FLAGS, args: {path: {expr: '$string($.entry.n)'}}, next: exit}
- {id: exit, type: exit}
`

// inFile is a tool with nodes in a file with allow.
func inFile(allow, nodes string) string {
	return "allow: " + allow + "\ntools:\n- name: tidy\n  description: d\n  inputSchema: {type: object}\n  nodes:\n" + indent(nodes)
}

// A call that needs confirmation is made when the user agrees, and only then.
func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		name, file string
		asks       bool
	}{
		{"confirm", strings.ReplaceAll(confirming, "FLAGS", "confirm: true"), true},
		{"allow", inFile("{confirm: [destroy]}", strings.ReplaceAll(confirming, "FLAGS", "help: h")), true},
		{"unknown", inFile("{confirm: [destroy]}", strings.ReplaceAll(confirming, "effect: destroy, FLAGS", "help: h")), true},
		{"taken back", inFile("{confirm: [destroy]}", strings.ReplaceAll(confirming, "FLAGS", "confirm: false")), false},
		{"another effect", inFile("{confirm: [write]}", strings.ReplaceAll(confirming, "FLAGS", "help: h")), false},
		{"none", strings.ReplaceAll(confirming, "FLAGS", "help: h"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, c.file)
			for action, calls := range map[execution.Action]int{execution.Accept: 1, execution.Decline: 0, execution.Dismiss: 0} {
				server, u := &counted{}, answers(does(action))
				result, err := execution.New(server, execution.WithUser(u)).Run(t.Context(), g, decode(t, `{"n": 3}`))
				if !c.asks {
					calls = 1
				}
				if len(server.calls) != calls || (len(u.asked) > 0) != c.asks || (err == nil) != (calls == 1) {
					t.Errorf("%s: %d calls, asked %q: %v", action, len(server.calls), u.messages(), err)
				}
				rec := result.History()[1]
				if (rec.Confirmed != nil) != (c.asks && calls == 1) {
					t.Errorf("%s: confirmed is %v", action, rec.Confirmed)
				}
				if len(u.asked) > 0 && !strings.Contains(u.asked[0].Message, `up.delete`) || len(u.asked) > 0 && !strings.Contains(u.asked[0].Message, `{"path":"3"}`) {
					t.Errorf("the question does not show the call: %s", u.asked[0].Message)
				}
			}
			server := &counted{}
			_, err := execution.New(server).Run(t.Context(), g, decode(t, `{"n": 3}`))
			var failed *execution.Failure
			if c.asks && (!errors.As(err, &failed) || failed.Kind() != config.FailNoUser || len(server.calls) != 0) {
				t.Errorf("without a user: %d calls, %v", len(server.calls), err)
			}
		})
	}
}

// An answer is for the arguments of the question: the next turn of a loop is asked about again.
func TestT08ConfirmEachTurn(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: remove}
- {id: remove, type: mcp, server: up, tool: delete, effect: destroy, confirm: true, args: {n: {expr: '$executionCount("remove")'}}, next: more}
- {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("remove")'}, 3]}, next: remove}], next: exit}
- {id: exit, type: exit}
`)
	server, u := &counted{}, answers(does(execution.Accept), does(execution.Accept), does(execution.Decline))
	_, err := execution.New(server, execution.WithUser(u)).Run(t.Context(), g, decode(t, `{}`))
	if err == nil || len(server.calls) != 2 || len(u.asked) != 3 || u.asked[0].Digest == u.asked[1].Digest {
		t.Errorf("calls %v, asked %q: %v", server.calls, u.messages(), err)
	}
}

// An answer that was recorded for other arguments is not used on resume.
func TestT08OtherArgumentsOnResume(t *testing.T) {
	g := build(t, strings.ReplaceAll(confirming, "FLAGS", "confirm: true"))
	kept := &cut{left: 4} // run-started, entry, question-asked, answered
	run := execution.New(&counted{}, execution.WithUser(answers(does(execution.Accept))), execution.WithJournal(kept), execution.WithRunID("r"))
	if _, err := run.Run(t.Context(), g, decode(t, `{"n": 3}`)); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	kept.left = -1
	events, err := kept.Load(t.Context(), "r")
	if err != nil || events[3].Kind != execution.Answered {
		t.Fatal(events, err)
	}
	for _, same := range []bool{true, false} {
		if !same { // the arguments of the run are edited: the call has others
			events[0].Start.Args, events[1].Record.Output = decode(t, `{"n": 4}`), decode(t, `{"n": 4}`)
		}
		server, u := &counted{}, answers(does(execution.Decline))
		_, err := execution.New(server, execution.WithUser(u), execution.WithJournal(&journal.Memory{})).Resume(t.Context(), g, events)
		if same != (err == nil) || same != (len(u.asked) == 0) || same != (len(server.calls) == 1) {
			t.Errorf("same arguments %t: calls %v, asked %q, %v", same, server.calls, u.messages(), err)
		}
	}
}

// The attempts of a call need one answer.
func TestConfirmOnceForAttempts(t *testing.T) {
	g := build(t, strings.ReplaceAll(confirming, "FLAGS", "confirm: true, retry: {attempts: 3, delayMs: 1, codes: [tool-error]}"))
	u, calls := answers(does(execution.Accept)), 0
	_, err := execution.New(callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		calls++
		return nil, codedError{}
	}), execution.WithUser(u)).Run(t.Context(), g, decode(t, `{"n": 3}`))
	if err == nil || calls != 3 || len(u.asked) != 1 {
		t.Errorf("%d calls, asked %q: %v", calls, u.messages(), err)
	}
}

// A forEach has one question for all items, which none is put for without items. An item whose
// arguments fail is not asked about.
func TestConfirmEach(t *testing.T) {
	file := `
- {id: entry, type: entry, next: remove}
- {id: remove, type: mcp, server: up, tool: delete, effect: destroy, confirm: true, forEach: {items: $.entry.list, maxParallel: 4}, args: {n: {expr: '$item / 1'}}, onError: {codes: [declined, expression], value: {expr: $failure.code}}, next: exit}
- {id: exit, type: exit}
`
	g := build(t, file)
	for _, c := range []struct {
		list, want string
		action     execution.Action
		asked      int
		calls      int
	}{
		{`[1,2,3,4,5,6,7]`, `[{"n":1},{"n":2},{"n":3},{"n":4},{"n":5},{"n":6},{"n":7}]`, execution.Accept, 1, 7},
		{`[1,2]`, `["declined","declined"]`, execution.Decline, 1, 0},
		{`[1,"x"]`, `[{"n":1},"expression"]`, execution.Accept, 1, 1},
		{`["x"]`, `["expression"]`, execution.Accept, 0, 0},
		{`[]`, `[]`, execution.Accept, 0, 0},
	} {
		server, u := &counted{}, answers(does(c.action))
		result, err := execution.New(server, execution.WithUser(u)).Run(t.Context(), g, decode(t, `{"list": `+c.list+`}`))
		if err != nil || encode(t, result.Value) != c.want || len(u.asked) != c.asked || len(server.calls) != c.calls {
			t.Errorf("%s: got %v, %v; asked %q, calls %v", c.list, result.Value, err, u.messages(), server.calls)
		}
		if len(c.list) > 12 && (!strings.Contains(u.messages(), "7 times") || !strings.Contains(u.messages(), `5. {"n":5}`) || strings.Contains(u.messages(), `{"n":6}`)) {
			t.Errorf("the question is %s", u.messages())
		}
	}
}

// What allow refuses is neither asked about nor called, and leaves no call in the journal; what a
// called tool allows narrows what its caller allows.
func TestNotAllowed(t *testing.T) {
	hinted := func(effect config.Effect) execution.Option {
		return execution.WithEffects(func(context.Context, string, string) config.Effect { return effect })
	}
	unknown := strings.ReplaceAll(confirming, "effect: destroy, FLAGS", "confirm: true, onError: {codes: [not-allowed], value: {expr: $failure.message}}")
	for _, c := range []struct {
		name, allow string
		hint        config.Effect
		calls       int
	}{
		{"read only, and it reads", "{effects: [read]}", config.ReadEffect, 1},
		{"read only, and it destroys", "{effects: [read]}", config.DestroyEffect, 0},
		{"unknown counts as destroy", "{effects: [read, write]}", "", 0},
		{"all effects", "{effects: [read, write, destroy]}", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, inFile(c.allow, unknown))
			server, u, j := &counted{}, answers(does(execution.Accept)), &journal.Memory{}
			result, err := execution.New(server, execution.WithUser(u), hinted(c.hint), execution.WithJournal(j), execution.WithRunID("r")).
				Run(t.Context(), g, decode(t, `{"n": 3}`))
			events, loadErr := j.Load(t.Context(), "r")
			started := slices.ContainsFunc(events, func(e execution.Event) bool { return e.Kind == execution.CallStarted })
			if err != nil || loadErr != nil || len(server.calls) != c.calls || len(u.asked) != c.calls || started != (c.calls == 1) {
				t.Fatalf("calls %v, asked %q, recorded %t: %v, %v", server.calls, u.messages(), started, err, loadErr)
			}
			if text, _ := result.Value.(string); c.calls == 0 && !strings.Contains(text, `tool "tidy" may not call up.delete, whose effect is `) {
				t.Errorf("the message is %s", text)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	g := build(t, `executionLimits: {maxResultBytes: 20}
tools:
- name: tidy
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: read, forEach: {items: '[1, 2, 3]'}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`)
	j := &journal.Memory{}
	result, err := execution.New(echo, execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil || result.Usage.Calls != 3 || result.Usage.BytesIn != 3*len(`{"n":1}`) || result.Spilled != len(`[{"n":1},{"n":2},{"n":3}]`) {
		t.Errorf("got %+v, %v", result, err)
	}
	events, err := j.Load(t.Context(), "r")
	if err != nil || events[len(events)-1].End.Spilled != result.Spilled {
		t.Errorf("the end is %+v, %v", events[len(events)-1].End, err)
	}
	resumed, err := execution.New(echo, execution.WithJournal(&journal.Memory{})).Resume(t.Context(), g, events[:len(events)-2])
	if err != nil || resumed.Usage.Calls != 3 || resumed.Usage.BytesIn != result.Usage.BytesIn || resumed.Spilled != result.Spilled {
		t.Errorf("resumed: %+v, %v", resumed, err)
	}
}

// What holds around a called tool holds in it as well, and its own allow besides.
func TestNotAllowedInACalledTool(t *testing.T) {
	for outer, inner := range map[string]string{"effects: [read]": "effects: [read, write, destroy]", "effects: [destroy, read]": "effects: [read]"} {
		g := build(t, `tools:
- name: outer
  description: d
  inputSchema: {type: object}
  allow: {`+outer+`}
  nodes:
  - {id: entry, type: entry, next: inner}
  - {id: inner, type: graph, tool: inner, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  allow: {`+inner+`}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: t, next: exit}
  - {id: exit, type: exit}
`)
		server := &counted{}
		if _, err := execution.New(server).Run(t.Context(), g, decode(t, `{}`)); err == nil || len(server.calls) != 0 {
			t.Errorf("outer has %s, inner %s: calls %v, %v", outer, inner, server.calls, err)
		}
	}
}
