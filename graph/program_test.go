package graph

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/config"
)

// programFile is a file with one node that calls a program.
func programFile(t *testing.T, command, args string) *config.File {
	t.Helper()
	f, err := config.Parse("graph.yaml", []byte(`server: {name: s, version: "1"}
mcpServers: {local: {type: exec, tools: {sift: {command: `+command+`, effect: write}}}}
tools:
  - name: t
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: local, tool: sift, args: `+args+`, next: exit}
      - {id: exit, type: exit}
`), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// programNode builds the file, and returns the node and what is found.
func programNode(t *testing.T, command, args string) (*MCP, config.Diagnostics) {
	t.Helper()
	f := programFile(t, command, args)
	graphs, found, err := Build(t.Context(), f)
	if err != nil || graphs == nil {
		t.Fatal(err, found)
	}
	call, _ := graphs[0].Node("call").(*MCP)
	return call, found
}

func TestF28OptionsFromData(t *testing.T) {
	scope := entryScope(t, `{"bad": "-o/etc/x", "good": "file", "all": ["file", "-x"], "dash": "-"}`)
	for args, refused := range map[string]string{
		`{args: [{expr: $.entry.bad}]}`:                   `args[0] is "-o/etc/x"`,
		`{args: [-l, x, {expr: $.entry.bad}]}`:            `args[2] is "-o/etc/x"`,
		`{args: [{expr: $.entry.dash}]}`:                  `args[0] is "-"`,
		`{args: {expr: $.entry.all}}`:                     `args[1] is "-x"`,
		`{args: [-o/etc/x, {expr: $.entry.good}]}`:        "",
		`{args: [-o/etc/x]}`:                              "",
		`{args: [{expr: '"./" & $.entry.bad'}]}`:          "",
		`{stdin: {expr: $.entry.bad}}`:                    "",
		`{args: [{expr: '"--out=" & $.entry.good'}]}`:     `args[0] is "--out=file"`,
		`{args: {expr: '["--", "-x"]'}, stdin: [-o, -p]}`: `args[0] is "--"`,
	} {
		call, found := programNode(t, "[sift]", args)
		_, err := call.Args.Eval(t.Context(), scope)
		var option *OptionError
		switch {
		case refused == "" && err != nil:
			t.Errorf("%s: %v", args, err)
		case refused == "":
		case !errors.As(err, &option) || option.ErrorCode() != "invalid-arguments" || !strings.Contains(err.Error(), "not called, because "+refused):
			t.Errorf("%s: %v, expected that it is refused because %s", args, err, refused)
		case len(found) != 1 || found[0].Code != "option-from-data" || found[0].Severity != config.Warning || found[0].Pos.Line != 7:
			t.Errorf("%s: no warning at its place: %v", args, found)
		}
		call, found = programNode(t, "[sift, --]", args)
		if _, err := call.Args.Eval(t.Context(), scope); err != nil || len(found) > 0 {
			t.Errorf("%s after --: %v %v", args, err, found)
		}
	}
}

// Only an expression that always begins with its literal is known to be no option.
func TestLiteralStart(t *testing.T) {
	for expr, is := range map[string]bool{
		`"./" & $.entry.file`: true, `"-" & $.x`: false, `"" & $.x`: false, `$.x`: false, `"a" = $.x ? "-b" : $.y`: false,
		`"\u002d" & $.x`: false, `"a"`: false, `("a"; "-b") & $.x`: false, `"a" & $.x ~> $f`: false, `"a" & $f($.x)`: false,
	} {
		if literalStart().MatchString(expr) != is {
			t.Errorf("%s: %v", expr, !is)
		}
	}
}

// The effect of a program is the author's word, unless the node has another.
func TestEffectOfAProgram(t *testing.T) {
	if call, _ := programNode(t, "[sift]", "{}"); call.Effect != config.WriteEffect {
		t.Errorf("effect %q", call.Effect)
	}
	if call, _ := programNode(t, "[sift]", "{}, effect: read"); call.Effect != config.ReadEffect {
		t.Errorf("effect %q", call.Effect)
	}
}

// In a request of a client no argument is the file's own.
func TestF28OptionsOfAClient(t *testing.T) {
	f := programFile(t, "[sift]", "{args: [-o/etc/x]}")
	g, found, err := Extend(t.Context(), f, nil, f.Tools[0], References{}, nil)
	if err != nil || g == nil {
		t.Fatal(err, found)
	}
	call, _ := g.Node("call").(*MCP)
	var option *OptionError
	if _, err := call.Args.Eval(t.Context(), entryScope(t, "{}")); !errors.As(err, &option) || option.Text != "-o/etc/x" {
		t.Errorf("%v, expected that the option is refused", err)
	}
}
