package graph

import (
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// mostCandidates bounds how many values a fix proposes for a key that is missing.
const mostCandidates = 6

// Fixes returns the fixes of a source as those of the text that has it.
func Fixes(text config.Text, fixes ...jsonata.Fix) []config.Fix {
	all := make([]config.Fix, 0, len(fixes))
	for _, f := range fixes {
		parts := make([]config.Replacement, len(f.Parts))
		for i, p := range f.Parts {
			parts[i] = config.Replacement(p)
		}
		fix := config.Replace(f.Title, text, parts...)
		fix.Sure = f.Sure
		all = append(all, fix)
	}
	return all
}

// replaceIn replaces the first occurrence of a part at an offset of a text or behind it; none when there is none, or
// no word was meant.
func replaceIn(t config.Text, from int, part, meant string) config.Fix {
	if from < 0 || from > len(t.Value) {
		return config.Fix{}
	}
	i := strings.Index(t.Value[from:], part)
	if i < 0 {
		return config.Fix{}
	}
	return config.ReplaceWord(t, from+i, from+i+len(part), meant)
}

// oneOf returns a fix for each value that a missing key may have.
func oneOf(at config.Pos, key string, values []string, having ...string) []config.Fix {
	values = values[:min(len(values), mostCandidates)]
	fixes := make([]config.Fix, len(values))
	for i, value := range values {
		fixes[i] = config.AddKey(at, key, config.InFlow(value), having...)
		fixes[i].Sure = len(values) == 1
	}
	return fixes
}

// nextOf returns the fixes of a missing next of a node, or of one of its conditions: the nodes behind it come first.
func (c *compiler) nextOf(node int, at config.Pos) []config.Fix {
	having := []string{"id", ""}
	if at != c.tool.Nodes[node].Pos {
		having = []string{"rule", "value"}
	}
	var ids []string
	for _, nodes := range [][]*config.Node{c.tool.Nodes[node+1:], c.tool.Nodes[:node]} {
		for _, n := range nodes {
			if len(ids) == mostCandidates {
				break // each of many nodes may have no next
			}
			if n.ID.Value != "" && n.Type != config.EntryNode {
				ids = append(ids, n.ID.Value)
			}
		}
	}
	return oneOf(at, "next", ids, having...)
}
