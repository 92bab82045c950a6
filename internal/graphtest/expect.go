package graphtest

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Expect is what a case expects: every line that is set must hold. Without IsError no
// error may come.
type Expect struct {
	Pos        config.Pos
	Value      value.Value // equal to this; nil: any
	Partial    value.Value // equal to this, objects may have further keys; nil: any
	Contains   string      // in the value's JSON, or in the error's text
	IsError    bool
	Path       []string       // node ids; "..." stands for any number of them
	Calls      []ExpectedCall // one after the other
	Nodes      []ExpectedNode
	Nothing    []config.Text // ids of nodes whose latest output is nothing
	Executions []ExpectedCount

	data *config.Data // as it stands in the file
}

// ExpectedCall is one call of the run. The zero one but for Any is "...": any number
// of calls.
type ExpectedCall struct {
	Pos                config.Pos
	Any                bool
	Node, Server, Tool string      // "": any
	Args, Partial      value.Value // nil: any
}

// ExpectedNode is the latest output of a node.
type ExpectedNode struct {
	Node    config.Text
	Partial value.Value
}

// ExpectedCount is how often a node has run.
type ExpectedCount struct {
	Node  config.Text
	Count int
}

// ellipsis stands for any number of nodes or calls.
const ellipsis = "..."

func (e *Expect) empty() bool {
	return e.Value == nil && e.Partial == nil && e.Contains == "" && !e.IsError && e.Path == nil &&
		e.Calls == nil && e.Nodes == nil && e.Nothing == nil && e.Executions == nil
}

func (r *reader) expect(data *config.Data, who string) Expect {
	if data == nil {
		return Expect{}
	}
	who = "expect of " + who
	e := Expect{Pos: data.Pos, data: data}
	if !r.object(data, who, expectKeys...) {
		return e
	}
	e.Value, e.Partial = valueOf(data.Get("value")), valueOf(data.Get("partial"))
	e.Contains = r.text(data, "contains", who).Value
	e.IsError = r.flag(data, "isError", who)
	if e.IsError && (e.Value != nil || e.Partial != nil) {
		r.bad(data.Get("isError").Pos, who+" has a value beside isError: true, and a run that fails has none", "expect a part of the error's text with contains")
	}
	for _, node := range r.texts(data, "path", who) {
		e.Path = append(e.Path, node.Value)
	}
	e.Calls = r.expectedCalls(data, who)
	for i, key := range r.keys(data, "nodes", who) {
		e.Nodes = append(e.Nodes, ExpectedNode{Node: key, Partial: valueOf(data.Get("nodes").Items[i])})
	}
	e.Nothing = r.texts(data, "nothing", who)
	for _, key := range r.keys(data, "executions", who) {
		n := r.count(data.Get("executions"), key.Value, "executions of "+who, 0)
		e.Executions = append(e.Executions, ExpectedCount{Node: key, Count: n})
	}
	return e
}

// keys are those of a mapping under a key.
func (r *reader) keys(data *config.Data, key, who string) []config.Text {
	item := data.Get(key)
	if item == nil {
		return nil
	}
	if item.Kind != config.KindObject {
		r.wrong(item, key+" of "+who, "a mapping with ids of nodes as keys", "")
		return nil
	}
	return item.Keys
}

func (r *reader) expectedCalls(data *config.Data, who string) []ExpectedCall {
	if data.Get("calls") == nil {
		return nil
	}
	calls := []ExpectedCall{} // not nil: none at all may be made
	who = fmt.Sprintf("an item of calls of %s", who)
	for _, item := range r.list(data, "calls", who) {
		if item.Scalar == ellipsis {
			calls = append(calls, ExpectedCall{Pos: item.Pos, Any: true})
			continue
		}
		if !r.object(item, who, callKeys...) {
			continue
		}
		calls = append(calls, ExpectedCall{
			Pos: item.Pos, Node: r.text(item, "node", who).Value, Server: r.text(item, "server", who).Value, Tool: r.text(item, "tool", who).Value,
			Args: valueOf(item.Get("args")), Partial: valueOf(item.Get("partial")),
		})
	}
	return calls
}
