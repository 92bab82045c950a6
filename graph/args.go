package graph

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Args are the arguments of a call, or the value of an onError: literals with expressions at any
// depth. Parts without
// expressions are built once and shared by all runs. Safe for concurrent use.
type Args struct {
	Pos config.Pos // of args; zero when the file has none

	root  *arg
	exprs []*Expr
	texts []*filled

	operands *operands // of a program; nil: nothing to guard
}

// arg is one piece of Args: constant when expr, text, keys and items are all empty.
type arg struct {
	constant value.Value
	expr     *Expr
	text     *filled
	kind     config.Kind
	keys     []string // of items, in an object
	items    []*arg
}

// Eval returns the value: of arguments, an Object; of an onError, any value, nil for none. A key whose expression has no value
// is left out; in an array it is null. The error is a *PlacedError, or an *OptionError.
func (a *Args) Eval(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	v, err := a.root.eval(ctx, scope)
	if err != nil || a.operands == nil {
		return v, err
	}
	return v, a.operands.check(v)
}

// Expressions returns the expressions among the arguments, in file order. The caller must not
// change the list.
func (a *Args) Expressions() []*Expr { return a.exprs }

// Named calls each with every expression among the arguments and its place in them, as in path or
// filter.tags[0]; empty when the expression is all there is. It goes in file order.
func (a *Args) Named(each func(name string, e *Expr)) { a.root.named("", each) }

func (a *arg) named(name string, each func(string, *Expr)) {
	if a.expr != nil {
		each(name, a.expr)
	}
	for i, item := range a.items {
		switch {
		case a.kind == config.KindArray:
			item.named(fmt.Sprintf("%s[%d]", name, i), each)
		case name == "":
			item.named(a.keys[i], each)
		default:
			item.named(name+"."+a.keys[i], each)
		}
	}
}

func (a *arg) isConstant() bool { return a.expr == nil && a.text == nil && a.items == nil }

func (a *arg) eval(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	switch {
	case a.expr != nil:
		return a.expr.Eval(ctx, scope)
	case a.text != nil:
		return a.text.eval(scope)
	case a.items == nil:
		return a.constant, nil
	case a.kind == config.KindArray:
		return a.evalArray(ctx, scope)
	}
	return a.evalObject(ctx, scope)
}

func (a *arg) evalArray(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	values := make([]any, len(a.items))
	for i, item := range a.items {
		v, err := item.eval(ctx, scope)
		if err != nil {
			return nil, err
		}
		if v == nil {
			v = value.Null
		}
		values[i] = v
	}
	return values, nil
}

func (a *arg) evalObject(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	keys := make([]string, 0, len(a.keys))
	values := make([]value.Value, 0, len(a.keys))
	for i, item := range a.items {
		v, err := item.eval(ctx, scope)
		if err != nil {
			return nil, err
		}
		if v != nil {
			keys = append(keys, a.keys[i])
			values = append(values, v)
		}
	}
	return value.NewObject(keys, values), nil
}

// compileArgs compiles the args of a call; data is nil when the node has none.
func (c *compiler) compileArgs(ctx context.Context, data *config.Data, bound variables) *Args {
	if data == nil {
		return &Args{root: &arg{constant: value.NewObject(nil, nil)}}
	}
	if data.Kind != config.KindObject && (data.Kind != config.KindExpression || c.references == nil) { // a graph that is made may pass all arguments on
		c.found.Add(data.Pos, "args-not-object", "args is "+kindName(data)+", expected a mapping of argument names to values",
			"write args: {name: value}")
		return nil
	}
	return c.compileValue(ctx, data, bound)
}

// compileValue compiles data of any kind with expressions in it; nil when data is.
func (c *compiler) compileValue(ctx context.Context, data *config.Data, bound variables) *Args {
	if data == nil {
		return nil
	}
	args := &Args{Pos: data.Pos}
	if c.references == nil {
		c.checkLiterals(data, 0, bound)
	}
	args.root = c.compileArg(ctx, data, bound, args)
	args.bound(c.file.Limits.MaxNodeOutputBytes)
	return args
}

func (c *compiler) compileArg(ctx context.Context, data *config.Data, bound variables, args *Args) *arg {
	switch data.Kind {
	case config.KindExpression:
		expr := c.compileExpr(ctx, data.Expr, bound)
		if expr != nil {
			args.exprs = append(args.exprs, expr)
		}
		return &arg{expr: expr, kind: data.Kind}
	case config.KindObject, config.KindArray:
		return c.compileItems(ctx, data, bound, args)
	case config.KindScalar:
	}
	if text, isText := data.Scalar.(string); isText && c.references != nil {
		return c.compileText(data, text, args)
	}
	return &arg{constant: scalarValue(data.Scalar), kind: data.Kind}
}

// compileItems compiles an object or array. Without expressions it becomes one constant.
func (c *compiler) compileItems(ctx context.Context, data *config.Data, bound variables, args *Args) *arg {
	a := &arg{kind: data.Kind}
	constant := true
	items := make([]*arg, len(data.Items))
	for i, item := range data.Items {
		items[i] = c.compileArg(ctx, item, bound, args)
		constant = constant && item.Kind != config.KindExpression && items[i].isConstant()
	}
	keys := make([]string, len(data.Keys))
	for i, key := range data.Keys {
		keys[i] = key.Value
	}
	if !constant {
		a.keys, a.items = keys, items
		return a
	}
	values := make([]any, len(items))
	for i, item := range items {
		values[i] = item.constant
	}
	if data.Kind == config.KindArray {
		a.constant = values
	} else {
		a.constant = value.NewObject(keys, values)
	}
	return a
}

func scalarValue(scalar any) value.Value {
	if scalar == nil {
		return value.Null
	}
	return value.FromPlain(scalar)
}

// kindName returns the kind of the data for messages.
func kindName(data *config.Data) string {
	switch data.Kind {
	case config.KindObject:
		return "a mapping"
	case config.KindArray:
		return "a list"
	case config.KindExpression:
		return "an expression"
	case config.KindScalar:
	}
	switch data.Scalar.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	}
	return "a number"
}

// Texts that look like references to values: the path in the {{…}} or ${…} of a template, and a
// whole text that is $.path.
var (
	templatePath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:\{\{|\$\{)\s*(?:\$?\.|\$)?([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)\s*\}\}?`)
	})
	wholePath     = wording.Pattern(`^\$\.([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$`)
	wholeVariable = wording.Pattern(`^\$([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)$`)
)

// checkLiterals warns of texts in args that refer to a node's output in the notation of other
// languages, or that are a variable with a value here, or in steps an argument: they are sent as literal text. depth is the
// level of data below args; package config reports whole paths on the first level.
func (c *compiler) checkLiterals(data *config.Data, depth int, bound variables) {
	for _, item := range data.Items {
		c.checkLiterals(item, depth+1, bound)
	}
	text, isText := data.Scalar.(string)
	if !isText {
		return
	}
	if rest := strings.TrimSpace(text); strings.HasPrefix(rest, "{expr:") && strings.HasSuffix(rest, "}") && c.readsKnown(rest[len("{expr:"):len(rest)-1]) {
		c.found.Warn(data.Pos, "literal-expression", fmt.Sprintf("%q looks like an expression but is sent as literal text", shorten(text)), "remove the quotes around { }").Fixed(config.WriteScalar("Remove the quotes", data.Text, rest))
		return
	}
	for _, found := range templatePath().FindAllStringSubmatchIndex(text, -1) {
		c.warnLiteral(data, text, found)
	}
	if found := wholePath().FindStringSubmatchIndex(text); found != nil && depth > 1 {
		c.warnLiteral(data, text, found)
	}
	if c.block != nil && c.readsSteps(text) {
		c.found.Warn(data.Pos, "literal-expression", fmt.Sprintf("%q looks like an expression but is sent as literal text", shorten(text)), "write "+config.ExpressionText(text)).Fixed(config.MakeExpression(data.Text, text))
	}
	if found := wholeVariable().FindStringSubmatch(text); found != nil && slices.Contains(bound, found[1]) && (found[2] == "" || depth > 1) {
		c.found.Warn(data.Pos, "literal-expression", fmt.Sprintf("%q looks like an expression but is sent as literal text", text), fmt.Sprintf("write {expr: %s}", text)).Fixed(config.MakeExpression(data.Text, text))
	}
}

// warnLiteral warns of the part of a text that matches, when its path begins with a node.
func (c *compiler) warnLiteral(data *config.Data, text string, found []int) {
	node, fields := text[found[2]:found[3]], text[found[4]:found[5]]
	if node == expressions.VarVars {
		name, _, _ := strings.Cut(strings.TrimPrefix(fields, "."), ".")
		if c.source == nil || c.source.Var(name) == nil {
			return
		}
		node = "$vars"
	} else if _, known := c.byID[node]; !known {
		return
	} else {
		node = "$." + node
	}
	part := text[found[0]:found[1]]
	hint, fix := fmt.Sprintf("write {expr: %s%s}", node, fields), config.MakeExpression(data.Text, node+fields)
	if part != text {
		hint, fix = fmt.Sprintf("write {expr: …}, with & between its texts and %s%s", node, fields), config.Fix{}
	}
	c.found.Warn(data.Text.At(found[0]), "literal-expression", fmt.Sprintf("%q looks like an expression but is sent as literal text", part), hint).Fixed(fix)
}
