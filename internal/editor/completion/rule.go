package completion

import (
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/shape"
)

// iterations are the operators whose second operand is read from the elements of the first.
var iterations = []string{"map", "filter", "reduce", "all", "some", "none"}

// comparisons are the operators whose operands are of one kind.
var comparisons = []string{"==", "===", "!=", "!==", "in"}

// operators are the candidates for the operators of a rule.
func (c *cursor) operators() []Candidate {
	var out []Candidate
	for _, op := range jsonlogic.Operators() {
		key := op
		if !plainText(op) {
			key = `"` + op + `"`
		}
		candidate := Candidate{Label: op, Kind: "function", Detail: "operator of rules", Doc: docOfOperator(op), Insert: key + ": "}
		if !c.hasValue() {
			candidate.Snippet = escaped(key+": ") + operators()[op].operands
		}
		out = append(out, candidate)
	}
	return out
}

// ruleEnv is what the var of a rule reads: the context, or the element of the innermost iteration around an
// item.
func (c *cursor) ruleEnv(s source, of *item) (env shape.Env, isElement bool) {
	for at := of; at != c.node && at.parent != nil; at = at.parent {
		operands := at.parent
		if operands.kind != sequence || !slices.Contains(iterations, operands.key) || operands.items[0] == at || operands.parent.kind != mapping {
			continue
		}
		if len(operands.items) > 2 && operands.items[2] == at { // the start of a reduce
			continue
		}
		outer := c.env(s)
		element := c.operand(s, operands.items[0]).Each()
		env := shape.Env{Context: map[string]shape.Binding{}, Open: true, Variables: map[string]shape.Shape{
			expressions.VarVars: outer.Variables[expressions.VarVars],
			jsonata.RuleContext: contextShape(outer),
		}}
		if operands.key == "reduce" {
			env.Context["current"] = shape.Binding{Shape: element, Presence: shape.Always}
			env.Context["accumulator"] = shape.Binding{Shape: shape.Any(), Presence: shape.Always}
			return env, true
		}
		for _, f := range element.Members() {
			env.Context[f.Name] = shape.Binding{Shape: f.Shape, Presence: shape.Maybe}
		}
		return env, true
	}
	return c.env(s), false
}

// contextShape is the context of a run as an object.
func contextShape(env shape.Env) shape.Shape {
	var fields []shape.Field
	for name, b := range env.Context {
		if b.Presence != shape.Never {
			fields = append(fields, shape.Field{Name: name, Shape: b.Shape, Optional: b.Presence == shape.Maybe})
		}
	}
	return shape.Object(fields, true)
}

// operand infers the value of an operand that is a var.
func (c *cursor) operand(s source, of *item) shape.Shape {
	path := of.get("var")
	if path == nil {
		return shape.Any()
	}
	if path.kind == sequence && len(path.items) > 0 {
		path = path.items[0]
	}
	if path.kind != scalar || path.text == "" {
		return shape.Any()
	}
	e, err := jsonata.CompileVar(c.ctx, path.text)
	if err != nil {
		return shape.Any()
	}
	env, _ := c.ruleEnv(s, of)
	value, _ := shape.Infer(c.ctx, e, env)
	return value
}

// comparedValues are the strings that an operand of a rule can be, by the var that it is compared with.
func (c *cursor) comparedValues() []Candidate {
	operands := c.of.parent
	if operands == nil || operands.kind != sequence || !slices.Contains(comparisons, operands.key) {
		return nil
	}
	var out []Candidate
	for _, other := range operands.items {
		if other == c.of {
			continue
		}
		words := c.operand(source{keys: c.path(c.node), rule: true}, other)
		for _, word := range append(words.Words(), words.Items().Words()...) {
			out = append(out, Candidate{Label: word, Kind: "enum", Insert: scalarText(word)})
		}
	}
	return out
}
