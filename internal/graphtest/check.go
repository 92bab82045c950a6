package graphtest

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

// Match is what of a result is not as expected, as far as its value tells: text is
// the value as JSON, or why there is none when the tool failed.
func (e *Expect) Match(text string, failed bool) []Problem {
	if failed {
		return e.matchFailure(text)
	}
	value, err := value.Decode([]byte(text))
	if err != nil && (e.Value != nil || e.Partial != nil) {
		return []Problem{{Pos: e.Pos, What: "value", Message: fmt.Sprintf("the value %q is no JSON: %v", text, err)}}
	}
	return e.matchValue(value, text)
}

func (e *Expect) matchFailure(text string) []Problem {
	if !e.IsError {
		return []Problem{{Pos: e.Pos, What: "error", Message: "the run failed, expected a value: " + text}}
	}
	if !strings.Contains(text, e.Contains) {
		return []Problem{{Pos: e.at("contains"), What: "contains", Message: fmt.Sprintf("the run failed as expected, but expected %q in: %s", e.Contains, text)}}
	}
	return nil
}

// matchValue compares a value, and its JSON as it is shown.
func (e *Expect) matchValue(value value.Value, text string) (found []Problem) {
	if e.IsError {
		return []Problem{{Pos: e.at("isError"), What: "error", Message: "the run gave a value, expected it to fail: " + clipped(text)}}
	}
	if e.Value != nil {
		if changes := diff.Values(e.Value, value); len(changes) > 0 {
			found = append(found, differing(e.at("value"), "value", "the value is not the expected one", changes))
		}
	}
	if e.Partial != nil {
		if changes := within(e.Partial, value); len(changes) > 0 {
			found = append(found, differing(e.at("partial"), "partial", "the value has not what is expected in it", changes))
		}
	}
	if !strings.Contains(text, e.Contains) {
		found = append(found, Problem{Pos: e.at("contains"), What: "contains", Message: fmt.Sprintf("expected %q in the value: %s", e.Contains, clipped(text))})
	}
	return found
}

func differing(pos config.Pos, what, message string, changes []diff.Change) Problem {
	return Problem{Pos: pos, What: what, Message: message, Changes: changes, Older: "expected", Newer: "got"}
}

// at is the place of a line of the expectation.
func (e *Expect) at(path ...any) config.Pos {
	if e.data == nil {
		return e.Pos
	}
	return e.data.At(path...).Pos
}

// check is everything of a result that is not as expected.
func (e *Expect) check(r *Result, text string) []Problem {
	var found []Problem
	if r.Failure != "" {
		found = e.matchFailure(r.Failure)
	} else {
		found = e.matchValue(r.Value, text)
	}
	found = append(found, e.checkPath(r.Path())...)
	found = append(found, e.checkCalls(r.Calls)...)
	for i, want := range e.Nodes {
		found = append(found, checkNode(e.at("nodes", e.Nodes[i].Node.Value), want, r.Records)...)
	}
	for i, id := range e.Nothing {
		found = append(found, checkNothing(e.at("nothing", i), id.Value, r.Records)...)
	}
	for _, want := range e.Executions {
		if n := executions(want.Node.Value, r.Records); n != want.Count {
			found = append(found, Problem{
				Pos: e.at("executions", want.Node.Value), What: "executions",
				Message: fmt.Sprintf("node %q has run %s, expected %d", want.Node.Value, times(n), want.Count),
			})
		}
	}
	return found
}

func (e *Expect) checkPath(path []string) []Problem {
	if e.Path == nil {
		return nil
	}
	fit, ok := walks(e.Path, path, func(id string) bool { return id == ellipsis }, func(want, id string) bool { return want == id })
	if ok {
		return nil
	}
	p := Problem{Pos: e.at("path"), What: "path", Message: "the run walked another path than expected: " + parting(e.Path, path, fit)}
	return []Problem{p}
}

// parting tells where a path leaves the expected one; fit nodes of it are as expected.
func parting(expected, path []string, fit int) string {
	switch exact := !slices.Contains(expected, ellipsis); {
	case !exact && fit < len(path):
		return fmt.Sprintf("from step %d on, %q, it does not fit %s", fit, path[fit], strings.Join(expected, " → "))
	case fit >= len(path):
		if exact {
			return fmt.Sprintf("it ended after step %d, expected node %q", fit-1, expected[fit])
		}
		return "it ended too early for " + strings.Join(expected, " → ")
	case fit >= len(expected):
		return fmt.Sprintf("at step %d it went on to node %q, expected the end", fit, path[fit])
	}
	return fmt.Sprintf("at step %d it went to node %q, expected %q", fit, path[fit], expected[fit])
}

func checkNode(pos config.Pos, want ExpectedNode, records []execution.Record) []Problem {
	record := latest(want.Node.Value, records)
	if record == nil {
		return []Problem{{Pos: pos, What: "nodes", Message: fmt.Sprintf("node %q gave no output, expected one", want.Node.Value)}}
	}
	if changes := within(want.Partial, record.Output); len(changes) > 0 {
		return []Problem{differing(pos, "nodes", fmt.Sprintf("the output of node %q has not what is expected in it", want.Node.Value), changes)}
	}
	return nil
}

// checkNothing checks that the latest execution of a node yielded nothing.
func checkNothing(pos config.Pos, node string, records []execution.Record) []Problem {
	p := Problem{Pos: pos, What: "nothing"}
	switch record := latest(node, records); {
	case record == nil:
		p.Message = fmt.Sprintf("node %q has not run, expected it to yield nothing", node)
	case !record.Nothing():
		p.Message = fmt.Sprintf("the output of node %q is %s, expected nothing", node, encoded(record.Output))
	default:
		return nil
	}
	return []Problem{p}
}

// latest is the record of a node's last execution that did not fail, or nil.
func latest(node string, records []execution.Record) *execution.Record {
	for i := range slices.Backward(records) {
		if records[i].NodeID == node && records[i].Error == nil {
			return &records[i]
		}
	}
	return nil
}

func executions(node string, records []execution.Record) (n int) {
	for _, r := range records {
		if r.NodeID == node {
			n++
		}
	}
	return n
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// clipped keeps a value from filling a message.
func clipped(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
