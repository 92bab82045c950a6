package graphtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func regexpOf(text string) *regexp.Regexp { return regexp.MustCompile(text) }

const coverYAML = `version: "1.0"
server: {name: g, version: "1"}
tools:
  - name: pick
    nodes:
      - {id: entry, type: entry, next: which}
      - id: which
        type: switch
        conditions:
          - {rule: {"==": [{var: entry.n}, 1]}, next: same}
          - {rule: {"==": [{var: entry.n}, 2]}, next: same}
          - {rule: {"==": [{var: entry.n}, 3]}, next: other}
        next: same
      - {id: same, type: transform, transform: {expr: '"same"'}, next: exit}
      - {id: other, type: transform, transform: {expr: '"other"'}, next: exit}
      - {id: exit, type: exit}
`

// Conditions that lead to the same node are distinguished.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		numbers, nodes, edges, conditions string
		missing                           string
	}{
		{"1", "4/5", "3/7", "1/4", "which → same (entry.n == 2)"},
		{"2", "4/5", "3/7", "1/4", "which → same (entry.n == 1)"},
		{"4", "4/5", "3/7", "1/4", "which → other (entry.n == 3)"},
		{"1 2 3 4", "5/5", "7/7", "4/4", ""},
		{"", "1/5", "0/7", "0/4", "entry → which"},
	} {
		tests := "tests:\n"
		if c.numbers == "" { // a run that a limit ends has not gone on
			tests += "  - {name: ends, tool: pick, args: {n: 1}, limits: {maxNodeExecutions: 1}, expect: {isError: true}}\n"
		}
		for _, n := range strings.Fields(c.numbers) {
			tests += "  - {name: n" + n + ", tool: pick, args: {n: " + n + "}, expect: {path: [...]}}\n"
		}
		s := suiteOf(t, tests)
		write(t, s.Graph, coverYAML)
		var coverage Coverage
		report := reportOf(t, s, Options{})
		coverage.Add(report)
		coverage.Add(report)
		got := coverage.Tools()
		if len(got) != 1 {
			t.Fatalf("got %+v", got)
		}
		raw, err := json.Marshal(got[0])
		if err != nil {
			t.Fatal(err)
		}
		want := []string{c.nodes, c.edges, c.conditions}
		for i, r := range []Reached{got[0].Nodes, got[0].Edges, got[0].Conditions} {
			if text := strings.Join([]string{itoa(r.Count), itoa(r.Of)}, "/"); text != want[i] {
				t.Errorf("%s: got %s, want %s", c.numbers, text, want[i])
			}
		}
		if !strings.Contains(string(raw), c.missing) {
			t.Errorf("%s: %q is missing in %s", c.numbers, c.missing, raw)
		}
	}
}

func itoa(n int) string { return encoded(float64(n)) }

const updateTests = `# The numbers that are added up.
mocks:
  list: {result: {names: [a]}}   # one file
  read: {result: {n: 1}}
tests:
  - name: wrong          # what was expected
    tool: add
    args: {dir: d}
    expect:
      # the sum
      value: {sum: 7}
      path: [entry, exit]
      executions: {read: 1}
  - name: right
    tool: add
    args: {dir: d}
    expect: {value: {sum: 1}, path: [entry, ..., exit]}
  - {name: draft, tool: fixed, args: {text: "a\nb"}}
  - {name: stubborn, tool: add, args: {dir: d}, expect: {partial: {sum: 2}}}
  - {name: fails, tool: add, args: {dir: 1}, expect: {value: 1}}
`

const updatedTests = `# The numbers that are added up.
mocks:
  list: {result: {names: [a]}}   # one file
  read: {result: {n: 1}}
tests:
  - name: wrong          # what was expected
    tool: add
    args: {dir: d}
    expect:
      # the sum
      value: {sum: 1}
      path: [entry, list, more, read, more, sum, exit]
      executions: {read: 1}
  - name: right
    tool: add
    args: {dir: d}
    expect: {value: {sum: 1}, path: [entry, ..., exit]}
`

// New expectations stand where the old ones did; what is not to change does not.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), graphYAML)
	path := filepath.Join(dir, "g.test.yaml")
	write(t, path, updateTests)
	s, err := Load(path, WithDrafts())
	if err != nil {
		t.Fatal(err)
	}
	report := reportOf(t, s, Options{})
	updated, names, err := report.Update([]byte(updateTests))
	if err != nil || strings.Join(names, " ") != "wrong draft" {
		t.Fatalf("got %v and %v", names, err)
	}
	if !strings.HasPrefix(string(updated), updatedTests) {
		t.Errorf("got %s", updated)
	}
	write(t, path, string(updated))
	if s, err = Load(path); err != nil {
		t.Fatalf("%v: %s", err, updated)
	}
	again := reportOf(t, s, Options{})
	for i, r := range again.Results {
		if r.Status != report.Results[i].Status || (r.Status == Failed) != (r.Case.Name == "stubborn" || r.Case.Name == "fails") {
			t.Errorf("%s is %s, and was reported as %s", r.Case.Name, r.Status, report.Results[i].Status)
		}
	}
	if same, names, err := again.Update(updated); err != nil || names != nil || !bytes.Equal(same, updated) {
		t.Errorf("got %v and %v: %s", names, err, same)
	}
}

func TestJUnit(t *testing.T) {
	s := suiteOf(t, `
tests:
  - {name: good, tool: fixed, expect: {value: {}}}
  - {name: "bad <&>", tool: fixed, expect: {value: 1}}
`)
	report := reportOf(t, s, Options{})
	report.Results = append(report.Results, &Result{Suite: s, Case: s.Cases[0], Status: Skipped, Why: "git is not installed"})
	var b bytes.Buffer
	broken := &Report{Suite: &Suite{Path: "broken.test.yaml"}, Err: errors.New("it cannot be read")}
	if err := WriteJUnit(&b, []*Report{report, broken}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`tests="3" failures="1" errors="0" skipped="1"`, `name="bad &lt;&amp;&gt;"`, `the value is not the expected one`,
		`<skipped message="git is not installed">`, `tests="1" failures="0" errors="1"`, `<error message="it cannot be read">`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in %s", want, b.String())
		}
	}
}

func TestFailFast(t *testing.T) {
	s := suiteOf(t, `
tests:
  - {name: one, tool: add, args: {dir: d}, env: {GRAPHTEST_TOKEN: x}, expect: {value: {sum: 4}}}
  - {name: two, tool: add, args: {dir: d}, env: {GRAPHTEST_TOKEN: x}, expect: {value: {sum: 3}}}
`)
	results := reportOf(t, s, Options{Mode: Live, FailFast: true, Connect: newFake().connect}).Results
	if results[0].Status != Failed || results[1].Status != Skipped || results[1].Why != "it was not begun" {
		t.Errorf("got %s, then %s: %s", results[0].Status, results[1].Status, results[1].Why)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.test.yaml", "a.yaml", "sub/b.test.yaml", ".git/c.test.yaml", "node_modules/d.test.yaml", "e.yaml"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "")
	}
	t.Chdir(dir)
	for _, c := range []struct{ paths, want string }{
		{".", "a.test.yaml sub/b.test.yaml"}, {"sub a.test.yaml .", "a.test.yaml sub/b.test.yaml"}, {"a.yaml", "a.test.yaml"}, {"e.yaml", "e.yaml"},
	} {
		got, err := Find(strings.Fields(c.paths)...)
		if err != nil || filepath.ToSlash(strings.Join(got, " ")) != c.want {
			t.Errorf("%s: got %v and %v", c.paths, got, err)
		}
	}
	if _, err := Find("missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Find(".git/.."); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir("empty", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Find("empty"); err == nil || !strings.Contains(err.Error(), "has no test file") {
		t.Errorf("got %v", err)
	}
}

// The JSON of a case, as --format json prints it.
func TestResultAsJSON(t *testing.T) {
	s := suiteOf(t, `tests: [{name: a, tool: add, args: {dir: d}, mocks: {list: {result: {names: [a]}}, read: {result: {n: 0}}}, expect: {value: {sum: 1}}}]`)
	raw, err := json.Marshal(reportOf(t, s, Options{}).Results[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"test":"a"`, `"status":"failed"`, `"what":"value"`, `.sum: expected 1, got 0`, `"path":["entry","list","more","read","more","sum","exit"]`,
		`"value":{"sum":0}`, `"source":"mock"`, `"line":1`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is missing in %s", want, raw)
		}
	}
}
