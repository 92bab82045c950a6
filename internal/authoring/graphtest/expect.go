package graphtest

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Expect is the expectation of a case: every line that is set must hold. Without IsError the
// run must not fail.
type Expect struct {
	Pos        config.Pos
	Value      value.Value // equal to this; nil: any
	Partial    value.Value // equal to this, objects may have further keys; nil: any
	Contains   string      // in the value's JSON, or in the error's text
	IsError    bool
	Code       config.FailureCode // of the failure; "": any
	Path       []string           // ids of nodes of the tool itself; "..." means any number of them
	Calls      []ExpectedCall     // each attempt of its own, in the order of their addresses
	Nodes      []ExpectedNode
	Nothing    []config.Text // ids of nodes whose latest output is nothing
	Executions []ExpectedCount
	Spilled    *bool // whether the value is longer than executionLimits.maxResultBytes; nil: either

	data *config.Data // as the file has it
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

// ellipsis means any number of nodes or calls.
const ellipsis = "..."

// The keys of an expectation; schema.json describes the same.
var (
	expectKeys = []string{"value", "partial", "contains", "isError", "code", "path", "calls", "nodes", "nothing", "executions", "spilled"}
	callKeys   = []string{"node", "server", "tool", "args", "partial"}
)

func (e *Expect) empty() bool {
	return e.Value == nil && e.Partial == nil && e.Contains == "" && !e.IsError && e.Path == nil &&
		e.Calls == nil && e.Nodes == nil && e.Nothing == nil && e.Executions == nil && e.Spilled == nil
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
	e.Code = r.code(data, who, failureCodes)
	if !e.IsError && data.Get("code") != nil {
		r.bad(data.Get("code").Pos, who+" has a code, but does not expect the run to fail", "write isError: true beside it, or remove code:").Fixed(config.RemoveKey(data.Get("code").Pos))
	}
	if e.IsError && (e.Value != nil || e.Partial != nil) {
		r.bad(data.Get("isError").Pos, who+" has a value besides isError: true, but a run that fails has no value", "expect a part of the error's text with contains")
	}
	if spilled := data.Get("spilled"); spilled != nil {
		is := r.flag(data, "spilled", who)
		e.Spilled = &is
		if e.IsError {
			r.bad(spilled.Pos, who+" has spilled besides isError: true, but a run that fails has no value", "remove spilled: or isError:").Fixed(config.RemoveKey(spilled.Pos))
		}
	}
	for _, node := range r.texts(data, "path", who) {
		e.Path = append(e.Path, node.Value)
	}
	e.Calls = r.expectedCalls(data, who)
	const byNode = "a mapping with ids of nodes as keys"
	nodes, executions := r.mapping(data, "nodes", who, byNode), r.mapping(data, "executions", who, byNode)
	for i, key := range nodes.Keys {
		e.Nodes = append(e.Nodes, ExpectedNode{Node: key, Partial: valueOf(nodes.Items[i])})
	}
	e.Nothing = r.texts(data, "nothing", who)
	for _, key := range executions.Keys {
		e.Executions = append(e.Executions, ExpectedCount{Node: key, Count: r.count(executions, key.Value, "executions of "+who, 0)})
	}
	return e
}

func (r *reader) expectedCalls(data *config.Data, who string) []ExpectedCall {
	if data.Get("calls") == nil {
		return nil
	}
	calls := []ExpectedCall{} // not nil, so that no call is allowed
	who = fmt.Sprintf("an item of calls of %s", who)
	for _, item := range r.list(data, "calls", who, "a list") {
		if item.Scalar == ellipsis {
			calls = append(calls, ExpectedCall{Pos: item.Pos, Any: true})
			continue
		}
		if !r.object(item, who, callKeys...) {
			continue
		}
		calls = append(calls, ExpectedCall{
			Pos:  item.Pos,
			Node: r.text(item, "node", who).Value, Server: r.text(item, "server", who).Value, Tool: r.text(item, "tool", who).Value,
			Args: valueOf(item.Get("args")), Partial: valueOf(item.Get("partial")),
		})
	}
	return calls
}
