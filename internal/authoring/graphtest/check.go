package graphtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
)

// Match compares a result by its value alone and returns the differences: text is the value
// as JSON, or the error's text when the tool failed.
func (e *Expect) Match(text string, failed bool) []Problem {
	if failed {
		return e.matchFailure(text)
	}
	value, err := value.Decode([]byte(text))
	if err != nil && (e.Value != nil || e.Partial != nil) {
		return []Problem{{Pos: e.Pos, What: "value", Message: fmt.Sprintf("the value %q is not JSON: %v", text, err)}}
	}
	return e.matchValue(value, text)
}

func (e *Expect) matchFailure(text string) []Problem {
	if !e.IsError {
		return []Problem{{Pos: e.Pos, What: "error", Message: "the run failed, expected a value: " + text}}
	}
	if !strings.Contains(text, e.Contains) {
		return []Problem{{Pos: e.at("contains"), What: "contains", Message: fmt.Sprintf("the run failed as expected, but the error does not contain %q: %s", e.Contains, text)}}
	}
	return nil
}

// matchValue compares a value; text is its JSON.
func (e *Expect) matchValue(value value.Value, text string) (found []Problem) {
	if e.IsError {
		return []Problem{{Pos: e.at("isError"), What: "error", Message: "the run returned a value, expected it to fail: " + wording.Truncate(text, longText)}}
	}
	if e.Value != nil {
		if changes := diff.Values(e.Value, value); len(changes) > 0 {
			found = append(found, differing(e.at("value"), "value", "the value is not the expected one", changes))
		}
	}
	if e.Partial != nil {
		if changes := within(e.Partial, value); len(changes) > 0 {
			found = append(found, differing(e.at("partial"), "partial", "the value does not contain the expected part", changes))
		}
	}
	if !strings.Contains(text, e.Contains) {
		found = append(found, Problem{Pos: e.at("contains"), What: "contains", Message: fmt.Sprintf("expected %q in the value: %s", e.Contains, wording.Truncate(text, longText))})
	}
	return found
}

func differing(pos config.Pos, what, message string, changes []diff.Change) Problem {
	return Problem{Pos: pos, What: what, Message: message, Changes: changes, Older: "expected", Newer: "got"}
}

// at returns the place of a line of the expectation.
func (e *Expect) at(path ...any) config.Pos {
	if e.data == nil {
		return e.Pos
	}
	return e.data.At(path...).Pos
}

// check returns every difference of a result from the expectation.
func (e *Expect) check(r *Result, text string) []Problem {
	var found []Problem
	if r.Failure != "" {
		found = append(e.matchFailure(r.Failure), e.checkCode(r)...)
	} else {
		found = e.matchValue(r.Value, text)
	}
	found = append(found, e.checkSpilled(r)...)
	found = append(found, e.checkPath(r.Path())...)
	found = append(found, e.checkCalls(r)...)
	for i, want := range e.Nodes {
		found = append(found, checkNode(e.at("nodes", e.Nodes[i].Node.Value), want, r)...)
	}
	for i, id := range e.Nothing {
		found = append(found, checkNothing(e.at("nothing", i), id.Value, r)...)
	}
	for _, want := range e.Executions {
		if n := r.executions(want.Node.Value); n != want.Count {
			found = append(found, Problem{
				Pos: e.at("executions", want.Node.Value), What: "executions",
				Message: fmt.Sprintf("node %q has run %s, expected %d", want.Node.Value, times(n), want.Count),
			})
		}
	}
	return found
}

// checkSpilled checks whether a value is longer than a client gets it.
func (e *Expect) checkSpilled(r *Result) []Problem {
	if e.Spilled == nil || r.Failure != "" || *e.Spilled == (r.Spilled > 0) {
		return nil
	}
	p := Problem{Pos: e.at("spilled"), What: "spilled"}
	switch most := r.graph.Limits.MaxResultBytes; {
	case r.Spilled > 0:
		p.Message = fmt.Sprintf("the value has %d bytes of JSON and executionLimits.maxResultBytes is %d, so a client gets a summary; expected the whole value", r.Spilled, most)
	case most == 0:
		p.Message = "a client gets the whole value, because executionLimits.maxResultBytes is not set; expected a summary"
	default:
		p.Message = fmt.Sprintf("a client gets the whole value, because it is not longer than executionLimits.maxResultBytes (%d); expected a summary", most)
	}
	return []Problem{p}
}

func (e *Expect) checkPath(path []string) []Problem {
	if e.Path == nil {
		return nil
	}
	fit, ok := walks(e.Path, path, func(id string) bool { return id == ellipsis }, func(want, id string) bool { return want == id })
	if ok {
		return nil
	}
	return []Problem{{Pos: e.at("path"), What: "path", Message: "the run took another path than expected: " + leaving(e.Path, path, fit)}}
}

// leaving says where a path leaves the expected one; its first fit nodes are as expected.
func leaving(expected, path []string, fit int) string {
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

// checkCode compares the code of a failure that was expected.
func (e *Expect) checkCode(r *Result) []Problem {
	if e.Code == "" || e.Code == r.Code {
		return nil
	}
	return []Problem{{
		Pos: e.at("code"), What: "code",
		Message: fmt.Sprintf("the run failed with the code %q, expected %q: %s", r.Code, e.Code, r.Failure),
	}}
}

func checkNode(pos config.Pos, want ExpectedNode, r *Result) []Problem {
	record := r.latest(want.Node.Value)
	if record == nil {
		return []Problem{{Pos: pos, What: "nodes", Message: fmt.Sprintf("node %q has no output, expected one", want.Node.Value)}}
	}
	if changes := within(want.Partial, record.Output); len(changes) > 0 {
		return []Problem{differing(pos, "nodes", fmt.Sprintf("the output of node %q does not contain the expected part", want.Node.Value), changes)}
	}
	return nil
}

// checkNothing checks that the latest execution of a node yielded nothing.
func checkNothing(pos config.Pos, node string, r *Result) []Problem {
	p := Problem{Pos: pos, What: "nothing"}
	switch record := r.latest(node); {
	case record == nil:
		p.Message = fmt.Sprintf("node %q has not run, expected it to yield nothing", node)
	case !record.Nothing():
		p.Message = fmt.Sprintf("the output of node %q is %s, expected nothing", node, encoded(record.Output))
	default:
		return nil
	}
	return []Problem{p}
}

// latest returns the record of a node's last execution that did not fail, or nil.
func (r *Result) latest(node string) *execution.Record {
	for i := range slices.Backward(r.Records) {
		if record := &r.Records[i]; record.Error == nil && !record.Skipped && !isItem(record) && r.naming.isOfRecord(node, record) {
			return record
		}
	}
	return nil
}

// executions returns how often a node or step has run: once for all its items and turns, never when its if
// did not hold.
func (r *Result) executions(node string) (n int) {
	for i := range r.Records {
		if record := &r.Records[i]; !record.Skipped && !isItem(record) && r.naming.isOfRecord(node, record) {
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

// within returns where got differs from want, except for further keys of objects.
func within(want, got value.Value) []diff.Change {
	return lacking(nil, "", want, got)
}

func lacking(found []diff.Change, path string, want, got value.Value) []diff.Change {
	wanted, isObject := want.(value.Object)
	given, both := asObject(got)
	if isObject && both {
		for _, key := range wanted.Keys() {
			w, _ := wanted.Get(key)
			at := path + pathStep(key)
			if g, ok := given.Get(key); ok {
				found = lacking(found, at, w, g)
			} else {
				found = append(found, diff.Change{Path: at, Old: w})
			}
		}
		return found
	}
	a, isList := want.([]any)
	b, bothLists := got.([]any)
	if !isList || !bothLists {
		for _, c := range diff.Values(want, got) {
			found = append(found, diff.Change{Path: path + c.Path, Old: c.Old, New: c.New})
		}
		return found
	}
	for i := range max(len(a), len(b)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(a):
			found = append(found, diff.Change{Path: at, New: b[i]})
		case i >= len(b):
			found = append(found, diff.Change{Path: at, Old: a[i]})
		default:
			found = lacking(found, at, a[i], b[i])
		}
	}
	return found
}

func asObject(v value.Value) (value.Object, bool) {
	if m, ok := v.(map[string]any); ok {
		v = value.FromPlain(m)
	}
	o, ok := v.(value.Object)
	return o, ok
}

func pathStep(key string) string {
	if plainKey().MatchString(key) {
		return "." + key
	}
	return fmt.Sprintf("[%q]", key)
}

// walks reports whether names are as expected, where an ellipsis means any number of them, and
// how many names fit.
func walks[E, N any](expected []E, names []N, ellipsis func(E) bool, same func(E, N) bool) (fit int, ok bool) {
	at, star, from := 0, -1, 0 // in expected; its last ellipsis; the names after those that it took
	for i := 0; i < len(names); {
		switch {
		case at < len(expected) && ellipsis(expected[at]):
			star, from = at, i
			at++
		case at < len(expected) && same(expected[at], names[i]):
			at++
			i++
			fit = max(fit, i)
		case star >= 0: // the ellipsis takes one more
			from++
			at, i = star+1, from
		default:
			return fit, false
		}
	}
	for at < len(expected) && ellipsis(expected[at]) {
		at++
	}
	return fit, at == len(expected)
}

// failureCodes are the codes that a failed run can have: those that a graph can name, and those
// that always end a run.
var failureCodes = append(slices.Clone(config.FailureCodes), config.FailureCode(execution.CodeLimit), config.FailureCode(execution.CodeInternal))

// failureCode returns the code of a failed run.
func failureCode(err error) config.FailureCode {
	var refused *execution.ArgumentsError
	var f *execution.Failure
	switch {
	case errors.As(err, &refused):
		return config.FailInvalidArguments
	case errors.As(err, &f):
		return f.Kind()
	}
	return config.FailureCode(execution.CodeInternal)
}
