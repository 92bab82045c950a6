package graph

import (
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// withVars is a file with constants and a tool for each expression: t0, t1, …; a text that begins
// with call: calls another tool.
func withVars(t *testing.T, vars, name string, exprs ...string) *config.File {
	t.Helper()
	var src strings.Builder
	src.WriteString("server: {name: s, version: \"1\"}\n" + vars + "tools:\n")
	for i, expr := range exprs {
		node := "{id: a, type: transform, transform: {expr: '" + expr + "'}, next: exit}"
		if called, calls := strings.CutPrefix(expr, "call:"); calls {
			node = "{id: a, type: graph, tool: " + called + ", next: exit}"
		}
		src.WriteString("- name: " + name + string(rune('0'+i)) + "\n  inputSchema: {type: object}\n  nodes:\n  - {id: entry, type: entry, next: a}\n  - " +
			node + "\n  - {id: exit, type: exit}\n")
	}
	f, err := config.Parse("g.yaml", []byte(src.String()), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestUnknownVars(t *testing.T) {
	const vars = "vars: {region: eu, top: 20}\n"
	for expr, want := range map[string]string{
		`$vars.tpo + $vars.region`:         `g.yaml:8:49: vars of the file has no "tpo"; did you mean "top"? [unknown-var]`,
		`1 + $vars.something`:              `g.yaml:8:53: vars of the file has no "something"; its constants are region, top [unknown-var]`,
		`($vars := {"tpo": 1}; $vars.tpo)`: ``,
		`$vars.top.x & $vars.region`:       ``, // its shape is for package flow
	} {
		_, found, _ := Build(t.Context(), withVars(t, vars, "t", expr))
		errs, _ := found.Split()
		if got := errs.Error(); got != want {
			t.Errorf("%s\nfound    %s\nexpected %s", expr, got, want)
		}
	}
	if _, found, _ := Build(t.Context(), withVars(t, "", "t", `$vars.top`)); found != nil {
		t.Errorf("a file without constants: %v", found)
	}
}

func TestUnusedVars(t *testing.T) {
	const vars = "vars: {a: 1, b: 2, text: 3}\nmcpServers: {s: {command: x, args: [\"${vars.text}\"]}}\n"
	for expr, want := range map[string]string{
		`$vars.a`:               `g.yaml:2:14: warning: nothing reads the constant "b"; remove it, or read it as $vars.b [unused-var]`,
		`$vars.a + $vars.b`:     ``,
		`$keys($vars)`:          ``,
		`($vars := 1; $vars.a)`: "g.yaml:2:8: warning: nothing reads the constant \"a\"; remove it, or read it as $vars.a [unused-var]\n" + `g.yaml:2:14: warning: nothing reads the constant "b"; remove it, or read it as $vars.b [unused-var]`,
	} {
		_, found, _ := Build(t.Context(), withVars(t, vars, "t", expr))
		if got := found.Error(); got != want {
			t.Errorf("%s\nfound    %s\nexpected %s", expr, got, want)
		}
	}
}

// The constants that a graph reads are part of its hash, those of called graphs included, and no
// others; a file without constants has the hash that it had.
func TestHashSeesConstants(t *testing.T) {
	exprs := []string{`$vars.a`, `1`, `call:t0`, `$keys($vars)`}
	hashes := func(vars string) []string {
		var all []string
		for _, g := range mustBuild(t, withVars(t, vars, "t", exprs...)) {
			all = append(all, g.Hash)
		}
		return all
	}
	was := hashes("vars: {a: 1, b: {x: 1, y: 2}}\n")
	for vars, changed := range map[string][4]bool{
		"vars: {b: {y: 2, x: 1.0}, a: 1}\n":        {},
		"vars: {a: 1, b: {x: 1, y: 3}}\n":          {3: true},
		"vars: {a: 2, b: {x: 1, y: 2}}\n":          {true, false, true, true},
		"vars: {a: '1', b: {x: 1, y: 2}}\n":        {true, false, true, true},
		"vars: {a: 1, b: {x: 1, y: 2}, c: null}\n": {3: true},
	} {
		for i, is := range hashes(vars) {
			if (is != was[i]) != changed[i] {
				t.Errorf("%s: %s", strings.TrimSpace(vars), exprs[i])
			}
		}
	}
	if without := mustBuild(t, withVars(t, "", "t", `1`, `1`))[1].Hash; without != was[1] {
		t.Error("constants that it does not read changed the hash")
	}
}

// A graph with the constants of a run has the hash that it had when the run was started.
func TestF22HashWithRecordedConstants(t *testing.T) {
	exprs := []string{`$vars.a + $vars.b.x`, `call:t0`, `1`}
	was := mustBuild(t, withVars(t, "vars: {a: 1, b: {x: 12345678901234567890, y: [true, null, \"é\"]}, c: 3}\n", "t", exprs...))
	is := mustBuild(t, withVars(t, "vars: {a: 2, b: {}, c: 4}\n", "t", exprs...))
	for i, g := range was {
		recorded := g.ReadVars(nil)
		text, _ := value.Encode(recorded)
		if want := `{"a":1,"b":{"x":12345678901234567890,"y":[true,null,"é"]}}`; i < 2 && string(text) != want || i == 2 && recorded != nil {
			t.Errorf("t%d reads %s", i, text)
		}
		if recorded != nil {
			recorded, _ = value.Decode(text) // as a journal returns it
		}
		if is[i].HashWith(recorded) != g.Hash || g.HashWith(nil) != g.Hash || i < 2 && is[i].Hash == g.Hash {
			t.Errorf("t%d has another hash", i)
		}
		seen, _ := value.Encode(is[i].Variables(recorded)["vars"])
		if want := `{"a":1,"b":{"x":12345678901234567890,"y":[true,null,"é"]},"c":4}`; i == 0 && string(seen) != want {
			t.Errorf("t%d sees %s", i, seen)
		}
	}
}
