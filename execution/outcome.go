package execution

import (
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// combined returns what the graph of the run makes of the records of the run's own frame; failure
// is why the run has failed, or nil. Without a Graph.Result it is output.
func (l *live) combined(output value.Value, failure *Failure) value.Value {
	combine := l.root.graph.Result
	if combine == nil {
		return output
	}
	var executed []graph.Outcome
	latest := map[string]int{} // by node
	for _, r := range l.root.state.records {
		if r.Edited {
			was := &executed[latest[r.NodeID]] // an edit follows an execution
			was.Output, was.Failed = r.Output, nil
			continue
		}
		latest[r.NodeID] = len(executed)
		o := graph.Outcome{Node: r.NodeID, Output: r.Output, Took: r.Duration(), Failed: l.problemOf(r.Error)}
		if r.Handled != nil {
			o.Failed = l.problemOf(r.Handled)
		}
		executed = append(executed, o)
	}
	problem := l.problemOf(failure)
	made := combine(executed, problem)
	if failure == nil || !value.Exceeds(made, l.root.largest) {
		return made
	}
	most := l.root.largest / (4 * max(1, len(executed))) // an output may be in it twice
	for i := range executed {
		if value.Exceeds(executed[i].Output, most) {
			executed[i].Output = nil
		}
	}
	return combine(executed, problem)
}

// problemOf returns a failure for Graph.Result, with its place in called graphs in the message; nil for none.
func (l *live) problemOf(f *Failure) *graph.Problem {
	if f == nil {
		return nil
	}
	code := string(f.Kind())
	if f.Detail == graph.CodeMissingValue {
		code = f.Detail
	}
	var callers []string
	for _, c := range f.Callers {
		callers = append(callers, c.String())
	}
	message := f.Message
	if f.Raised != "" {
		message = f.Raised
	}
	if len(callers) > 0 {
		message = strings.Join(callers, ", ") + ": " + message
	}
	node, isCall := l.root.graph.Node(f.Node).(*graph.MCP)
	safe := isCall && (code == string(config.FailServerStart) || l.hooks.mayRepeat(node))
	return &graph.Problem{Node: f.Node, Code: code, Message: message, Safe: safe}
}
