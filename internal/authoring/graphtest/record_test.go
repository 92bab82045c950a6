package graphtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// fakeServers answers list and read, and counts who ends it.
type fakeServers struct {
	answers map[string]value.Value // by tool and path
	calls   []string
	fails   error // every call, with this
	ended   int
	seen    []*project.Project
}

func (f *fakeServers) connect(p *project.Project) (execution.ToolCaller, func(), error) {
	f.seen = append(f.seen, p)
	return f, func() { f.ended++ }, nil
}

func (f *fakeServers) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	path, _ := c.Args.(value.Object).Get("path")
	key := c.Tool + " " + path.(string)
	f.calls = append(f.calls, key)
	if f.fails != nil {
		return nil, f.fails
	}
	if v, ok := f.answers[key]; ok {
		return v, nil
	}
	return nil, &toolError{Code: "tool-error", Message: "there is no " + key}
}

func object(key string, v value.Value) value.Value {
	return value.NewObject([]string{key}, []value.Value{v})
}

const recordTests = `# kept
tests:
  - {name: two, tool: add, args: {dir: d}, env: {GRAPHTEST_TOKEN: sesame-open}, expect: {value: {sum: 3}}}
  - {name: gone, tool: add, args: {dir: nowhere}, env: {GRAPHTEST_TOKEN: sesame-open}, expect: {isError: true, contains: there is no}}
  - {name: alone, tool: fixed, args: {}, env: {GRAPHTEST_TOKEN: sesame-open}, expect: {path: [entry, exit]}}
`

func newFake() *fakeServers {
	return &fakeServers{answers: map[string]value.Value{
		"list d": value.NewObject([]string{"names", "secret"}, []value.Value{[]any{"a", "b"}, "it is sesame-open!"}),
		"read a": object("n", 1.0), "read b": object("n", 2.0),
	}}
}

// What was recorded is played with the same results and no server; it holds no secret
// and is the same bytes each time.
func TestRecordAndReplay(t *testing.T) {
	s := suiteOf(t, recordTests)
	fake := newFake()
	recorded := reportOf(t, s, Options{Mode: Record, Connect: fake.connect})
	if len(recorded.Written) != 1 || recorded.Written[0] != s.Cassette() || fake.ended != 1 {
		t.Fatalf("wrote %v, ended %d", recorded.Written, fake.ended)
	}
	first, err := os.ReadFile(s.Cassette())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(first), "sesame") || !strings.Contains(string(first), "it is [redacted]!") {
		t.Errorf("the cassette is %s", first)
	}
	replayed := reportOf(t, s, Options{Connect: func(*project.Project) (execution.ToolCaller, func(), error) {
		return nil, nil, errors.New("nobody may connect")
	}})
	for i, r := range replayed.Results {
		before := recorded.Results[i]
		if r.Status != Passed || before.Status != Passed {
			t.Errorf("%s: %s%s", r.Case.Name, problems(before), problems(r))
		}
		if exactText(r.Value) != exactText(before.Value) || r.Failure != before.Failure || PathText(r.Path()) != PathText(before.Path()) {
			t.Errorf("%s: %s %q, recorded %s %q", r.Case.Name, exactText(r.Value), r.Failure, exactText(before.Value), before.Failure)
		}
		for _, call := range r.Calls {
			if call.Source != FromCassette {
				t.Errorf("%s: %s.%s was answered by %s", r.Case.Name, call.Server, call.Tool, call.Source)
			}
		}
	}
	reportOf(t, s, Options{Mode: Record, Connect: newFake().connect})
	if second, err := os.ReadFile(s.Cassette()); err != nil || string(second) != string(first) {
		t.Errorf("%v: the second recording is %s, the first %s", err, second, first)
	}
	calls, err := LoadCassette(s.Cassette())
	if err != nil || len(calls) != 4 || calls[3].Error == nil || calls[3].Error.Code != "tool-error" || calls[1].Node != "read" {
		t.Errorf("got %v and %+v", err, calls)
	}
}

// Only what ran is recorded anew; what is gone from the file goes from the cassette.
func TestRecordSome(t *testing.T) {
	s := suiteOf(t, recordTests)
	reportOf(t, s, Options{Mode: Record, Connect: newFake().connect})
	fake := newFake()
	fake.answers["read b"] = object("n", 5.0)
	reportOf(t, s, Options{Mode: Record, Connect: fake.connect, Only: regexpOf("two")})
	calls, err := LoadCassette(s.Cassette())
	if err != nil || len(calls) != 4 || encoded(calls[2].Result.Value) != `{"n":5}` {
		t.Fatalf("got %v and %+v", err, calls)
	}
	write(t, s.Path, strings.ReplaceAll(recordTests, "name: gone", "name: other"))
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	reportOf(t, s, Options{Mode: Record, Connect: fake.connect, Only: regexpOf("two")})
	if calls, err = LoadCassette(s.Cassette()); err != nil || len(calls) != 3 {
		t.Errorf("got %v and %+v", err, calls)
	}
}

// A server that did not answer is no recording, and spoils none.
func TestRecordWithoutAnswers(t *testing.T) {
	s := suiteOf(t, recordTests)
	fake := newFake()
	fake.fails = &toolError{Code: "server-start", Message: "it does not start"}
	if report := reportOf(t, s, Options{Mode: Record, Connect: fake.connect, Only: regexpOf("two")}); report.Written != nil {
		t.Errorf("wrote %v", report.Written)
	}
	reportOf(t, s, Options{Mode: Record, Connect: newFake().connect})
	reportOf(t, s, Options{Mode: Record, Connect: fake.connect, Only: regexpOf("two")})
	if r := reportOf(t, s, Options{}).Results[0]; r.Status != Passed {
		t.Error(problems(r))
	}
}

// A live run uses no cassette, writes none, and calls by the mocks that there are.
func TestLive(t *testing.T) {
	s := suiteOf(t, `
tests:
  - {name: two, tool: add, args: {dir: d}, mocks: {read: {result: {n: 4}}}, env: {GRAPHTEST_TOKEN: x}, expect: {value: {sum: 8}}}
  - {name: absent, tool: add, needs: [no-such-program-at-all], args: {dir: d}, expect: {value: {sum: 8}}}
  - {name: unset, tool: add, args: {dir: d}, expect: {value: {sum: 8}}}
`)
	fake := newFake()
	report := reportOf(t, s, Options{Mode: Live, Connect: fake.connect})
	if got := strings.Join(fake.calls, ","); got != "list d" || report.Results[0].Status != Passed {
		t.Errorf("called %s: %s", got, problems(report.Results[0]))
	}
	if r := report.Results[1]; r.Status != Skipped || r.Why != "no-such-program-at-all is not installed" {
		t.Errorf("got %s %s", r.Status, r.Why)
	}
	if r := report.Results[2]; r.Status != Failed || !strings.Contains(problems(r), "GRAPHTEST_TOKEN") {
		t.Errorf("got %s %s", r.Status, problems(r))
	}
	if _, err := os.Stat(s.Cassette()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a cassette: %v", err)
	}
	if dir := fake.seen[0].File.Servers[0].Dir; dir != filepath.Dir(s.Graph) {
		t.Errorf("the server runs in %q", dir)
	}
}

// The directory {temp} is one of the case's own while it runs on servers, and {temp}
// in what is kept, as {directory} is that of the graph file.
func TestPlaces(t *testing.T) {
	s := suiteOf(t, `
tests:
  - {name: a, tool: add, args: {dir: "{temp}/x"}, env: {GRAPHTEST_TOKEN: "{temp}"}, expect: {isError: true, contains: "list {temp}/x", nodes: {entry: {dir: "{temp}/x"}}}}
`)
	fake := newFake()
	fake.fails = &toolError{Code: "tool-error", Message: "not below " + filepath.Dir(s.Path)}
	reportOf(t, s, Options{Mode: Record, Connect: fake.connect})
	if calls, err := LoadCassette(s.Cassette()); err != nil || calls[0].Error.Message != "not below {directory}" {
		t.Errorf("got %v and %+v", err, calls)
	}
	fake = newFake()
	live := reportOf(t, s, Options{Mode: Record, Connect: fake.connect})
	if live.Results[0].Status != Passed {
		t.Error(problems(live.Results[0]))
	}
	dir := strings.TrimSuffix(strings.TrimPrefix(fake.calls[0], "list "), "/x")
	if _, err := os.Stat(dir); !filepath.IsAbs(dir) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	calls, err := LoadCassette(s.Cassette())
	if err != nil || encoded(calls[0].Args.Value) != `{"path":"{temp}/x"}` {
		t.Errorf("got %v and %+v", err, calls)
	}
	if r := reportOf(t, s, Options{}).Results[0]; r.Status != Passed {
		t.Error(problems(r))
	}
}

// A run that leaves the recorded one is reported with the first step that differs.
func TestDivergenceFromTheRecording(t *testing.T) {
	s := suiteOf(t, recordTests)
	reportOf(t, s, Options{Mode: Record, Connect: newFake().connect})
	for _, c := range []struct{ old, fresh, want string }{
		{`$sum($nodeExecutions("read").n)`, `$max($nodeExecutions("read").n)`, "step 7: the output of node \"sum\" is not the recorded one\n  .sum: recorded 3, now 2"},
		{`{var: $count($.list.names)}`, `1`, `step 5: switch "more" went to "sum", where the recorded run went to "read"`},
		{`{path: {expr: $.entry.dir}}`, `{path: {expr: $.entry.dir}, deep: true}`, "the cassette has 1 call of this tool with other arguments; record again with toolgraph test --record, or mock it\n  .deep: recorded nothing, now true"},
		{`$.list.names[$executionCount("read")]`, `$.list.names[0]`, `once more than the cassette has answers (1)`},
	} {
		write(t, s.Graph, strings.ReplaceAll(graphYAML, c.old, c.fresh))
		r := reportOf(t, s, Options{}).Results[0]
		if got := problems(r); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s", c.fresh, got)
		}
	}
}

// A file that is not a cassette is reported with its place, and so is a missing one that a test names.
func TestBrokenCassettes(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"{\n  \"version\": 1,\n  oops", "3:3 is not a cassette"},
		{`{"version": "1"}`, "is not a cassette"},
		{`{"version": 2, "runs": []}`, "has version 2, expected 1"},
		{`{"version": 1, "runs": [{"calls": [{"server": "a", "tool": "b", "args": {}}]}]}`, "call 1 of run 1: it has 0 of result, nothing and error, expected exactly one"},
		{`{"version": 1, "runs": [{"calls": [{"args": {}, "result": 1}]}]}`, "server or tool is missing"},
	} {
		s := suiteOf(t, recordTests)
		write(t, s.Cassette(), c.src)
		if _, err := s.Run(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "run toolgraph test --record") {
			t.Errorf("%s: got %v", c.src, err)
		}
		// Recordings that cannot be made again may be in it, so it is not overwritten.
		if _, err := s.Run(t.Context(), Options{Mode: Record, Connect: newFake().connect}); err == nil {
			t.Errorf("%s: it is recorded over", c.src)
		}
		if src, err := os.ReadFile(s.Cassette()); err != nil || string(src) != c.src {
			t.Errorf("%s: it has become %s, %v", c.src, src, err)
		}
	}
	s := suiteOf(t, "tests: [{name: a, tool: fixed, cassette: other.json, expect: {value: {}}}]")
	if _, err := s.Run(t.Context(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A cassette of one's own may be written by hand, for every case.
func TestCassetteForEveryCase(t *testing.T) {
	s := suiteOf(t, `tests:
  - {name: a, tool: add, args: {dir: d}, cassette: hand.json, expect: {value: {sum: 9}}}
  - {name: b, tool: add, args: {dir: d}, cassette: hand.json, expect: {value: {sum: 9}}}
`)
	write(t, filepath.Join(filepath.Dir(s.Path), "hand.json"), `{"version": 1, "runs": [{"calls": [
		{"server": "files", "tool": "list", "args": {"path": "d"}, "result": {"names": ["x"]}},
		{"server": "files", "tool": "read", "args": {"path": "x"}, "result": {"n": 9}}]}]}`)
	for _, r := range reportOf(t, s, Options{}).Results {
		if r.Status != Passed {
			t.Error(problems(r))
		}
	}
}
