package flow

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/graph"
)

// term is a rule in a form that can be reasoned about without values: and, or and not of leaves.
// Two leaves with the same key always have the same outcome.
type term struct {
	op    string // and, or, not; equal, bound: subject is compared with constant; holds
	parts []*term
	key   string
	reads reads
	// absent is the outcome when none of the nodes that it reads has run.
	absent outcome

	subject  string       // canonical text of what is compared
	constant any          // string, float64, bool
	bound    string       // < <= > >=
	at       *config.Data // the comparison's constant
	left     *config.Data // the comparison's other side
	path     []any        // from the rule's root to left
	strict   bool         // of ===

	ofDefault bool // the constant is the declared value of one of vars
}

// termOf reads a rule.
func (x index) termOf(ctx context.Context, rule *graph.Rule, with defaults) *term {
	return termReader{index: x, rule: rule, defaults: with}.read(ctx, rule.Data, nil)
}

type termReader struct {
	index    index
	rule     *graph.Rule
	defaults defaults
}

func (r termReader) read(ctx context.Context, d *config.Data, path []any) *term {
	if d.Kind != config.KindObject || len(d.Keys) != 1 {
		return r.leaf(ctx, d, path)
	}
	op := d.Keys[0].Value
	inner := below(path, any(op))
	operands, paths := operandsAt(d.Items[0], inner)
	switch {
	case op == "and" || op == "or":
		t := &term{op: op}
		for i, operand := range operands {
			t.parts = append(t.parts, r.read(ctx, operand, paths[i]))
		}
		return t
	case op == "!" && len(operands) == 1:
		return &term{op: "not", parts: []*term{r.read(ctx, operands[0], paths[0])}}
	case op == "!!" && len(operands) == 1:
		return r.read(ctx, operands[0], paths[0])
	case len(operands) != 2:
		return r.leaf(ctx, d, path)
	}
	switch op {
	case "==", "===":
		return r.comparison(ctx, d, path, "equal", op == "===", operands, paths)
	case "!=", "!==":
		t := r.comparison(ctx, d, path, "equal", op == "!==", operands, paths)
		if t.op == "holds" {
			return t // the rule itself, which is no comparison with a constant
		}
		return &term{op: "not", parts: []*term{t}}
	case "<", "<=", ">", ">=":
		t := r.comparison(ctx, d, path, "bound", false, operands, paths)
		if _, isNumber := t.constant.(float64); t.op == "bound" && !isNumber {
			return r.leaf(ctx, d, path)
		}
		return t
	case "in":
		return r.membership(ctx, d, path, operands, paths)
	}
	return r.leaf(ctx, d, path)
}

// leaves returns the parts of a rule of which it is a combination.
func (t *term) leaves() []*term {
	if t.op != "and" && t.op != "or" && t.op != "not" {
		return []*term{t}
	}
	var all []*term
	for _, part := range t.parts {
		all = append(all, part.leaves()...)
	}
	return all
}

func operandsAt(d *config.Data, path []any) (operands []*config.Data, paths [][]any) {
	if d.Kind != config.KindArray {
		return []*config.Data{d}, [][]any{path}
	}
	for i := range d.Items {
		paths = append(paths, below(path, any(i)))
	}
	return d.Items, paths
}

func (r termReader) leaf(ctx context.Context, d *config.Data, path []any) *term {
	t := &term{op: "holds", key: canonical(d), subject: canonical(d), reads: r.index.ofRule(ctx, r.rule, path), left: d, path: path}
	t.setAbsent(ctx, d.Value())
	return t
}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// comparison returns the term of a comparison with a constant; other comparisons are leaves.
func (r termReader) comparison(ctx context.Context, d *config.Data, path []any, op string, strict bool, operands []*config.Data, paths [][]any) *term {
	left, with, bound := 0, r.defaults.operand(ctx, operands[1]), d.Keys[0].Value
	if constantOf(with) == nil {
		left, with, bound = 1, r.defaults.operand(ctx, operands[0]), mirrored[bound]
	}
	t := &term{
		op: op, subject: canonical(operands[left]), constant: constantOf(with), strict: strict,
		at: with, left: operands[left], path: paths[left], reads: r.index.ofRule(ctx, r.rule, path),
	}
	if t.constant == nil || constantOf(r.defaults.operand(ctx, operands[left])) != nil {
		return r.leaf(ctx, d, path)
	}
	t.ofDefault = with != operands[1-left]
	if op == "bound" {
		t.bound = bound
	}
	t.setKey()
	t.setAbsent(ctx, d.Value())
	if d.Keys[0].Value[0] == '!' {
		t.absent = t.absent.not() // the rule is the negation of the term
	}
	return t
}

// membership returns the term of in with a list of constants: equal to one of them.
func (r termReader) membership(ctx context.Context, d *config.Data, path []any, operands []*config.Data, paths [][]any) *term {
	list := r.defaults.operand(ctx, operands[1])
	if list.Kind != config.KindArray || len(list.Items) == 0 {
		return r.leaf(ctx, d, path)
	}
	t := &term{op: "or"}
	for _, item := range list.Items {
		one := &term{
			op: "equal", subject: canonical(operands[0]), constant: constantOf(item), strict: true,
			at: item, left: operands[0], path: paths[0], reads: r.index.ofRule(ctx, r.rule, path), ofDefault: list != operands[1],
		}
		if one.constant == nil {
			return r.leaf(ctx, d, path)
		}
		one.setKey()
		one.setAbsent(ctx, map[string]any{"===": []any{operands[0].Value(), one.constant}})
		t.parts = append(t.parts, one)
	}
	return t
}

// setAbsent evaluates the term's rule for a run in which no node has run.
func (t *term) setAbsent(ctx context.Context, rule any) {
	if t.reads.open || len(t.reads.nodes) == 0 {
		return
	}
	compiled, err := jsonlogic.Compile(ctx, rule)
	if err != nil || slices.ContainsFunc(compiled.Reads(), readsConstant) {
		return
	}
	if holds, err := compiled.Holds(ctx, expressions.NewScope(nil, nil)); err == nil {
		t.absent = outcomeOf(holds)
	}
}

// readsConstant reports whether a var reads constants of the file, which can get other values.
func readsConstant(read jsonlogic.Read) bool {
	return read.Expression != nil && slices.ContainsFunc(read.Expression.Variables(), func(v jsonata.Variable) bool { return v.Name == expressions.VarVars })
}

// setKey sets the key of a comparison. A strict comparison with a text that is not a number has
// the same outcome as one that is not strict, and the same key.
func (t *term) setKey() {
	text, isText := t.constant.(string)
	_, err := strconv.ParseFloat(text, 64)
	raw, jsonErr := json.Marshal(t.constant)
	if jsonErr != nil {
		raw = []byte(text)
	}
	t.key = t.op + t.bound + string(raw) + t.subject
	if t.strict && (!isText || err == nil || text == "") {
		t.key = "strict " + t.key
	}
}

// constantOf returns the string, number or boolean that d is, or nil.
func constantOf(d *config.Data) any {
	if d.Kind != config.KindScalar {
		return nil
	}
	switch v := d.Scalar.(type) {
	case string, float64, bool:
		return v
	}
	return nil
}

// canonical returns a rule as text, which is the same for different spellings of one rule.
func canonical(d *config.Data) string {
	var b strings.Builder
	writeCanonical(&b, d)
	return b.String()
}

func writeCanonical(b *strings.Builder, d *config.Data) {
	switch {
	case d.Kind == config.KindArray:
		b.WriteByte('[')
		for _, item := range d.Items {
			writeCanonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case d.Kind == config.KindObject && len(d.Keys) == 1:
		op, operand := d.Keys[0].Value, d.Items[0]
		b.WriteString("{" + op + " ")
		if path, isText := operand.Scalar.(string); op == "var" && operand.Kind == config.KindScalar && isText {
			b.WriteString("[" + strconv.Quote(plainPath(path)) + ",]")
		} else if operand.Kind == config.KindArray {
			writeCanonical(b, operand)
		} else {
			writeCanonical(b, &config.Data{Kind: config.KindArray, Items: []*config.Data{operand}})
		}
		b.WriteByte('}')
	default:
		b.Write(d.JSON())
	}
}

// plainPath returns a path without the $. or $$. at its start.
func plainPath(path string) string {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, "$$."); ok {
		return rest
	}
	return strings.TrimPrefix(path, "$.")
}
