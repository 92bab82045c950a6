package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/plan"
)

const planned = "plan: {calls: [up.*], confirm: []}\n"

// listing is the server up, which has inc, that only reads, and save.
type listing struct{ *project.Project }

func (listing) Offers(context.Context, string, string) (offers, known bool) { return true, true }

func (listing) List(context.Context, string) ([]plan.Listed, error) {
	tool := func(name string, reads bool) plan.Listed {
		schema := []byte(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}`)
		return plan.Listed{Name: name, Tool: flow.Tool{InputSchema: schema, OutputSchema: []byte(`{"type": "integer"}`), From: "server up", ReadOnly: &reads, Believed: true}}
	}
	return []plan.Listed{tool("inc", true), tool("save", false)}, nil
}

func (l listing) CheckPlan(ctx context.Context, args value.Value) (value.Value, error) {
	return l.Plan.Check(ctx, args, l, beliefs())
}

func (listing) Permitted(_ context.Context, g *graph.Graph) error {
	return plan.Permitted(g, beliefs())
}

func effects(_ context.Context, _, tool string) config.Effect {
	if tool == "inc" {
		return config.ReadEffect
	}
	return config.WriteEffect
}

func beliefs() plan.Beliefs {
	return plan.Beliefs{
		Effect: func(server, tool string) config.Effect { return effects(context.Background(), server, tool) },
		Inside: func(string, string) bool { return true },
	}
}

// withPlans gives a page what it needs for plans.
func withPlans(s *Server) {
	l := listing{s.project.Project.Project}
	believe := func(ctx context.Context, _ *graph.Graph) (context.Context, []execution.Option) {
		return ctx, []execution.Option{
			execution.WithEffects(effects),
			execution.WithReads(func(ctx context.Context, server, tool string) bool {
				return effects(ctx, server, tool) == config.ReadEffect
			}),
		}
	}
	s.project.Servers, s.project.Plans, s.project.Believe, s.project.Begin = l, l, believe, believe
}

const somePlan = `{"steps": [{"id": "one", "call": "up.inc", "args": {"n": 1}},
	{"id": "rows", "each": "[1, 2]", "as": "n", "call": "up.inc", "args": {"n": {"expr": "$n + one"}}},
	{"id": "saved", "call": "up.save", "args": {"n": {"expr": "$sum(rows)"}}}], "return": "{\"rows\": rows, \"saved\": saved}"}`

type checkedPlan struct {
	Valid    bool
	Findings []struct{ Path, Severity, Code, Message, Hint string }
	Calls    []struct {
		Step, Tool, Effect string
		Certain, Asks      bool
	}
	Flows []any
}

// checked checks a plan on the page.
func (c *client) checked(args string) (report checkedPlan, drawn *drawing) {
	c.t.Helper()
	out := good[plannedJSON](c, "POST", "/api/plans", `{"args": `+args+`}`)
	if err := json.Unmarshal(out.Report, &report); err != nil {
		c.t.Fatal(err)
	}
	return report, out.Graph
}

// A plan is checked without a call: its calls, its drawing with the order of what changes; a list is its steps alone.
func TestPlanIsChecked(t *testing.T) {
	c := openFile(t, graphFile+planned, nil, withPlans)
	if tools := good[projectJSON](c, "GET", "/api/project", "").Tools; tools[0].Own || tools[0].Plan || tools[2].Name != config.RunPlan || !tools[2].Own || !tools[2].Plan {
		t.Errorf("the tools are %+v", tools)
	}
	report, drawn := c.checked(somePlan)
	if !report.Valid || len(report.Findings) != 0 || fmt.Sprint(report.Calls) != "[{one up.inc read true false} {rows up.inc read false false} {saved up.save write true false}]" {
		t.Errorf("%+v", report)
	}
	if got := edgesOf(drawn.Edges); got != "one-read>rows rows-read>saved entry-order>one rows-read>exit saved-read>exit" || !drawn.Nodes[3].Changes {
		t.Errorf("the arrows are %s of %+v", got, drawn.Nodes)
	}
	if report, drawn := c.checked(`[{"id": "a", "call": "up.save", "args": {"n": 1}}, {"id": "b", "call": "up.inc", "args": {"n": 1}}]`); !report.Valid || edgesOf(drawn.Edges) != "a-order>b entry-order>a b-read>exit" {
		t.Errorf("%+v %s", report, edgesOf(drawn.Edges))
	}
	if len(good[runsJSON](c, "GET", "/api/runs", "").Runs) != 0 {
		t.Error("a check has started a run")
	}
}

// What is wrong with a plan is shown at its paths, by a check and when it is run; nothing is called then.
func TestFaultyPlan(t *testing.T) {
	c := openFile(t, graphFile+planned, nil, withPlans)
	const faulty = `{"steps": [{"id": "one", "call": "up.inc", "args": {"n": "x"}}, {"id": "two", "call": "up.incc"}, {"id": "three", "expr": "on"}]}`
	report, drawn := c.checked(faulty)
	var paths []string
	for _, f := range report.Findings {
		paths = append(paths, f.Path+" "+f.Code)
	}
	if got := strings.Join(paths, ", "); report.Valid || got != "steps[0].args.n argument-refused, steps[1].call unknown-tool, steps[2].expr unknown-step" || drawn != nil {
		t.Errorf("%s", got)
	}
	if !strings.Contains(report.Findings[1].Hint, `did you mean "up.inc"?`) {
		t.Errorf("%+v", report.Findings)
	}
	status, body := c.ask("POST", "/api/runs", `{"tool": "run_plan", "args": `+faulty+`}`)
	var refused struct{ Error failure }
	if err := json.Unmarshal([]byte(body), &refused); err != nil || status != http.StatusUnprocessableEntity || !strings.Contains(string(refused.Error.Findings), `"path":"steps[0].args.n"`) {
		t.Errorf("%d %s", status, body)
	}
	if _, drawn := c.checked(`[{"id": "one", "call": "up.inc", "args": {"n": "x"}}]`); drawn == nil || len(drawn.Nodes) != 3 {
		t.Errorf("a plan with a wrong argument is drawn as %+v", drawn)
	}
	for args, want := range map[string]string{
		`{}`:           `steps`,
		`{"steps": 1}`: `steps`,
		`[]`:           `steps`,
		`"x"`:          `object`,
	} {
		if status, body := c.ask("POST", "/api/plans", `{"args": `+args+`}`); status != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", args, status, body)
		}
	}
	if status, body := c.ask("POST", "/api/runs", `{"tool": "run_plan", "args": {"dryRun": true, "steps": [{"id": "a", "expr": "1"}]}}`); status != http.StatusUnprocessableEntity || !strings.Contains(body, "dryRun") {
		t.Errorf("a dry run is run: %d %s", status, body)
	}
	if len(good[runsJSON](c, "GET", "/api/runs", "").Runs) != 0 {
		t.Error("a faulty plan was run")
	}
	reading := openFile(t, graphFile+strings.Replace(planned, "confirm", "effects: [read], confirm", 1), nil, withPlans)
	if status, body := reading.ask("POST", "/api/runs", `{"tool": "run_plan", "args": `+somePlan+`}`); status != http.StatusUnprocessableEntity || !strings.Contains(body, `not-allowed`) {
		t.Errorf("a plan that writes is run: %d %s", status, body)
	}
}

// A run of a plan is shown as its own graph, live and recorded, with breakpoints at its steps; a file without a plan
// says so.
func TestPlanRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	var id string
	for _, src := range []string{graphFile + planned, graphFile + planned, graphFile} {
		store, err := sqlite.Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := openFile(t, src, store, withPlans)
		live := id == ""
		if live {
			c.checked(somePlan)
			c.breakAt(config.RunPlan, `{"node": "rows[]", "condition": "$n = 2"}`)
			if status, body := c.ask("PUT", "/api/breakpoints/run_plan", `{"node": "nothing"}`); status != http.StatusUnprocessableEntity {
				t.Errorf("a breakpoint at a step of no plan: %d %s", status, body)
			}
			id = c.start(`{"tool": "run_plan", "args": ` + somePlan + `, "mocks": null}`)
			if got := heldOf(c.until(id, "paused")); got != "1.rows.1=breakpoint" {
				t.Errorf("held at %s", got)
			}
			c.breakAt(config.RunPlan, `{"node": "rows[]", "removed": true}`)
			c.control(id, "resume")
		}
		run := c.until(id, "finished")
		drawn := good[*drawing](c, "GET", "/api/runs/"+id+"/graph", "")
		if src == graphFile {
			if drawn != nil || !strings.HasPrefix(run.Warning, "The file has no plan any more") {
				t.Errorf("%+v %+v", run, drawn)
			}
		} else if edgesOf(drawn.Edges) != "one-read>rows rows-read>saved entry-order>one rows-read>exit saved-read>exit" || drawn.Hash != run.Graph || run.Live != live || run.Warning != "" {
			t.Errorf("live %v: %+v %+v", live, run, drawn)
		} else if step := good[detailJSON](c, "GET", "/api/runs/"+id+"/steps/1?part=rows.1", ""); step.Changed || step.Output.Text != "5" || step.Input.Children[0].Text != "4" || step.ItemName != "$n" {
			t.Errorf("live %v: %+v", live, step)
		}
		if status, got := c.ask("GET", "/api/runs/"+id+"/whole?of=result", ""); status != 200 || got != `{"rows":[4,5],"saved":10}` {
			t.Errorf("the result: %d %s", status, got)
		}
		if err := store.Close(); err != nil { // as the end of its process does
			t.Fatal(err)
		}
	}
}

// With mocks no server is called and nothing is recorded: of a plan, and of a tool of the file.
func TestRunWithMocks(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := openFile(t, graphFile+planned, store, withPlans, func(s *Server) {
		s.project.Engine = execution.New(nil) // which would fail
	})
	mocked := func(mocks string) info {
		return c.until(c.start(`{"tool": "run_plan", "args": `+somePlan+`, "mocks": `+mocks+`}`), "finished")
	}
	run := mocked(`{"one": {"result": 10}, "rows": [{"when": {"n": 11}, "result": 7}, {"result": 8}], "up.save": {"result": 1}}`)
	if status, got := c.ask("GET", "/api/runs/"+run.ID+"/whole?of=result", ""); status != 200 || got != `{"rows":[7,8],"saved":1}` || !run.Mocked {
		t.Errorf("%+v gives %d %s", run, status, got)
	}
	id := c.start(`{"tool": "run_plan", "args": ` + somePlan + `, "mocks": {"one": {"result": 10}}}`)
	if failed := c.until(id, "error"); !strings.Contains(failed.Error.Message, `but no mock answers it; write "rows": {"result": …} into the mocks`) {
		t.Errorf("%+v", failed.Error)
	}
	id = c.start(`{"tool": "count", "args": {"n": 2}, "mocks": {"add": {"sequence": [{"result": 1}, {"result": 5}]}}}`)
	c.until(id, "finished")
	if status, got := c.ask("GET", "/api/runs/"+id+"/whole?of=result", ""); status != 200 || !strings.Contains(got, `"n":5`) {
		t.Errorf("a tool with mocks gives %d %s", status, got)
	}
	for mocks, want := range map[string]string{
		`{"on": {"result": 1}}`:        `did you mean \"one\"?`,
		`{"one": 1}`:                   `expected a mapping`,
		`{"one": {"results": 1}}`:      `unknown field`,
		`[]`:                           `mocks is a list`,
		`{"one": {"error": "no", "x"}`: `invalid`,
	} {
		if status, body := c.ask("POST", "/api/runs", `{"tool": "run_plan", "args": `+somePlan+`, "mocks": `+mocks+`}`); status < 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", mocks, status, body)
		}
	}
	if all, err := store.List(t.Context(), journal.Filter{Limit: 10}); err != nil || len(all) != 0 {
		t.Errorf("recorded: %v %v", all, err)
	}
}

// A plan whose calls need consent asks on the page; with mocks it does not ask, because nothing is done.
func TestPlanAsksOnThePage(t *testing.T) {
	c := openFile(t, graphFile+strings.Replace(planned, "[]", "[write]", 1), nil, withPlans)
	if report, _ := c.checked(somePlan); !report.Calls[2].Asks {
		t.Errorf("%+v", report.Calls)
	}
	id := c.start(`{"tool": "run_plan", "args": ` + somePlan + `}`)
	c.until(id, "waiting")
	q := good[questionsJSON](c, "GET", "/api/questions", "").Questions[0]
	if q.Run != id || q.Confirms == nil || q.Confirms.Tool != "save" {
		t.Errorf("%+v", q)
	}
	good[struct{}](c, "POST", "/api/questions/"+q.ID, `{"action": "accept"}`)
	c.until(id, "finished")
	c.until(c.start(`{"tool": "run_plan", "args": `+somePlan+`, "mocks": {"up.inc": {"result": 1}, "up.save": {"result": 1}}}`), "finished")
}

// Secrets of the file are shown neither in findings, calls and drawings of a plan nor in its run.
func TestPlanWithSecrets(t *testing.T) {
	c := openFile(t, graphFile+planned, nil, withPlans)
	src := fmt.Sprintf(`{"steps": [{"id": "one", "expr": "%[1]q = \"x\" ? 1 : 2", "if": "\"%[1]s\" != \"\""}, {"id": "two", "call": "up.inc", "args": {"n": %[2]q}}]}`, "x", token)
	src = strings.ReplaceAll(strings.ReplaceAll(src, `"x" = `, `\"`+token+`\" = `), `\"x\" != `, `\"`+token+`\" != `)
	for _, request := range []string{`/api/plans {"args": ` + src + `}`, `/api/runs {"tool": "run_plan", "args": ` + src + `}`} {
		path, body, _ := strings.Cut(request, " ")
		if status, answer := c.ask("POST", path, body); strings.Contains(answer, token) || !strings.Contains(answer, "[redacted]") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	good := c.start(`{"tool": "run_plan", "args": [{"id": "one", "expr": "\"` + token + `\"", "if": "\"` + token + `\" != \"\""}], "mocks": {}}`)
	c.until(good, "finished")
	for _, path := range []string{"graph", "steps", "steps/1?part=one", "whole?of=args", "whole?of=result"} {
		if status, answer := c.ask("GET", "/api/runs/"+good+"/"+path, ""); status != 200 || strings.Contains(answer, token) {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	if status, answer := c.ask("POST", "/api/runs", `{"tool": "run_plan", "args": [{"id": "a", "expr": "1"}], "mocks": {"`+token+`": {"result": 1}}}`); status != 422 || strings.Contains(answer, token) {
		t.Errorf("%d %s", status, answer)
	}
}

// A file without a plan has nothing to check.
func TestNoPlan(t *testing.T) {
	c := open(t, nil)
	if status, body := c.ask("POST", "/api/plans", `{"args": []}`); status != http.StatusNotFound || !strings.Contains(body, "--plan") {
		t.Errorf("%d %s", status, body)
	}
}
