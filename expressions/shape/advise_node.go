package shape

import (
	"fmt"

	"toolgraph/expressions/jsonata"
)

// nodeName reports the name of a node without quotes where a history function takes its id: it is the output of that node.
func (in *inferrer) nodeName(s *site) {
	if !jsonata.ReadsNode(s.name) || len(s.trees) == 0 || s.trees[0] == nil {
		return
	}
	t := s.trees[0]
	path := in.contextPath(t)
	if len(path) != 1 || s.args[0].excludes(kindString) {
		return // a value of another kind is reported as such
	}
	in.report(t, CodeWrongArgument, fmt.Sprintf("%s is the output of node %q, and $%s takes its id", in.text(t), path[0], s.name), fmt.Sprintf("write $%s(%q)", s.name, path[0]))
}

// isNode reports whether the graph has a node of that name.
func (in *inferrer) isNode(name string) bool {
	_, read := in.env.Context[name]
	return read || in.env.Node != nil && in.env.Node(name)
}
