package graph_test

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/graph"
)

// What is suggested for arguments is no part of the meaning of a graph: neither of its hash, nor of the constants that are
// recorded with its runs.
func TestSuggestIsNotInTheHash(t *testing.T) {
	t.Parallel()
	built := func(suggest string) *graph.Graph {
		t.Helper()
		f, err := config.Parse("g.yaml", []byte(`server: {name: g, version: 1.0.0}
vars: {a: [x], b: 1}
tools:
  - name: t
    prompt: true
    inputSchema: {type: object, properties: {p: {type: string`+suggest+`}, q: {type: string}}}
    nodes: [{id: entry, type: entry, next: n}, {id: n, type: transform, transform: {expr: '$string($vars.b)'}, next: exit}, {id: exit, type: exit}]
`), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		graphs, found, err := graph.Build(t.Context(), f)
		if err != nil || found.Err() != nil || suggest != "" && strings.Contains(found.Error(), "unused-var") {
			t.Fatal(err, found)
		}
		return graphs[0]
	}
	plain, with := built(""), built(", suggest: {expr: '$append($vars.a, args.q)'}")
	if plain.Hash != with.Hash || with.Suggested["p"].Expr == nil || plain.Suggested != nil {
		t.Errorf("%s %s", plain.Hash, with.Hash)
	}
}
