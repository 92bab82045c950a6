package graphtest

import (
	"context"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
)

const varsYAML = `server: {name: g, version: "1"}
vars: {top: 20, region: eu}
tools:
  - name: order
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    nodes:
      - {id: entry, type: entry, next: pick}
      - id: pick
        type: switch
        conditions:
          - {rule: {">": [{var: entry.n}, {var: $vars.top}]}, next: say}
          - {rule: {"==": [{var: entry.n}, {var: $vars.top}]}, next: say}
        next: exit
      - {id: say, type: transform, transform: {expr: $vars.region}, next: exit}
      - {id: exit, type: exit}
`

// The cases of a file with the same constants share a project, and coverage evaluates the rules of a case
// with its own.
func TestVarsOfCases(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), varsYAML)
	write(t, filepath.Join(dir, "g.test.yaml"), `tests:
  - {name: declared, tool: order, args: {n: 30}, expect: {value: eu}}
  - name: over
    tool: order
    vars: {top: 30, region: us}
    args: {n: 30}
    expect: {value: us}
    cases: {same: {}, other: {vars: {region: xx}, expect: {value: xx}}, again: {}}
`)
	s, err := Load(filepath.Join(dir, "g.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	loads := 0
	report := reportOf(t, s, Options{Load: func(ctx context.Context, path string, opts config.Options) (*project.Project, error) {
		loads++
		return project.Load(ctx, path, opts)
	}})
	for _, r := range report.Results {
		if r.Status != Passed {
			t.Errorf("%s: %s", r.Case.Name, problems(r))
		}
	}
	if loads != 3 {
		t.Errorf("the graph file was loaded %d times for 3 sets of constants", loads)
	}
	var c Coverage
	c.Add(report)
	if got := c.Tools()[0].Conditions; got.Count != 2 {
		t.Errorf("covered %+v", got)
	}
}
