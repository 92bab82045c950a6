package graph

import (
	"context"
	"errors"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

func argsOf(t *testing.T, args *config.Data) *Args {
	t.Helper()
	g := mustBuild(t, newFile(entryNode("entry", "call"), mcpNode("call", "files", "read", "exit", args), exitNode("exit")))[0]
	call, _ := g.Node("call").(*MCP)
	return call.Args
}

func entryScope(t *testing.T, entry string) *expressions.Scope {
	t.Helper()
	v, err := value.Decode([]byte(entry))
	if err != nil {
		t.Fatal(err)
	}
	return expressions.NewScope(map[string]any{"entry": v}, nil)
}

func TestArgsEval(t *testing.T) {
	cases := []struct {
		name string
		args any
		want string
	}{
		{"literals keep their order", object{"b", 1, "a", "x", "n", nil, "t", true}, `{"b":1,"a":"x","n":null,"t":true}`},
		{"an empty object", object{}, `{}`},
		{"an expression", object{"path", expression("$.entry.directory")}, `{"path":"/tmp"}`},
		{"deep", object{"o", object{"l", []any{1, object{"x", expression("entry.n + 1")}}}}, `{"o":{"l":[1,{"x":3}]}}`},
		{"nothing leaves its key out", object{"a", expression("entry.nobody"), "b", 2}, `{"b":2}`},
		{"nothing is null in an array", object{"a", []any{expression("entry.nobody"), 2}}, `{"a":[null,2]}`},
		{"null stays null", object{"a", expression("entry.none")}, `{"a":null}`},
		{"all keys left out", object{"a", expression("entry.nobody")}, `{}`},
		{"a string that looks like an expression", object{"a", "$.entry.n"}, `{"a":"$.entry.n"}`},
		{"empty array and object beside an expression", object{"a", []any{}, "b", object{}, "c", expression("1")}, `{"a":[],"b":{},"c":1}`},
	}
	scope := entryScope(t, `{"directory":"/tmp","n":2,"none":null}`)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, err := argsOf(t, data(c.args)).Eval(context.Background(), scope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := value.Encode(v)
			if err != nil || string(got) != c.want {
				t.Errorf("args %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

func TestArgsLeftOut(t *testing.T) {
	v, err := argsOf(t, nil).Eval(context.Background(), entryScope(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if o, ok := v.(value.Object); !ok || o.Len() != 0 {
		t.Errorf("args %#v, want an empty object", v)
	}
}

func TestArgsErrorHasItsPlace(t *testing.T) {
	args := argsOf(t, data(object{"a", []any{1, expression(`$error("no")`)}}))
	_, err := args.Eval(context.Background(), entryScope(t, `{}`))
	var placed *PlacedError
	if !errors.As(err, &placed) || placed.Pos.Line != 92 {
		t.Fatalf("error %v", err)
	}
	var eval *expressions.EvalError
	if !errors.As(err, &eval) {
		t.Errorf("error %T has no *EvalError in it", err)
	}
}

func TestConstantArgsAreShared(t *testing.T) {
	args := argsOf(t, data(object{"big", []any{1, 2, object{"deep", "x"}}}))
	scope := entryScope(t, `{}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = args.Eval(context.Background(), scope) }); n != 0 {
		t.Errorf("%v allocations for arguments without expressions", n)
	}
}

func TestRuleErrorHasItsPlace(t *testing.T) {
	rule := over(">", "$error('no')", 1)
	g := mustBuild(t, newFile(entryNode("entry", "s"), switchNode("s", "exit", when(rule, "exit")), exitNode("exit")))[0]
	s, _ := g.Node("s").(*Switch)
	_, err := s.Conditions[0].Rule.Holds(context.Background(), entryScope(t, `{}`))
	var placed *PlacedError
	if !errors.As(err, &placed) || placed.Pos.Line != 90 {
		t.Fatalf("error %v", err)
	}
}
