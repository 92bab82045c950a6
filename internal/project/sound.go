package project

import (
	"cmp"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
)

// withoutErrors returns the graphs of the tools that have no error in their text, and that call none with one.
func withoutErrors(file *config.File, graphs []*graph.Graph, found config.Diagnostics) []*graph.Graph {
	broken := map[config.Pos]bool{}
	errs, _ := found.Split()
	for _, d := range errs {
		if of := ToolAt(file, d.Pos); of != nil {
			broken[of.Pos] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(graphs), func(g *graph.Graph) bool {
		return slices.ContainsFunc(g.Reached(), func(called *graph.Graph) bool { return broken[called.Tool.Pos] })
	})
}

// ToolAt returns the tool in whose text a place lies: the last one that begins before it; nil for a place before
// all tools of its file.
func ToolAt(file *config.File, at config.Pos) (last *config.Tool) {
	for _, tool := range file.Tools {
		if tool.Pos.File == at.File && order(tool.Pos, at) <= 0 && (last == nil || order(tool.Pos, last.Pos) > 0) {
			last = tool
		}
	}
	return last
}

func order(a, b config.Pos) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
