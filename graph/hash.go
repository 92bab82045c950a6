package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
)

// hash returns the hash of what a run of the graph depends on, apart from the definitions of
// the servers that it calls. Every part is written with its length, so that two graphs never
// share a canonical form. A change of the form changes every hash: raise its version then.
func hash(g *Graph) string {
	sum := sha256.New()
	h := meaning{sum}
	h.put("toolgraph.graph.1", g.Tool.Name.Value)
	h.put(fmt.Sprint(g.Limits.MaxNodeExecutions), fmt.Sprint(g.Limits.MaxExecutionTime.Nanoseconds()),
		fmt.Sprint(g.Limits.MaxNodeOutputBytes), fmt.Sprint(g.Limits.MaxHistoryBytes))
	nodes := slices.Clone(g.Nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.ID(), b.ID()) })
	for _, node := range nodes {
		h.node(g.Tool.Nodes[node.core().index], node)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

type meaning struct{ w io.Writer }

func (h meaning) put(parts ...string) {
	for _, p := range parts {
		_, _ = fmt.Fprintf(h.w, "%d:%s", len(p), p) // a hash never fails to write
	}
}

func (h meaning) node(source *config.Node, node Node) {
	h.put(string(node.Type()), node.ID())
	switch n := node.(type) {
	case *Entry:
		h.put(n.Next.ID())
	case *MCP:
		h.put(n.Server, n.Tool, n.Next.ID())
		h.data(source.Args)
	case *Transform:
		h.put(expressionText(n.Expr.Text), n.Next.ID())
	case *Switch:
		h.put(fmt.Sprint(len(n.Conditions)), n.Default.ID())
		for _, c := range n.Conditions {
			h.put(c.Next.ID())
			h.data(c.Rule.Data)
		}
	case *Exit:
	}
}

// data writes data with sorted keys: in JSON their order has no meaning.
func (h meaning) data(data *config.Data) {
	if data == nil {
		h.put("object", "0")
		return
	}
	switch data.Kind {
	case config.KindObject:
		h.put("object", fmt.Sprint(len(data.Keys)))
		order := make([]int, len(data.Keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(data.Keys[a].Value, data.Keys[b].Value) })
		for _, i := range order {
			h.put(data.Keys[i].Value)
			h.data(data.Items[i])
		}
	case config.KindArray:
		h.put("array", fmt.Sprint(len(data.Items)))
		for _, item := range data.Items {
			h.data(item)
		}
	case config.KindExpression:
		h.put("expression", expressionText(data.Expr))
	case config.KindScalar:
		h.put("scalar", scalarText(data))
	}
}

// scalarText returns a scalar as JSON, a number without an exponent where that is short.
func scalarText(data *config.Data) string {
	number, isNumber := data.Scalar.(float64)
	switch {
	case !isNumber:
		return string(data.JSON())
	case math.Abs(number) < 1e15:
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}

// expressionText leaves out the space around an expression: a block scalar ends in
// a line break where a quoted one does not.
func expressionText(text config.Text) string { return strings.TrimSpace(text.Value) }
