package graphtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// findYAML goes another way where nothing is found than where null is.
const findYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  files: {command: no-such-program}
tools:
  - name: find
    nodes:
      - {id: entry, type: entry, next: found}
      - {id: found, type: mcp, server: files, tool: read, args: {path: {expr: $.entry.path}}, next: name}
      - {id: name, type: transform, transform: {expr: $.found.name}, next: way}
      - id: way
        type: switch
        conditions: [{rule: {var: $exists($.found)}, next: there}]
        next: gone
      - {id: there, type: transform, transform: {expr: '"there"'}, next: exit}
      - {id: gone, type: transform, transform: {expr: '"gone"'}, next: exit}
      - {id: exit, type: exit}
`

func findSuite(t *testing.T, tests string) *Suite {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), findYAML)
	write(t, filepath.Join(dir, "g.test.yaml"), tests)
	s, err := Load(filepath.Join(dir, "g.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Mocks return nothing, and expectations distinguish it from null.
func TestNothing(t *testing.T) {
	for _, c := range []struct{ name, test, want string }{
		{"mock", "mocks: {found: {nothing: true}}, expect: {value: gone, nothing: [found, name]}", ""},
		{"mock of null", "mocks: {found: {result: null}}, expect: {value: there, nothing: [name], nodes: {found: null}}", ""},
		{"sequence", "mocks: {found: {sequence: [{nothing: true}]}}, expect: {value: gone}", ""},
		{"null is not nothing", "mocks: {found: {result: null}}, expect: {nothing: [found]}", `the output of node "found" is null, expected nothing`},
		{"nothing is not null", "mocks: {found: {nothing: true}}, expect: {nodes: {found: null}}", "the output of node \"found\" does not contain the expected part\n  the value: expected null, got nothing"},
		{"has not run", "mocks: {found: {nothing: true}}, expect: {nothing: [there]}", `node "there" has not run, expected it to yield nothing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := findSuite(t, "tests:\n  - {name: it, tool: find, args: {path: a}, "+c.test+"}\n")
			result := reportOf(t, s, Options{}).Results[0]
			if got := problems(result); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, result.Failure)
			}
		})
	}
	for _, broken := range []string{"{nothing: false}", "{nothing: true, result: 1}", "{sequence: [{nothing: true, error: no}]}"} {
		if _, err := parseOf(t, "tests: [{name: a, tool: t, mocks: {n: "+broken+"}, expect: {value: 1}}]"); err == nil {
			t.Errorf("mock %s was taken", broken)
		}
	}
	s := findSuite(t, "tests: [{name: it, tool: find, mocks: {found: {nothing: true}}, expect: {nothing: [fuond]}}]")
	p, err := project.Load(t.Context(), s.Graph, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found := s.Check(p); len(found) != 1 || !strings.Contains(found[0].String(), `did you mean "found"`) {
		t.Errorf("found %v", found)
	}
}

// failing is the error of a tool that has more to say than a text.
type failing struct{}

func (failing) Error() string                      { return "no" }
func (failing) ErrorCode() string                  { return "tool-error" }
func (failing) StructuredContent() json.RawMessage { return json.RawMessage(`{"why":5}`) }

// What yields nothing is recorded as nothing and played as nothing; a tool's own words
// come back too.
func TestRecordNothing(t *testing.T) {
	s := findSuite(t, `tests:
  - {name: gone, tool: find, args: {path: a}, expect: {value: gone, nothing: [found]}}
  - {name: "null", tool: find, args: {path: b}, expect: {value: there, nodes: {found: null}}}
`)
	fake := &fakeServers{answers: map[string]value.Value{"read a": nil, "read b": value.Null}}
	recorded := reportOf(t, s, Options{Mode: Record, Connect: fake.connect})
	played := reportOf(t, s, Options{})
	for i, r := range played.Results {
		if problems(recorded.Results[i])+problems(r) != "" || r.Calls[0].Source != FromCassette {
			t.Errorf("%s: %s%s", r.Case.Name, problems(recorded.Results[i]), problems(r))
		}
	}
	src, err := os.ReadFile(s.Cassette())
	if err != nil || strings.Count(string(src), `"nothing": true`) != 3 || !strings.Contains(string(src), `"result": null`) {
		t.Errorf("the cassette is %s, %v", src, err)
	}
	// The steps distinguish nothing from null as well.
	write(t, s.Path, "tests: [{name: gone, tool: find, args: {path: a}, mocks: {found: {result: {name: x}}}, expect: {value: gone}}]\n")
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	if got := problems(reportOf(t, s, Options{}).Results[0]); !strings.Contains(got, "the output of node \"name\" is not the recorded one\n  the value: recorded nothing, now \"x\"") {
		t.Errorf("got %s", got)
	}

	write(t, s.Path, "tests: [{name: fails, tool: find, args: {path: a}, expect: {isError: true, contains: \"no\"}}]\n")
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	fake.fails = failing{}
	reportOf(t, s, Options{Mode: Record, Connect: fake.connect})
	result := reportOf(t, s, Options{}).Results[0]
	var last execution.Record
	if n := len(result.Records); n > 0 {
		last = result.Records[n-1]
	}
	if last.Error == nil || string(last.Error.Structured) != `{"why":5}` {
		src, _ := os.ReadFile(s.Cassette())
		t.Errorf("%s, %+v\n%s", problems(result), last, src)
	}
}
