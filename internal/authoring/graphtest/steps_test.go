package graphtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stepsYAML reads files, counts their words in a block, asks a server again, and leaves out a step.
const stepsYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  files: {command: no-such-program}
tools:
  - name: words
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    steps:
      - {id: found, call: files.find, args: {path: {expr: args.path}}}
      - {id: texts, each: found.names, call: files.read, args: {path: {expr: $item}}}
      - id: counted
        each: texts
        as: text
        steps:
          - {id: list, expr: '$split($text, " ")'}
          - {id: n, expr: $count(list)}
      - {id: job, call: files.status, args: {turn: {expr: $n}}, repeat: {until: $n = 2, delayMs: 0}}
      - {id: never, if: 'false', expr: '1'}
    return: '{"words": $sum(counted), "job": job}'
`

const stepsMocks = `mocks:
  found: {result: {names: [a, b]}}
  texts: [{when: {path: a}, result: one two}, {when: {path: b}, result: three}]
  job: {sequence: [{result: 1}, {result: 2}]}
`

func stepsSuite(t *testing.T, expect string) *Suite {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), stepsYAML)
	write(t, filepath.Join(dir, "g.test.yaml"), stepsMocks+"tests:\n  - {name: it, tool: words, args: {path: d}, expect: "+expect+"}\n")
	s, err := Load(filepath.Join(dir, "g.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Steps have their paths as names in expectations. A step has run once for all its items and turns, a step of a
// block once for each item of the block, and one whose if does not hold has not run.
func TestExpectationsOfSteps(t *testing.T) {
	for _, c := range []struct{ expect, want string }{
		{"{value: {words: 3, job: 2}}", ""},
		{"{executions: {found: 1, texts: 1, counted: 1, counted.n: 2, job: 1, never: 0}}", ""},
		{"{executions: {texts: 2}}", `node "texts" has run once, expected 2`},
		{"{executions: {never: 1}}", `node "never" has run never, expected 1`},
		{"{nodes: {texts: [one two, three], counted: [2, 1], counted.n: 1, job: 2}}", ""},
		{"{nothing: [never]}", `node "never" has not run, expected it to yield nothing`},
		{"{calls: [{node: found}, {node: texts, args: {path: a}}, {node: texts}, {node: job}, {node: job}]}", ""},
	} {
		result := reportOf(t, stepsSuite(t, c.expect), Options{}).Results[0]
		var got []string
		for _, p := range result.Problems {
			got = append(got, p.Message)
		}
		if all := strings.Join(got, "\n"); c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: got %q, want %q", c.expect, all, c.want)
		}
	}
}

// Steps have no path that a test could expect.
func TestPathOfSteps(t *testing.T) {
	_, err := stepsSuite(t, "{path: [found, texts]}").Run(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), `tool "words" is written as steps, which have no path`) {
		t.Errorf("got %v", err)
	}
}

// The expectation that is written for a tool of steps is one that its test file may have.
func TestUpdateOfSteps(t *testing.T) {
	path := stepsSuite(t, "{value: 1}").Path
	write(t, path, strings.Replace(stringOf(t, path), ", expect: {value: 1}", "", 1))
	s, err := Load(path, WithDrafts())
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Run(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	updated, names, err := report.Update([]byte(stringOf(t, path)))
	if err != nil || len(names) != 1 || !strings.Contains(string(updated), "value:") || strings.Contains(string(updated), "path: [") {
		t.Fatalf("the update of %v is %v\n%s", names, err, updated)
	}
	write(t, s.Path, string(updated))
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	if result := reportOf(t, s, Options{}).Results[0]; result.Status != Passed {
		t.Errorf("the test is then %v: %v", result.Status, result.Problems)
	}
}

func stringOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
