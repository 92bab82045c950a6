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
	if one.Missing() != "no-such-program" || cases[1].Missing() != "" {
		t.Errorf("got %+v", one)
	}
	one.Fill(map[string]string{"temp": "/T"})
	want := map[string]any{"path": "/T/a", "list": []any{map[string]any{"expr": "/T"}}, "n": 1.0}
	if !reflect.DeepEqual(one.Args, want) || one.Env["A"] != "/T" {
		t.Errorf("got %+v", one)
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

func TestMatch(t *testing.T) {
	const value = `{"a":[{"b":1,"c":"text"}],"d":null}`
	for _, c := range []struct {
		expect Expect
		text   string
		failed bool
		want   string // "" when all is well
	}{
		{Expect{Value: []byte(`{"d":null,"a":[{"c":"text","b":1.0}]}`)}, value, false, ""},
		{Expect{Value: []byte(`{"a":[{"b":1}]}`)}, value, false, "the value is"},
		{Expect{Partial: []byte(`{"a":[{"b":1}]}`)}, value, false, ""},
		{Expect{Partial: []byte(`{"a":[]}`)}, value, false, "in it"},
		{Expect{Partial: []byte(`{"a":{}}`)}, value, false, "in it"},
		{Expect{Partial: []byte(`{"e":null}`)}, value, false, "in it"},
		{Expect{Contains: "text"}, value, false, ""},
		{Expect{Contains: "Text"}, value, false, `expected "Text" in it`},
		{Expect{IsError: true}, value, false, "isError is false"},
		{Expect{IsError: true, Contains: "gone"}, "it is gone", true, ""},
		{Expect{Contains: "text"}, "text", true, "isError is true"},
		{Expect{Value: []byte("1")}, "one", false, "is no JSON"},
	} {
		err := c.expect.Match(c.text, c.failed)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v of %s: %v, want %q", c.expect, c.text, err, c.want)
		}
	}
}

func TestLoadTheExamples(t *testing.T) {
	cases, err := Load("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[string]bool{}
	for _, c := range cases {
		graphs[c.Graph] = true
	}
	if len(graphs) < 8 {
		t.Errorf("%d examples have expectations, want at least 8", len(graphs))
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a directory without examples was taken")
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
