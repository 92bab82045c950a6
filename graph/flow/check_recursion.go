package flow

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// again warns of a tool that calls itself with the arguments that it has, where its switches read nothing else: each call decides
// as the one before, so that they end at maxDepth.
func (c *checker) again(call graph.Node, defined *config.Node) {
	n, isGraph := call.(*graph.SubGraph)
	if isGraph && n.Graph == c.graph && defined.Args != nil {
		c.tooDeep(n, defined.Args)
	}
	if !isGraph || n.Graph != c.graph || defined.Args == nil || c.sameDepth(n, defined.Args) || n.ForEach != nil {
		return
	}
	for i, key := range defined.Args.Keys {
		e := exprAt(n.Args.Expressions(), defined.Args.Items[i])
		if e == nil || !slices.Equal(names(e.Tree()), []string{c.graph.Entry.ID(), key.Value}) {
			return
		}
	}
	fixed := map[int]bool{c.index[c.graph.Entry.ID()]: true}
	for i, node := range c.graph.Nodes {
		if _, isSwitch := node.(*graph.Switch); isSwitch && !slices.ContainsFunc(c.reads[i], func(r reads) bool { return !c.fixedReads(r, fixed) }) {
			continue
		} else if isSwitch {
			return
		}
	}
	c.found.Warn(defined.Args.Pos, "endless-recursion",
		fmt.Sprintf("tool %q calls itself with the arguments that it has, and its switches read nothing else: each call decides as the one before", n.Tool),
		"give it other arguments, such as one that counts down")
}

// fixedReads reports whether all that is read depends on the arguments alone; known has what was found of nodes.
func (c *checker) fixedReads(r reads, known map[int]bool) bool {
	return !r.open && len(r.past) == 0 && !slices.ContainsFunc(r.nodes, func(node int) bool {
		fixed, seen := known[node]
		if t, isTransform := c.graph.Nodes[node].(*graph.Transform); !seen && isTransform && t.OnError == nil {
			known[node] = false // it reads itself
			fixed = c.fixedReads(c.reads[node][0], known)
			known[node] = fixed
		}
		return !fixed
	})
}

// sameDepth warns of a tool that calls itself with a number that it has, where a switch compares that number with a constant by size: the
// comparison ends no call.
func (c *checker) sameDepth(n *graph.SubGraph, args *config.Data) (warned bool) {
	for i, key := range args.Keys {
		path := []string{c.graph.Entry.ID(), key.Value}
		e := exprAt(n.Args.Expressions(), args.Items[i])
		if kind := c.graph.Tool.InputSchema.Get("properties").Get(key.Value).Get("type"); e == nil || kind == nil || kind.Scalar != "integer" || !slices.Equal(names(e.Tree()), path) {
			continue
		}
		for _, terms := range c.terms {
			for _, t := range terms {
				for _, leaf := range t.leaves() {
					if with, compared := comparedWith(leaf, strings.Join(path, ".")); compared {
						c.found.Warn(args.Items[i].Pos, "endless-recursion",
							fmt.Sprintf("tool %q calls itself with the same %q, which a switch compares with %s: each call decides as the one before", n.Tool, key.Value, with),
							fmt.Sprintf("count it: $.%s + 1, or - 1", strings.Join(path, ".")))
						return true
					}
				}
			}
		}
	}
	return false
}

// comparedWith reports whether a leaf of a rule compares a path by size with a constant, of the rule or of vars, and returns that.
func comparedWith(leaf *term, path string) (constant string, compared bool) {
	if leaf.op == "bound" {
		return string(leaf.at.JSON()), leaf.subject == fmt.Sprintf("{var [%q,]}", path)
	}
	d := leaf.left
	if leaf.op != "holds" || d.Kind != config.KindObject || len(d.Keys) != 1 || mirrored[d.Keys[0].Value] == "" || len(d.Items[0].Items) != 2 {
		return "", false
	}
	for i, one := range d.Items[0].Items {
		other := sideText(d.Items[0].Items[1-i])
		if plainPath(sideText(one)) == path && strings.HasPrefix(other, "$vars.") {
			return other, true
		}
	}
	return "", false
}

// tooDeep warns of a tool that calls itself with a number one lower, or one higher, until a switch ends that, where inputSchema allows a
// number with which the calls lie deeper than maxDepth.
func (c *checker) tooDeep(n *graph.SubGraph, args *config.Data) {
	at := c.graph.LimitsAt["maxDepth"]
	if !at.IsValid() {
		return
	}
	for i, key := range args.Keys {
		e := exprAt(n.Args.Expressions(), args.Items[i])
		path := []string{c.graph.Entry.ID(), key.Value}
		if e == nil || e.Tree().Kind != jsonata.OperatorKind || len(e.Tree().Parts) != 2 || !slices.Equal(names(&e.Tree().Parts[0]), path) || e.Tree().Parts[1].Text != "1" {
			continue
		}
		for _, terms := range c.terms {
			for _, t := range terms {
				for _, leaf := range t.leaves() {
					if leaf.op != "bound" || leaf.subject != fmt.Sprintf("{var [%q,]}", strings.Join(path, ".")) {
						continue
					}
					from, calls := c.callsUntil(e.Tree().Text, leaf, key.Value)
					if most := c.graph.Limits.MaxDepth; calls+1 > float64(most) {
						c.found.Warn(at, "limit-too-low", fmt.Sprintf("with %s = %s, tool %q calls itself %s times, and maxDepth is %d", key.Value, value.NumberText(from), n.Tool, value.NumberText(calls), most),
							fmt.Sprintf("raise maxDepth to %s or more, or allow fewer by the schema of %s", value.NumberText(calls+1), key.Value))
						return
					}
				}
			}
		}
	}
}

// callsUntil returns the argument with which a tool calls itself most often until a bound no longer holds, and how often; 0 when
// inputSchema sets no such bound.
func (c *checker) callsUntil(operator string, bound *term, key string) (from, calls float64) {
	limit, _ := bound.constant.(float64)
	schema := c.graph.Tool.InputSchema.Get("properties").Get(key)
	edge, sign := schema.Get("maximum"), 1.0
	if operator == "+" {
		edge, sign = schema.Get("minimum"), -1
	}
	if edge == nil || (bound.bound[0] == '>') != (operator == "-") {
		return 0, 0
	}
	from, isNumber := value.FromPlain(edge.Scalar).(float64)
	if !isNumber {
		return 0, 0
	}
	calls = sign * (from - limit)
	if len(bound.bound) == 2 { // the limit as well
		calls++
	}
	return from, calls
}

// exprAt returns the expression that an argument is; nil for another argument, and for one without a tree.
func exprAt(all []*graph.Expr, d *config.Data) *graph.Expr {
	if d.Kind != config.KindExpression {
		return nil
	}
	at := slices.IndexFunc(all, func(e *graph.Expr) bool { return e.Text.Pos == d.Expr.Pos })
	if at < 0 || all[at].Tree() == nil {
		return nil
	}
	return all[at]
}
