package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/project"
)

// A failed run of the pipeline is recorded with its steps, and explained with the step that failed
// and what was passed to it.
func TestInspectReadsRuns(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.yaml")
	for name, c := range map[string]struct {
		src     string
		options config.Options
	}{
		"in the file": {twoServers, config.Options{}},
		"by a flag":   {strings.Replace(twoServers, `pipeline: {calls: ["s.*", other.search]}`, "", 1), config.Options{Pipeline: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := project.Load(t.Context(), path, c.options)
			if err != nil {
				t.Fatal(err)
			}
			store, err := sqlite.Open(t.TempDir(), journal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			second, input := `"tool":"s.fail","args":{"n":"<{{a}}>"}`, `{"n":"<hello x>"}`
			if c.options.Pipeline { // it has no tools of servers
				second, input = `"tool":"greet","args":{"name":"{{a.missing}}"}`, ""
			}
			g, args, err := p.Pipeline.Compile(t.Context(),
				parsed(t, `{"steps":[{"id":"a","tool":"greet","args":{"name":"x"}},{"id":"b",`+second+`},{"id":"c","tool":"greet"}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			engine := execution.New(&upstream{}, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: path})))
			if _, err = engine.Run(t.Context(), g, args); err == nil {
				t.Fatal("the run has not failed")
			}
			i := &inspect.Inspector{File: path, Store: store} // without the flag
			run, err := i.ReadRun(t.Context(), inspect.RunQuery{Run: "last"})
			if err != nil {
				t.Fatal(err)
			}
			var nodes []string
			for _, step := range run.History {
				nodes = append(nodes, step.Node)
			}
			if run.Tool != "pipeline" || run.Status != journal.Failed || !slices.Contains(nodes, "a") || !slices.Contains(nodes, "b") || slices.Contains(nodes, "c") ||
				!strings.Contains(string(run.Arguments.Value), `"id":"c"`) {
				t.Errorf("%s %s %v %s", run.Tool, run.Status, nodes, run.Arguments.Value)
			}
			e, err := i.ExplainRun(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if e.Unread != "" || len(e.Failed) != 1 || e.Failed[0].Node != "b" {
				t.Fatalf("%q %+v", e.Unread, e.Failed)
			}
			if got := e.Failed[0].Input; (got != nil || input != "") && (got == nil || string(got.Value) != input) {
				t.Errorf("the input of the step is %+v, want %s", got, input)
			}
		})
	}
}

// agrees is a user who agrees to all calls, or to none, and counts the questions.
type agrees struct {
	to    bool
	asked []string
}

func (u *agrees) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	u.asked = append(u.asked, q.Message)
	if u.to {
		return execution.Answer{Action: execution.Accept}, nil
	}
	return execution.Answer{Action: execution.Decline}, nil
}

// A step whose call needs to be confirmed asks, with the values of its placeholders; without a yes
// it fails, and nothing is called.
func TestConfirmedSteps(t *testing.T) {
	p := loaded(t, "allow: {confirm: [destroy]}"+twoServers)
	g, args, err := p.Pipeline.Compile(t.Context(),
		parsed(t, `{"steps":[{"id":"a","tool":"greet","args":{"name":"x"}},{"id":"b","tool":"s.remove","args":{"what":"{{a}}"}},{"id":"c","tool":"s.remove"}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for yes, want := range map[bool]string{
		true: `{"id":"b","tool":"s.remove","status":"success","result":{"what":"hello x"}},{"id":"c","tool":"s.remove","status":"success","result":{}}],`,
		false: `{"id":"b","tool":"s.remove","status":"error","error":{"code":"declined","message":"MESSAGE","retriable":false,"hint":"do not send the step again unless the user asks for it"}},{"id":"c","tool":"s.remove","status":"skipped"}],` +
			`"variables":{"a":"hello x"},"aborted":true}`,
	} {
		u, user := &upstream{}, &agrees{to: yes}
		run, err := execution.New(u, execution.WithUser(user)).Run(t.Context(), g, args)
		v, calls := run.Value, 2
		if err != nil {
			v, calls = run.Partial, 0
			var failed *execution.Failure
			if errors.As(err, &failed) {
				message, _ := value.Encode(failed.Message)
				want = strings.Replace(want, `"MESSAGE"`, string(message), 1)
			}
		}
		if got := shown(t, v); (err == nil) != yes || !strings.Contains(got, want) {
			t.Errorf("%v\n%s\nwant %s", err, got, want)
		}
		if len(u.calls) != calls || len(user.asked) != max(1, calls) || !strings.Contains(user.asked[0], `Arguments: {"what":"hello x"}`) {
			t.Errorf("%d calls, asked %q", len(u.calls), user.asked)
		}
	}
}

var errCut = errors.New("the process has died")

// cut is a journal that fails after so many events, as the end of its process does.
type cut struct {
	journal.Memory
	left int
}

func (c *cut) Append(ctx context.Context, e execution.Event) error {
	if c.left--; c.left < 0 {
		return errCut
	}
	return c.Memory.Append(ctx, e)
}

// A run that is interrupted after any event and resumed, with the graph compiled again from the
// recorded arguments, has the result of the whole run, and recorded calls are not made again.
func TestResumeAnywhere(t *testing.T) {
	p := loaded(t, twoServers)
	request := parsed(t, `{"steps":[{"id":"a","tool":"search","args":{"n":7},"save_as":"found"},{"id":"b","tool":"s.fail","continue_on_error":true},`+
		`{"id":"skip","if":"b","tool":"s.give"},{"id":"c","if":"found.n","tool":"s.give","args":{"value":"<{{found.n}}>"}},{"id":"d","tool":"greet","args":{"name":"{{c}}"}}]}`)
	const calls = 3 // all steps but the one that is skipped and the tool of the file
	start := func(j execution.Journal, u *upstream) (*execution.Result, error) {
		g, args, err := p.Pipeline.Compile(t.Context(), request, nil)
		if err != nil {
			t.Fatal(err)
		}
		return execution.New(u, execution.WithJournal(j), execution.WithRunID("r")).Run(t.Context(), g, args)
	}
	whole, all := &cut{left: 1000}, &upstream{}
	result, err := start(whole, all)
	if err != nil || len(all.calls) != calls {
		t.Fatal(err, all.calls)
	}
	want := shown(t, result.Value)
	if !strings.Contains(want, `"variables":{"found":{"n":7},"c":"<7>","d":"hello <7>"},"aborted":false`) {
		t.Fatal(want)
	}
	want = strings.Replace(want, `"search"`, `"other.search"`, 1) // the recorded arguments have full names
	for n := 1; n < 1000-whole.left; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			kept := &cut{left: n}
			if _, err := start(kept, &upstream{}); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			kept.left = 1000
			events, err := kept.Load(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			g, err := p.Recorded(t.Context(), "pipeline", events[0].Start.Args)
			if err != nil || !events[0].Start.IsOf(g) {
				t.Fatalf("the graph differs from that of the run: %v", err)
			}
			recorded := 0
			for _, e := range events {
				if e.Record != nil && e.Record.NodeType == config.MCPNode {
					recorded++
				}
			}
			u := &upstream{}
			repeat := execution.WithRepeatable(func(string, string, config.Effect) bool { return true })
			again, err := execution.New(u, execution.WithJournal(kept), repeat).Resume(t.Context(), g, events)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(t, again.Value); got != want || len(u.calls) != calls-recorded {
				t.Errorf("calls %v, %d were recorded\n%s\nwant %s", u.calls, recorded, got, want)
			}
		})
	}
}
