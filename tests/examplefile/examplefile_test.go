package examplefile

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

const some = `tests:
  - name: one
    tool: t
    args: {path: "{temp}/a", list: [{expr: "{temp}"}], n: 1}
    needs: [no-such-program]
    env: {A: "{temp}"}
    expect:
      partial: {a: "{temp}"}
  - name: two
    tool: t
    expect:
      isError: true
      contains: two lines
`

func TestCase(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"x.test.yaml": some, "x.yaml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Load(dir)
	if err != nil || len(cases) != 2 {
		t.Fatalf("got %v and %+v", err, cases)
	}
	one, two := cases[0], cases[1]
	if one.Missing() != "no-such-program" || two.Missing() != "" || one.Graph != filepath.Join(dir, "x.yaml") {
		t.Errorf("got %+v", one)
	}
	one.Fill(map[string]string{"temp": "/T"})
	want := map[string]any{"path": "/T/a", "list": []any{map[string]any{"expr": "/T"}}, "n": 1.0}
	if !reflect.DeepEqual(one.Args, want) || one.Env["A"] != "/T" {
		t.Errorf("got %+v", one)
	}
	if err := one.Expect.Match(`{"a": "/T", "b": 1}`, false); err != nil {
		t.Error(err)
	}
	if err := two.Expect.Match("it has two lines", true); err != nil {
		t.Error(err)
	}
	for _, err := range []error{one.Expect.Match(`{"a": 1}`, false), one.Expect.Match("x", true), two.Expect.Match("x", true), two.Expect.Match("1", false)} {
		if err == nil {
			t.Error("a result was taken that is not as expected")
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
