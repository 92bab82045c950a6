package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// sometimes marks lines of a random graph with expressions that not every execution of their node
// evaluates.
const sometimes = "# sometimes"

// giving describes the tools of the server that give answers.
var giving = hintedUpstreams{"s": {
	"give": {
		InputSchema:  []byte(`{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"], "additionalProperties": false}`),
		OutputSchema: []byte(`{"type": "object", "properties": {"x": {"type": "number"}, "s": {"enum": ["a", "b"]}}, "required": ["x"], "additionalProperties": false}`),
	},
	"list": {OutputSchema: []byte(`{"type": "array", "items": {"type": ["number", "null", "string"]}}`)},
	"echo": {},
}}

var errGive = errors.New("no")

// give answers as the tool of a call does, and for some arguments it fails.
func give(_ context.Context, c execution.Call) (value.Value, error) {
	args, _ := c.Args.(value.Object)
	given, _ := args.Get("n")
	n, isNumber := given.(float64)
	switch {
	case c.Tool == "give" && (!isNumber || args.Len() > 1):
		return nil, errors.New("the arguments are wrong")
	case isNumber && (int(n)+c.Attempt)%3 == 2:
		return nil, errGive
	case c.Tool == "give" && n > 2:
		return value.FromPlain(map[string]any{"x": n, "s": "a"}), nil
	case c.Tool == "give":
		return value.FromPlain(map[string]any{"x": n}), nil
	case c.Tool == "list":
		return []any{1.0, value.Null, "a"}[:int(n)&3%3], nil
	}
	return given, nil
}

// fickle is a user whose answer depends on the question alone.
type fickle struct{}

func (fickle) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	switch len(q.Message) % 5 {
	case 0:
		return execution.Answer{Action: execution.Decline}, nil
	case 1:
		return execution.Answer{}, fmt.Errorf("away: %w", execution.ErrNoUser)
	}
	answer := map[string]any{"x": float64(len(q.Message))}
	if len(q.Message)%2 == 0 {
		answer["s"] = "a"
	}
	return execution.Answer{Action: execution.Accept, Content: value.FromPlain(answer)}, nil
}

// askNode is the body of a node that asks.
func (r *randomTool) askNode() string {
	ask := "    type: ask\n    message:\n      expr: |\n        " + r.expression(`$.entry.s`, `"why # " & $.@`, `"yes?"`, `"more?"`, `"x" & $string($.entry.a)`, `"n" & #`) + "\n"
	if r.IntN(2) == 0 {
		ask += "    schema: {type: object, properties: {x: {type: number}, s: {type: string, enum: [a, b]}}, required: [x]}\n"
	}
	return ask + r.onError("    ", true, false)
}

// callNode is the body of a node that makes calls.
func (r *randomTool) callNode() string {
	if r.IntN(4) > 0 {
		return r.call("    ", false)
	}
	var b strings.Builder
	b.WriteString("    type: parallel\n    branches:\n")
	for i := range 2 + r.IntN(2) {
		fmt.Fprintf(&b, "      b%d:\n%s", i, r.call("        ", true))
	}
	return b.String()
}

// call is a call, as a node or as a branch.
func (r *randomTool) call(indent string, isBranch bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(indent + fmt.Sprintf(format, args...) + "\n") }
	each := !isBranch && r.IntN(2) == 0
	var items []string
	if each {
		items = []string{`$item`, `$item`, `$index + #`, `$item.x`}
	}
	if r.IntN(3) == 0 {
		line("type: graph")
		line("tool: u")
		line("args:")
		line("  a:\n%s    expr: |\n%s      %s", indent, indent, r.expression(append(items, `#`, `$.entry.a`, `$.entry.a - 1`, `$.entry.a - 1`)...))
		line("  s: %s", r.pick("a", "b", "{expr: $.entry.s}"))
	} else {
		line("type: mcp")
		line("server: s")
		line("tool: %s", r.pick("give", "give", "list", "echo"))
		line("args:")
		line("  n:\n%s    expr: |\n%s      %s", indent, indent, r.expression(append(items, `#`, `$.entry.a`, `$.@`)...))
		switch r.IntN(5) {
		case 0:
			line("retry: {attempts: 2, codes: [tool-error]}")
		case 1:
			line("retry: {attempts: 2, when: '%s'} %s", r.pick(`$failure.message = "no"`, `$attempt < #`, `$failure.code = "tool-error"`), sometimes)
		case 2:
			line("retry: {attempts: 3, until: '%s'} %s", r.pick(`$result.x > #`, `$exists($result)`, `$count($result) > #`), sometimes)
		}
	}
	if each {
		line("forEach:")
		line("  maxParallel: %d", 1+r.IntN(3))
		line("  items: |\n%s    %s", indent, r.expression(`[1..#]`, `[1, 2, 3]`, `$.@`, `[$.@]`, `$chunk([1..5], 1 + #)`, `[$.@.x, $.entry.a]`, `{"x": #}`))
	}
	b.WriteString(r.onError(indent, !each && !isBranch, each))
	return b.String()
}

// onError is one, or none.
func (r *randomTool) onError(indent string, hasNext, each bool) string {
	var parts []string
	if r.IntN(3) == 0 {
		return ""
	}
	if r.IntN(3) == 0 {
		parts = append(parts, "codes: [tool-error, expression, not-yet, raised]")
	}
	value := []string{
		"null", "[]", "{x: 1}", "{x: {expr: $failure.message}}", "{expr: '$failure.node'}", "{expr: $.@}", "[{expr: $.@.x}, #]",
		"{code: {expr: $failure.code}, n: {expr: $attempt}, s: {expr: $.entry.s}}", "{r: {expr: $failure.result}, a: {expr: $failure.attempts}}",
	}
	if each {
		value = append(value, "{expr: $item}", "{x: {expr: $index}}")
	}
	if r.IntN(3) > 0 {
		parts = append(parts, "value: "+r.pick(value...))
	}
	if hasNext && r.IntN(2) == 0 {
		parts = append(parts, "next: "+r.next())
	}
	return indent + "onError: {" + strings.Join(parts, ", ") + "} " + sometimes + "\n"
}

// add notes what a record shows.
func (s sights) add(rec *execution.Record) {
	note := func(what string, is bool) {
		if is {
			s[what]++
		}
	}
	note("frame", rec.Frame != "")
	note("part", rec.Part != "")
	note("handled", rec.Handled != nil)
	note("attempt", len(rec.Attempts) > 0)
	note("parts", rec.Parts > 0)
	note("graph", rec.NodeType == "graph" && rec.Error == nil)
	note("asked", rec.NodeType == "ask" && rec.Error == nil && rec.Handled == nil)
	note("refused", rec.NodeType == "ask" && rec.Handled != nil)
	note("wentOnError", rec.Handled != nil && rec.Part == "")
}
