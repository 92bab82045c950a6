package examplefile

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

const some = `tests:
  # a comment
  - name: one

    tool: t
    args: {path: "{temp}/a", list: [{expr: "{temp}"}], n: 1}
    needs: [no-such-program]
    env: {A: "{temp}"}
    expect:
      partial: {a: [{b: 1}]}
  - name: two
    tool: t
    expect:
      isError: true
      contains: |
        two lines
        of text
`

func TestParse(t *testing.T) {
	cases, err := parse("x.yaml", []byte(some))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 || cases[1].Expect.Contains != "two lines\nof text\n" || !cases[1].Expect.IsError {
		t.Fatalf("got %+v", cases)
	}
	one := cases[0]
	if !one.Uses("temp") || one.Uses("repository") || one.Missing() != "no-such-program" {
		t.Errorf("got %+v", one)
	}
	filled := one.With(map[string]string{"temp": "/T"})
	want := map[string]any{"path": "/T/a", "list": []any{map[string]any{"expr": "/T"}}, "n": 1.0}
	if !reflect.DeepEqual(filled.Args, want) || filled.Env["A"] != "/T" || one.Args["path"] != "{temp}/a" {
		t.Errorf("got %+v of %+v", filled, one)
	}
}

func TestParseRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"tests: []":                                 "found no tests",
		"tests: [{tool: t, expect: {value: 1}}]":    "has the name",
		"tests: [{name: a, expect: {value: 1}}]":    "no tool",
		"tests: [{name: a, tool: t}]":               "expects nothing",
		"tests: [{name: a, tool: t, expected: {}}]": "unknown field",
		"tests: [": "x.yaml",
		"other: 1": "unknown field",
		"tests: [{name: a, tool: t, expect: {value: ": "x.yaml",
	} {
		if _, err := parse("x.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", src, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	good := Result{Value: []byte(`{"a":[{"b":1,"c":2}],"d":null}`), Text: "some text", Path: []string{"x"}}
	for _, c := range []struct {
		expect Expect
		result Result
		want   string // "" when all is well
	}{
		{Expect{Value: []byte(`{"d":null,"a":[{"c":2,"b":1.0}]}`)}, good, ""},
		{Expect{Value: []byte(`{"a":[{"b":1}]}`)}, good, "the value is"},
		{Expect{Partial: []byte(`{"a":[{"b":1}]}`)}, good, ""},
		{Expect{Partial: []byte(`{"a":[]}`)}, good, "in it"},
		{Expect{Partial: []byte(`{"e":null}`)}, good, "in it"},
		{Expect{Contains: "text"}, good, ""},
		{Expect{Contains: "Text"}, good, `expected "Text" in it`},
		{Expect{IsError: true}, good, "isError is false"},
		{Expect{Contains: "text"}, Result{Text: "text", IsError: true}, "isError is true"},
		{Expect{Contains: "text", Path: []string{"y"}}, good, "the path is [x]"},
		{Expect{Contains: "text", Path: []string{"y"}}, Result{Text: "text"}, ""},
		{Expect{Value: []byte("1")}, Result{Value: []byte("one")}, "is no JSON"},
	} {
		err := c.expect.Check(c.result)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v of %+v: %v, want %q", c.expect, c.result, err, c.want)
		}
	}
}

func TestExamplesHaveReadableExpectations(t *testing.T) {
	graphs, err := Graphs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if len(graphs) < 8 {
		t.Errorf("%d examples have expectations, want at least 8", len(graphs))
	}
	for _, test := range graphs {
		if _, err := Load(test); err != nil {
			t.Error(err)
		}
	}
}

func TestRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if err := Repository(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", dir, "log", "--format=%an %s").Output()
	if err != nil || string(out) != "Ada third\nBob second\nAda first\n" {
		t.Errorf("%v: %s", err, out)
	}
}
