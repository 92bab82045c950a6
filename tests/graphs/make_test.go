package graphs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The graph as both sides read it. Its fields are those of a graph file.
type (
	graphFile struct {
		Nodes []*node `json:"nodes"`
		Max   int     `json:"maxNodeExecutions"`
	}
	node struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		Server     string          `json:"server,omitempty"`
		Tool       string          `json:"tool,omitempty"`
		Args       json.RawMessage `json:"args,omitempty"`
		Transform  *transform      `json:"transform,omitempty"`
		Conditions []condition     `json:"conditions,omitempty"`
		Next       string          `json:"next,omitempty"`

		expr  *term   // of a transform
		args  *term   // of a call
		rules []*term // of a switch, one a condition
	}
	transform struct {
		Expr string `json:"expr"`
	}
	condition struct {
		Rule json.RawMessage `json:"rule"`
		Next string          `json:"next"`
	}
)

// sample is one graph and the arguments of its run.
type sample struct {
	file  graphFile
	input string // the arguments, as JSON
}

// builder makes one graph, from its entry to its exit.
type builder struct {
	maker
	sample
	scope  scope
	loose  []*string // what is to lead to the next node
	loops  int
	number int
}

// makeSample makes the i-th graph of a seed.
func makeSample(seed, i uint64) sample {
	b := &builder{maker: maker{rand.New(rand.NewPCG(seed, i))}}
	b.input = b.arguments()
	b.file.Max = 1000
	b.scope.places = entryPlaces
	b.scope.ids = []string{"entry"}
	b.append(&node{ID: "entry", Type: "entry"})
	for range 1 + b.IntN(5) {
		switch b.IntN(8) {
		case 0, 1, 2:
			b.transform(b.kind())
		case 3, 4:
			b.call()
		case 5, 6:
			b.branches()
		case 7:
			b.loop()
		}
	}
	switch {
	case b.IntN(20) == 0:
		b.transform("last") // so that no other node reads it
	case b.IntN(3) > 0:
		b.transform(b.kind())
	}
	b.append(&node{ID: "exit", Type: "exit"})
	return b.sample
}

func (b *builder) kind() string {
	return one(b.maker, "num", "str", "bool", "nums", "strs", "items", "items", "obj", "any", "any")
}

// append adds a node that all loose ends lead to.
func (b *builder) append(n *node) *node {
	b.file.Nodes = append(b.file.Nodes, n)
	for _, end := range b.loose {
		*end = n.ID
	}
	b.loose = nil
	if n.Type != "exit" {
		b.loose = append(b.loose, &n.Next)
	}
	return n
}

// id is a new node's name, which some expressions have to write in backticks.
func (b *builder) id(word string) string {
	b.number++
	if b.IntN(8) == 0 {
		return fmt.Sprintf("my-%s %d", word, b.number)
	}
	return fmt.Sprintf("%s%d", word, b.number)
}

// path is how an expression reaches a node's output.
func path(id string) string {
	for _, r := range id {
		if r == '-' || r == ' ' {
			return "`" + id + "`"
		}
	}
	return id
}

// known makes a node's output something to read; one that can be anything is read as
// if it had a shape that others can use.
func (b *builder) known(id, kind string) {
	places := b.scope.places[:len(b.scope.places):len(b.scope.places)]
	for range 3 {
		places = append(places, place{path(id), kind})
	}
	b.scope.places = places
	b.scope.ids = append(b.scope.ids[:len(b.scope.ids):len(b.scope.ids)], id)
}

// make is a term of the kind that the reference can evaluate.
func (b *builder) make(kind string) *term {
	t := b.term(b.scope, hole{kind: kind}, 1+b.IntN(3))
	for hangsReference(t.String()) {
		t = b.term(b.scope, hole{kind: kind}, 1+b.IntN(3))
	}
	return t
}

// hangsReference reports whether jsonata 2.2.2 may loop for ever: it does where the left
// side of ?? or ?: has a regular expression that matches, as in $match(s, /a/) ?? 1.
func hangsReference(source string) bool {
	return strings.Contains(source, ", /") && (strings.Contains(source, " ?? ") || strings.Contains(source, " ?: "))
}

func (b *builder) transform(kind string) *node {
	return b.transformOf(b.id("t"), kind, b.make(kind))
}

func (b *builder) transformOf(id, kind string, expr *term) *node {
	n := b.append(&node{ID: id, Type: "transform", expr: expr, Transform: &transform{expr.String()}})
	b.known(n.ID, kind)
	return n
}

func (b *builder) call() {
	args := b.make("args")
	n := &node{ID: b.id("call"), Type: "mcp", Server: "mock", args: args, Args: json.RawMessage(args.String())}
	n.Tool = one(b.maker, "echo", "echo", "pick", "pick", "wrap")
	if b.IntN(60) == 0 {
		n.Tool = "fail"
	}
	b.append(n)
	b.known(n.ID, "obj")
	b.scope.places = append(b.scope.places, place{path(n.ID) + ".value", "any"})
}

// branches adds a switch, perhaps with nodes on its ways.
func (b *builder) branches() {
	n := b.append(&node{ID: b.id("way"), Type: "switch"})
	ways := 1 + b.IntN(3)
	n.Conditions = make([]condition, ways)
	for i := range n.Conditions {
		n.rules = append(n.rules, b.make("rule"))
		n.Conditions[i].Rule = json.RawMessage(n.rules[i].String())
	}
	b.known(n.ID, "str")
	var ends []*string
	for i := range n.Conditions {
		b.loose = []*string{&n.Conditions[i].Next}
		if b.IntN(4) > 0 {
			b.transform(b.kind())
		}
		ends = append(ends, b.loose...)
	}
	ends = append(ends, &n.Next)
	b.loose = ends
}

// Counters of loops; the text is an expression with the loop's head as %[1]s, and the
// head's path as %[2]s.
var counters = []struct{ expr, count, kind string }{
	{`$executionCount(%[1]s) + 1`, ``, "num"},
	{`{"i": $executionCount(%[1]s) + 1, "total": $sum($nodeExecutions(%[1]s).i)}`, `.i`, "obj"},
	{`$exists($nodeExecution(%[1]s, -1)) ? {"i": %[2]s.i + 1, "name": %[2]s.name & "x"} : {"i": 1, "name": ""}`, `.i`, "obj"},
	{`{"i": $count($nodeExecutions(%[1]s)) + 1, "list": $append(%[2]s.list, $previousNode())}`, `.i`, "obj"},
}

// comesAndGoes adds a node that has a value in some executions and nothing in others, and
// one that looks at it.
func (b *builder) comesAndGoes() {
	id := b.id("now")
	when := one(b.maker, "= 0", "= 1", "!= 1", "> 0")
	b.transformOf(id, "any", &term{
		texts: []string{fmt.Sprintf("$executionCount(%s) %s ? ", quote(id), when), ""},
		terms: []*term{b.make("any")},
	})
	b.transformOf(b.id("look"), "obj", literalTerm(fmt.Sprintf(
		`{"has": $exists(%[2]s), "v": %[2]s, "count": $count(%[2]s), "or": %[2]s ?? "none", "all": $nodeExecutions(%[1]s),
 "last": $nodeExecution(%[1]s, -1), "first": $nodeExecution(%[1]s, 0), "before": $previousNode(), "times": $executionCount(%[1]s)}`,
		quote(id), path(id))))
}

// loop adds nodes that run several times.
func (b *builder) loop() {
	b.loops++
	c := one(b.maker, counters...)
	id := b.id("loop")
	head := b.transformOf(id, c.kind, literalTerm(fmt.Sprintf(c.expr, quote(id), path(id))))
	if b.IntN(3) == 0 {
		b.comesAndGoes()
	}
	// Nodes later in the loop can be read before they have run.
	for range b.IntN(3) {
		if b.IntN(3) == 0 {
			b.call()
		} else {
			b.transform(b.kind())
		}
	}
	times := 2 + b.IntN(4)
	if b.IntN(12) == 0 {
		times, b.file.Max = 1000, 20+b.IntN(20)
	}
	more := literalTerm(fmt.Sprintf(`{"<":[{"var":%s},%d]}`, quote(path(id)+c.count), times))
	n := b.append(&node{ID: b.id("more"), Type: "switch", rules: []*term{more}})
	n.Conditions = []condition{{Rule: json.RawMessage(more.String()), Next: head.ID}}
	b.known(n.ID, "str")
}
