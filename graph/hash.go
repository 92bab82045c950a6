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
	"toolgraph/expressions/value"
)

// setHashes gives each graph the hash of what a run of it depends on, apart from the definitions
// of the servers that it calls: its own form, then the digests of the tools that it calls or that
// these call, each once, by name, with their schemas. Every part is written with its length, so
// that two graphs never share a canonical form. A change of the form changes every hash: raise its
// version then. A part that not every graph has is written behind its name, and only where the
// graph has it.
func setHashes(graphs []*Graph) {
	digests := make(map[*Graph]string, len(graphs))
	for _, g := range graphs {
		digests[g] = g.digest(nil)
	}
	for _, g := range graphs {
		g.setHash(func(called *Graph) string { return digests[called] })
	}
}

// setHash gives one graph its hash, and notes the constants that are part of it and the steps that it reaches.
func (g *Graph) setHash(digestOf func(*Graph) string) {
	g.Hash, g.allVars = g.hash(nil, digestOf), g.readVars(nil)
	g.stepGraphs = slices.DeleteFunc(g.Reached(), func(reached *Graph) bool { return reached.Steps() == nil })
}

// HashWith returns the hash of the graph when the constants that it reads have the values in recorded, an
// object as ReadVars returns it; the graph's Hash without one.
func (g *Graph) HashWith(recorded value.Value) string {
	over, isObject := recorded.(value.Object)
	if !isObject {
		return g.Hash
	}
	return g.hash(over, func(called *Graph) string { return called.digest(over) })
}

// digest returns the digest of the graph as one that others call.
func (g *Graph) digest(over value.Object) string {
	return digest(func(h meaning) {
		h.data(g.Tool.InputSchema)
		h.data(g.Tool.OutputSchema)
		h.graph(g, over)
	})
}

func (g *Graph) hash(over value.Object, digestOf func(*Graph) string) string {
	return digest(func(h meaning) {
		h.put("toolgraph.graph.1")
		h.graph(g, over)
		for _, called := range calledGraphs(g) {
			h.put("called", called.Tool.Name.Value, digestOf(called))
		}
	})
}

// digest returns the lower-case hex of the SHA-256 of what is written.
func digest(write func(meaning)) string {
	sum := sha256.New()
	write(meaning{sum})
	return hex.EncodeToString(sum.Sum(nil))
}

// calledGraphs returns the graphs that graph nodes of g, or of the graphs that it reaches, call,
// by name; g is one of them only when it is called, too.
func calledGraphs(g *Graph) []*Graph {
	reached := g.Reached()
	called := reached[1:]
	if slices.ContainsFunc(reached, func(from *Graph) bool { return from.calls(g) }) {
		called = reached
	}
	slices.SortFunc(called, func(a, b *Graph) int { return strings.Compare(a.Tool.Name.Value, b.Tool.Name.Value) })
	return called
}

type meaning struct{ w io.Writer }

func (h meaning) put(parts ...string) {
	for _, p := range parts {
		_, _ = fmt.Fprintf(h.w, "%d:%s", len(p), p) // a hash never fails to write
	}
}

// graph writes the own form of a graph, with the constants that it reads: their values in over, or else
// the file's.
func (h meaning) graph(g *Graph, over value.Object) {
	h.put(g.Tool.Name.Value)
	h.put(fmt.Sprint(g.Limits.MaxNodeExecutions), fmt.Sprint(g.Limits.MaxExecutionTime.Nanoseconds()),
		fmt.Sprint(g.Limits.MaxNodeOutputBytes), fmt.Sprint(g.Limits.MaxHistoryBytes))
	if depth := g.Limits.MaxDepth; depth != 0 && depth != config.DefaultMaxDepth {
		h.put("maxDepth", fmt.Sprint(depth))
	}
	if g.Limits.MaxCalls != 0 {
		h.put("maxCalls", fmt.Sprint(g.Limits.MaxCalls))
	}
	if g.Limits.MaxResultBytes != 0 {
		h.put("maxResultBytes", fmt.Sprint(g.Limits.MaxResultBytes))
	}
	nodes := slices.Clone(g.Nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.ID(), b.ID()) })
	for _, node := range nodes {
		h.node(g.Tool.Nodes[node.core().index], node)
	}
	if len(g.varsRead) > 0 {
		h.put("vars", fmt.Sprint(len(g.varsRead)))
		for _, name := range g.varsRead {
			h.put(name)
			h.value(g.varOf(name, over))
		}
	}
}

// value writes a value as data would be written.
func (h meaning) value(v value.Value) {
	switch v := v.(type) {
	case value.Object:
		h.put("object", fmt.Sprint(v.Len()))
		for _, key := range slices.Sorted(slices.Values(v.Keys())) {
			h.put(key)
			item, _ := v.Get(key)
			h.value(item)
		}
	case []any:
		h.put("array", fmt.Sprint(len(v)))
		for _, item := range v {
			h.value(item)
		}
	default:
		text, _ := value.Encode(v) // constants are JSON: this does not fail
		h.put("scalar", string(text))
	}
}

func (h meaning) node(source *config.Node, node Node) {
	h.put(string(node.Type()), node.ID())
	switch n := node.(type) {
	case *Entry:
		h.put(n.Next.ID())
	case *MCP:
		h.put(n.Server, n.Tool, idOf(n.Next))
		h.calling(source, &n.Calling)
		if n.Retry != nil && n.Retry.Until != nil {
			h.put("until", expressionText(n.Retry.Until.Text))
		}
	case *SubGraph:
		h.put(n.Tool, idOf(n.Next))
		h.calling(source, &n.Calling)
	case *Parallel:
		h.put(n.Next.ID(), fmt.Sprint(len(n.Branches)))
		for i, b := range n.Branches {
			h.node(source.Branches[i], b.Node)
		}
	case *Steps:
		h.put(idOf(n.Next), fmt.Sprint(len(n.Block)))
		for i, s := range n.Block {
			h.step(source.Steps[i], s)
		}
		h.expression("return", n.Return)
	case *Ask:
		h.put(idOf(n.Next))
		h.data(source.Message)
		if source.Schema != nil {
			h.put("schema")
			h.data(source.Schema)
		}
		h.onError(source, n.OnError)
	case *Transform:
		h.put(expressionText(n.Expr.Text), idOf(n.Next))
		h.onError(source, n.OnError)
	case *Switch:
		h.put(fmt.Sprint(len(n.Conditions)), n.Default.ID())
		for _, c := range n.Conditions {
			h.put(c.Next.ID())
			h.data(c.Rule.Data)
		}
	case *Exit:
	}
}

// step writes a step: its id and its place among the others, and what it computes and calls.
func (h meaning) step(source *config.Node, s *Step) {
	h.put(s.ID)
	for _, e := range []struct {
		name string
		expr *Expr
	}{{"if", s.If}, {"each", s.Each}, {"key", s.Key}, {"until", s.Until}} {
		h.expression(e.name, e.expr)
	}
	if s.As != "" {
		h.put("as", s.As)
	}
	if len(source.Step.After) > 0 {
		h.put("after", fmt.Sprint(len(source.Step.After)))
		for _, id := range source.Step.After {
			h.put(id.Value)
		}
	}
	if r := s.Repeat; r != nil {
		h.put("repeat", fmt.Sprint(r.Times), fmt.Sprint(r.Collect), expressionText(r.Until.Text))
	}
	if s.OnError != nil && s.OnError.Skip {
		h.put("skip")
	}
	h.node(source, s.Node)
	h.onError(source, s.OnError)
}

// expression writes an expression behind its name; nothing for none.
func (h meaning) expression(name string, e *Expr) {
	if e != nil {
		h.put(name, expressionText(e.Text))
	}
}

// idOf returns the id of a node; empty for the next of a branch, which has none.
func idOf(n Node) string {
	if n == nil {
		return ""
	}
	return n.ID()
}

func (h meaning) calling(source *config.Node, c *Calling) {
	h.data(source.Args)
	if c.ForEach != nil {
		h.put("forEach", expressionText(c.ForEach.Items.Text))
	}
	h.onError(source, c.OnError)
}

func (h meaning) onError(source *config.Node, o *OnError) {
	if o == nil {
		return
	}
	h.put("onError", idOf(o.Next))
	if o.Codes == nil {
		h.put("default")
	} else {
		codes := slices.Sorted(slices.Values(o.Codes))
		h.put(fmt.Sprint(len(codes)))
		for _, code := range codes {
			h.put(string(code))
		}
	}
	if o.Value == nil || source.OnError == nil {
		h.put("default")
	} else {
		h.put("value")
		h.data(source.OnError.Value)
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
