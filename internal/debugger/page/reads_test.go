package page

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// readingFile reads the history, in a rule and in arguments, at each turn of a loop.
const readingFile = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: loop
  description: loops
  inputSchema: {type: object, properties: {n: {type: integer}, list: {type: array}}}
  nodes:
  - {id: entry, type: entry, next: add}
  - id: add
    type: mcp
    server: up
    tool: inc
    args: {n: {expr: '$executionCount("add")'}, more: {tags: [fixed, {expr: '$.entry.n'}]}}
    next: note
  - {id: note, type: transform, transform: {expr: '{"last": $previousNode(), "first": $nodeExecution("add", -1 * $executionCount("add")), "all": $nodeExecutions("add")}'}, next: more}
  - id: more
    type: switch
    conditions:
    - {rule: {and: [{"<": [{var: '$executionCount("add")'}, {var: entry.n}]}, {some: [{var: entry.list}, {"==": [{var: kind}, file]}]}]}, next: add}
    - {rule: {">": [{var: [entry.none, 5]}, 4]}, next: done}
    - {rule: {"!": [{var: entry.n}]}, next: add}
    next: exit
  - {id: done, type: transform, transform: {expr: '$.note.all[0]'}, next: exit}
  - {id: exit, type: exit}
`

func readText(reads []readJSON) string {
	var out []string
	for _, r := range reads {
		text := r.Path + " = " + r.Preview
		if r.Source != "" {
			text = r.Source + " as " + text
		}
		if r.Each {
			text = "each " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// What history functions and vars read is listed with its text and its value; arguments have names; a switch
// says which way it went and why. A step at which the run is held says the same of what it would do.
func TestReadsOfHistoryAndRules(t *testing.T) {
	c := openFile(t, readingFile, nil)
	id := c.start(`{"tool": "loop", "args": {"n": 2, "list": [{"kind": "dir"}, {"kind": "file"}]}, "pause": true}`)
	c.until(id, "paused")
	step := func(n int) detailJSON {
		t.Helper()
		return good[detailJSON](c, "GET", fmt.Sprintf("/api/runs/%s/steps/%d", id, n), "")
	}
	next := func() {
		t.Helper()
		good[info](c, "POST", "/api/runs/"+id+"/control", `{"action": "step"}`)
		c.until(id, "paused")
	}
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s:\n%s, expected\n%s", what, got, want)
		}
	}
	next() // at add
	call := step(1)
	if !call.Pending || len(call.Expressions) != 2 || call.Input == nil {
		t.Fatalf("%+v", call)
	}
	want("the first argument", call.Expressions[0].Name+" "+*call.Expressions[0].Gives+" "+readText(call.Expressions[0].Reads), `n 0 $executionCount("add") = 0`)
	want("the second argument", call.Expressions[1].Name+" "+*call.Expressions[1].Gives+" "+readText(call.Expressions[1].Reads), `more.tags[1] 2 $.entry.n = 2`)
	next() // at note
	note := step(2)
	if note.Foreseen == nil || note.Foreseen.Size != 3 {
		t.Fatalf("a transform that is held would give %+v %s", note.Foreseen, note.ForeseenError)
	}
	want("a transform", readText(note.Expressions[0].Reads), `$previousNode() = 1; $executionCount("add") = 1; `+
		`$nodeExecution("add", -1 * $executionCount("add")) as $nodeExecution("add", -1) = 1; $nodeExecutions("add") = [1]`)
	next() // at more
	for turn, held := range []detailJSON{step(3), {}} {
		if turn == 1 { // after it has run
			next()
			held = step(3)
		}
		if held.Pending == (turn == 1) || held.Decision == nil || held.Decision.Next != "add" || held.Decision.Rule != 1 {
			t.Fatalf("the switch: %+v", held.Decision)
		}
		first := held.Expressions[0]
		want("the rule", readText(first.Reads), `$executionCount("add") = 1; entry.n = 2; entry.list = [{"kind":"dir"},{"kind":"file"}]; each kind = ["dir","file"]`)
		if !first.Taken || !*first.Holds || held.Expressions[1].Taken || !held.Expressions[1].Beyond || held.Expressions[3].Taken {
			t.Errorf("%+v", held.Expressions)
		}
		want("a rule with its values", held.Expressions[2].Filled, "! 2")
	}
	for range 2 {
		next()
	}
	last := step(6)
	if last.Decision.Next != "done" || last.Decision.Rule != 2 || !last.Expressions[1].Taken {
		t.Errorf("the switch at the end: %+v", last.Decision)
	}
	want("a var with a default", readText(last.Expressions[1].Reads), "entry.none = nothing")
}

// What changed is marked: in a context against the step before, in an output against the last execution
// of its node.
func TestMarks(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 2}}`)
	c.until(id, "finished")
	for query, want := range map[string]string{
		"context&at=3": "entry more(new)", "context&at=6": "entry begin more add(changed 1)", "context&at=1": "entry(new)", "context&at=0": "",
	} {
		got := []string{}
		for _, child := range good[level](c, "GET", "/api/runs/"+id+"/value?marks=1&of="+query, "").Children {
			text := fmt.Sprint(child.Key)
			if child.Change != "" {
				text += "(" + strings.TrimSpace(child.Change+" "+child.Was) + ")"
			}
			got = append(got, text)
		}
		if query == "context&at=3" {
			want = "entry begin more(new)"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, expected %s", query, got, want)
		}
	}
	second := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/5?marks=1", "").Output
	if second.Change != "changed" || second.Was != "1" {
		t.Errorf("the second output: %+v", second)
	}
	if first := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/3?marks=1", "").Output; first.Change != "" {
		t.Errorf("the first output: %+v", first)
	}
}

// Comparing ends after so many parts, and says nothing of the rest.
func TestComparingIsBounded(t *testing.T) {
	list := func(last string) []any {
		items := make([]any, 1000)
		for i := range items {
			items[i] = "x"
		}
		return append(items, last)
	}
	limits := value.Limits{Steps: 100}
	meter := value.NewMeter(t.Context(), &limits)
	out := level{Kind: "array"}
	earlier{known: true, value: list("a"), meter: meter}.mark(&out, list("b"))
	if steps := meter.Steps(); steps > limits.Steps+1 || out.Change != "" {
		t.Errorf("%d parts were compared, the change is %q", steps, out.Change)
	}
	meter = value.NewMeter(t.Context(), &value.Limits{Steps: 2000})
	earlier{known: true, value: list("a"), meter: meter}.mark(&out, list("b"))
	if out.Change != "changed" {
		t.Errorf("the change is %q", out.Change)
	}
}
