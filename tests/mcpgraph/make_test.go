package mcpgraph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

type (
	// node is a node of a graph; its kind is what mcpGraph calls its type.
	node struct {
		id, kind, tool string
		body           *term // the expression of a transform, the arguments of a call
		conditions     []condition
		next           string
	}
	condition struct {
		rule *term // nil where there is none
		next string
	}
	// sample is one graph and the arguments of its call.
	sample struct {
		index     uint64
		nodes     []*node
		arguments string
		defaults  bool // the graph reads the default of an argument
		wrong     bool // the arguments do not fit the inputSchema
	}
)

// The rules that are about a whole graph, not about a form of the grammar.
const (
	listsHold        = "lists-hold"
	conditionNoRule  = "condition-without-rule"
	defaults         = "defaults"
	argumentsChecked = "arguments-checked"
	resultChecked    = "result-checked"
	contentRule      = "contents"
)

func (s *sample) name() string { return fmt.Sprintf("graph%d", s.index) }

// rules are the rules by which the sample can be written in another way.
func (s *sample) rules() []string {
	found := map[string]bool{}
	if s.defaults {
		found[defaults] = true
	}
	for _, n := range s.nodes {
		if n.body != nil {
			n.body.rules(found)
		}
		for _, c := range n.conditions {
			if c.rule == nil {
				found[conditionNoRule] = true
				continue
			}
			found[listsHold] = true
			c.rule.rules(found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// builder makes one graph, from its entry to its exit.
type builder struct {
	maker
	sample
	old    bool // for 0.1.23
	loose  []*string
	number int
}

// makeSample makes the i-th graph of a seed.
func makeSample(seed, i uint64, old bool) *sample {
	b := &builder{maker: maker{Rand: rand.New(rand.NewPCG(seed, i)), places: entryPlaces, ids: []string{"entry"}}, old: old}
	b.index, b.sample.arguments = i, b.maker.arguments()
	b.append(&node{id: "entry", kind: "entry"})
	for range 1 + b.IntN(4) {
		switch b.IntN(9) {
		case 0, 1:
			b.transform(b.kind())
		case 2, 3:
			b.call()
		case 4, 5, 6:
			b.branches()
		case 7:
			b.loop()
		case 8:
			b.sometimes()
		}
	}
	switch b.IntN(36) {
	case 0, 1, 2, 3:
		b.transform("rare")
	case 4:
		b.defaults = true
		b.known(b.append(&node{id: b.id("page"), kind: "transform", body: literal(`{"page": $.entry.page, "twice": $.entry.page * 2}`)}), "obj")
	case 5:
		b.wrong = true
		b.sample.arguments = one(&b.maker, `{"text":"no n"}`, `{"n":"1","nums":[],"items":[]}`, `{"n":1,"text":5}`)
	}
	if b.IntN(10) > 0 {
		b.summary()
	}
	b.append(&node{id: "exit", kind: "exit"})
	return &b.sample
}

func (b *builder) kind() string {
	return one(&b.maker, "num", "str", "bool", "nums", "strs", "items", "obj", "any", "past", "past")
}

// append adds a node that all loose ends lead to.
func (b *builder) append(n *node) *node {
	b.nodes = append(b.nodes, n)
	for _, end := range b.loose {
		*end = n.id
	}
	b.loose = nil
	if n.kind != "exit" {
		b.loose = append(b.loose, &n.next)
	}
	return n
}

// id is a new node's name, which some expressions have to write in backticks.
func (b *builder) id(word string) string {
	b.number++
	if b.IntN(10) == 0 {
		return fmt.Sprintf("my-%s %d", word, b.number)
	}
	return fmt.Sprintf("%s%d", word, b.number)
}

func path(id string) string {
	if strings.ContainsAny(id, "- ") {
		return "`" + id + "`"
	}
	return id
}

// known makes a node's output something to read.
func (b *builder) known(n *node, kind string) *node {
	b.places = append(slices.Clip(b.places), place{path(n.id), kind}, place{path(n.id), kind})
	b.ids = append(slices.Clip(b.ids), n.id, n.id)
	return n
}

func (b *builder) transform(kind string) *node {
	return b.known(b.append(&node{id: b.id("t"), kind: "transform", body: b.term(kind, 1+b.IntN(2))}), kind)
}

// call adds a call of the fake server: most give back their arguments, some give odd content, few fail.
func (b *builder) call() {
	args := "args"
	if b.old {
		args = "oldargs"
	}
	n := &node{id: b.id("call"), kind: "mcp", tool: "echo", body: b.term(args, 1+b.IntN(2))}
	switch b.IntN(14) {
	case 0:
		n.tool, n.body = "text", b.textOf(quote(b.term("data", 2).text(reading{})))
	case 1:
		n.tool, n.body = "text", b.textOf(one(&b.maker, `"plain text"`, `"{not JSON"`, `" "`, `"0"`, `"null"`))
	case 2:
		n.tool, n.body = "contents", b.contents()
	case 3:
		n.tool, n.body = one(&b.maker, "nothing", "nocontent"), literal("{}")
	case 4:
		if b.IntN(3) == 0 {
			n.tool, n.body = one(&b.maker, "fail", "rpcerror", "noSuchTool"), literal(`{"message":"refused"}`)
		}
	}
	b.append(n)
	b.known(n, "obj")
	b.places = append(b.places, place{path(n.id) + ".value", "any"}, place{path(n.id) + ".alpha", "num"}, place{path(n.id) + ".zeta", "str"})
}

func (b *builder) textOf(text string) *term { return literal(`{"text":` + text + `}`) }

// contents are arguments of the fake server's tool contents, and the value of such a call as one text.
func (b *builder) contents() *term {
	texts := [][2]string{
		{`[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"b"}]`, `[{"a":1},"b"]`},
		{`[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}]`, `["a",{"type":"image","data":"aGk=","mimeType":"image/png"}]`},
		{`[{"type":"text","text":""}]`, `""`},
		{`[{"type":"image","data":"aGk=","mimeType":"image/png"}]`, `{"type":"image","data":"aGk=","mimeType":"image/png"}`},
		{`[{"type":"hologram","planes":[1,2]}]`, `{"type":"hologram","planes":[1,2]}`},
	}
	c := one(&b.maker, texts...)
	return &term{
		source: `{"params":` + c[0] + `}`, json: true,
		rule: contentRule, otherwise: `{"params":[{"type":"text","text":` + quote(c[1]) + `}]}`,
	}
}

// branches adds a switch, perhaps with nodes on its ways.
func (b *builder) branches() {
	n := &node{id: b.id("way"), kind: "switch"}
	for range 1 + b.IntN(3) {
		n.conditions = append(n.conditions, condition{rule: b.term("rule", 1+b.IntN(3))})
	}
	if !b.old && b.IntN(25) == 0 {
		n.conditions[len(n.conditions)-1].rule = nil
	}
	b.append(n)
	b.known(n, "str")
	ends := []*string{&n.next}
	for i := range n.conditions {
		b.loose = []*string{&n.conditions[i].next}
		if b.IntN(4) > 0 {
			b.transform(b.kind())
		}
		ends = append(ends, b.loose...)
	}
	b.loose = ends
}

// counters are heads of loops; %[1]s is the head's id as a string, %[2]s its path.
var counters = []struct{ expr, count, kind string }{
	{`$executionCount(%[1]s) + 1`, ``, "num"},
	{`{"i": $executionCount(%[1]s) + 1, "total": $sum($nodeExecutions(%[1]s).i)}`, `.i`, "obj"},
	{`$executionCount(%[1]s) > 0 ? {"i": $nodeExecution(%[1]s, -1).i + 1, "name": %[2]s.name & "x"} : {"i": 1, "name": ""}`, `.i`, "obj"},
	{`{"i": $count($nodeExecutions(%[1]s)) + 1, "list": $append(%[2]s.list, $previousNode())}`, `.i`, "obj"},
}

// loop adds nodes that run several times, or until the limit ends the run.
func (b *builder) loop() {
	c := one(&b.maker, counters...)
	id := b.id("loop")
	head := b.known(b.append(&node{id: id, kind: "transform", body: literal(fmt.Sprintf(c.expr, quote(id), path(id)))}), c.kind)
	for range b.IntN(3) {
		switch b.IntN(3) {
		case 0:
			b.call()
		case 1:
			b.sometimes()
		case 2:
			b.transform(b.kind())
		}
	}
	times := 2 + b.IntN(4)
	switch b.IntN(8) {
	case 0:
		times = 1000
	case 1:
		times = 5 + b.IntN(20) // near the limit
	}
	more := literal(fmt.Sprintf(`{"<":[{"var":%s},%d]}`, quote(path(id)+c.count), times))
	n := b.known(b.append(&node{id: b.id("more"), kind: "switch", conditions: []condition{{more, head.id}}}), "str")
	b.loose = []*string{&n.next}
}

// sometimes adds a node that has a value in some executions and nothing in others.
func (b *builder) sometimes() {
	id := b.id("now")
	when := one(&b.maker, "= 0", "= 1", "!= 1", "> 0")
	body := &term{source: fmt.Sprintf("$executionCount(%s) %s ? <num>", quote(id), when), fill: []*term{b.term("any", 1)}}
	b.known(b.append(&node{id: id, kind: "transform", body: body}), "any")
}

// summary adds a node that gives the latest values of all nodes, and much of their history.
func (b *builder) summary() {
	var fields []string
	t := &term{}
	for _, n := range b.nodes[1:] { // without the arguments
		fields = append(fields, fmt.Sprintf(`%s: {"v": $.%s, "n": $executionCount(%[1]s)}`, quote(n.id), path(n.id)))
		if b.IntN(4) == 0 {
			fields = append(fields, quote("all of "+n.id)+": <any>")
			t.fill = append(t.fill, &term{
				source: "$nodeExecutions(" + quote(n.id) + ")", rule: "executions-of-nothing",
				otherwise: fmt.Sprintf("($h := $nodeExecutions(%s)[$exists($)][]; $exists($h) ? $append([], $h) : [])", quote(n.id)),
			})
		}
	}
	fields = append(fields, `"before": $previousNode()`)
	t.source = "{" + strings.Join(fields, ", ") + "}"
	b.append(&node{id: b.id("summary"), kind: "transform", body: t})
}
