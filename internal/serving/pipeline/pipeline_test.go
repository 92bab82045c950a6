package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/mcpclient"
)

const twoServers = `
server: {name: g, version: 1.0.0}
mcpServers: {s: {command: c}, other: {command: c}}
pipeline: {calls: ["s.*", other.search]}
tools:
  - name: greet
    inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
    nodes:
      - {id: entry, type: entry, next: t}
      - {id: t, type: transform, transform: {expr: '"hello " & $.entry.name'}, next: exit}
      - {id: exit, type: exit}
  - {name: inner, hidden: true, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
`

// toolError is a failure as a server reports it.
type toolError struct{}

func (toolError) Error() string     { return "boom" }
func (toolError) ErrorCode() string { return "tool-error" }

// upstream answers calls: echo with its arguments, give with their value, nothing and fail.
type upstream struct{ calls []string }

func (u *upstream) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	u.calls = append(u.calls, c.Server+"."+c.Tool)
	switch c.Tool {
	case "fail":
		return nil, toolError{}
	case "stall":
		return nil, &mcpclient.Error{Code: mcpclient.CodeTimeout, Message: "no answer"}
	case "nothing":
		return nil, nil
	case "give":
		object, _ := value.ObjectOf(c.Args)
		v, _ := object.Get("value")
		return v, nil
	}
	return c.Args, nil
}

func loaded(t testing.TB, src string) *project.Project {
	t.Helper()
	p, err := project.Parse(t.Context(), "g.yaml", []byte(src), config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parsed(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// perform runs a request and returns its result as JSON, without durations.
func perform(t testing.TB, p *project.Project, u *upstream, steps string, offers pipeline.Offers, opts ...execution.Option) (result string, err error) {
	t.Helper()
	g, args, err := p.Pipeline.Compile(t.Context(), parsed(t, `{"steps":`+steps+`}`), offers)
	var refused *pipeline.Refusal
	var v value.Value
	switch {
	case errors.As(err, &refused):
		v = refused.Value
	case err != nil:
		t.Fatal(err)
	default:
		var run *execution.Result
		run, err = execution.New(u, opts...).Run(t.Context(), g, args)
		if run == nil {
			t.Fatal(err)
		}
		if v = run.Value; err != nil {
			v = run.Partial
		}
	}
	if problems, err := p.Pipeline.Graph.Output.Check(t.Context(), v); err != nil || len(problems) > 0 {
		t.Errorf("the result does not match the outputSchema: %v %s", err, problems.Text("result"))
	}
	return shown(t, v), err
}

// shown returns a result without durations.
func shown(t testing.TB, v value.Value) string {
	t.Helper()
	out := v.(*value.Map)
	out.Delete("total_duration_ms")
	steps, _ := out.Get("steps")
	for _, step := range steps.([]any) {
		step.(*value.Map).Delete("duration_ms")
	}
	text, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPlaceholders(t *testing.T) {
	p := loaded(t, twoServers)
	first := `{"id":"a","tool":"s.give","args":{"value":{"n":1,"t":"x","list":[[1],{"k":null}],"o":{"a b":2}}}}`
	for text, want := range map[string]string{
		`{{a}}`:                           `{"n":1,"t":"x","list":[[1],{"k":null}],"o":{"a b":2}}`,
		`{{ a.n }}`:                       `1`,
		`{{a.t}}`:                         `"x"`,
		`{{a.list[0]}}`:                   `[1]`,
		`{{a.list[0][0]}}`:                `1`,
		`{{a.list[1].k}}`:                 `null`,
		`{{a.o.a b}}`:                     `2`,
		`<{{a.n}}{{a.t}}{{a.list}}>`:      `"<1x[[1],{\"k\":null}]>"`,
		`no } braces }}`:                  `"no } braces }}"`,
		`{\"a\":{\"b\":{{a.list[1].k}}}}`: `"{\"a\":{\"b\":null}}"`,
	} {
		got, err := perform(t, p, &upstream{}, `[`+first+`,{"id":"b","tool":"s.give","args":{"value":"`+text+`"}}]`, nil)
		if err != nil || !strings.Contains(got, `"status":"success","result":`+want+`}],"variables"`) {
			t.Errorf("%s: %v\n%s\nwant %s", text, err, got, want)
		}
	}
}

func TestMissingValues(t *testing.T) {
	p := loaded(t, twoServers)
	before := `{"id":"a","tool":"s.give","args":{"value":{"id":1,"channel":{"x":[1,2,3]}}}},` +
		`{"id":"bad","tool":"s.fail","continue_on_error":true},{"id":"skipped","tool":"s.echo","if":"a.no"},{"id":"none","tool":"s.nothing"},`
	for path, why := range map[string]string{
		"a.message_id":   `step "a" has no "message_id", its fields are id, channel`,
		"a.__proto__":    `step "a" has no "__proto__", its fields are id, channel`,
		"a.constructor":  `step "a" has no "constructor", its fields are id, channel`,
		"a[0]":           `step "a" has no [0], its fields are id, channel`,
		"a.channel.x.y":  `step "a" has no "y" in channel.x, it is a list of 3 items`,
		"a.channel.x[3]": `step "a" has no [3] in channel.x, it is a list of 3 items`,
		"a.id.z":         `step "a" has no "z" in id, it is a number`,
		"bad.x":          `step "bad" has failed`,
		"bad":            `step "bad" has failed`,
		"skipped":        `step "skipped" was skipped`,
		"none.x":         `step "none" has returned nothing`,
	} {
		u := &upstream{}
		got, err := perform(t, p, u, `[`+before+`{"id":"last","tool":"s.echo","args":{"x":["{{`+path+`}}"]}}]`, nil)
		text, _ := value.Encode("{{" + path + "}} has no value: " + why)
		if err == nil || !strings.Contains(got, `"status":"error","error":{"code":"MISSING_VALUE","message":`+string(text)+`,"retriable":false,"hint":"refer to a field`) || !strings.HasSuffix(got, `"aborted":true}`) {
			t.Errorf("%s: %v\n%s\nwant %s", path, err, got, text)
		}
		if len(u.calls) != 3 {
			t.Errorf("%s: calls %q", path, u.calls)
		}
	}
}

func TestF25ResultsAreNotTemplates(t *testing.T) {
	p := loaded(t, twoServers)
	u := &hostile{}
	g, args, err := p.Pipeline.Compile(t.Context(), parsed(t, `{"steps":[{"id":"x","tool":"s.echo","args":{"secret":"s3cret"}},`+
		`{"id":"a","tool":"s.hostile"},{"id":"b","tool":"s.echo","args":{"whole":"{{a}}","part":"<{{a}}>"}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execution.New(u).Run(t.Context(), g, args); err != nil {
		t.Fatal(err)
	}
	if want := `{"whole":"{{x.secret}}","part":"<{{x.secret}}>"}`; u.last != want {
		t.Errorf("the last call has %s, want %s", u.last, want)
	}
}

// hostile answers with a text that looks like a placeholder.
type hostile struct{ last string }

func (h *hostile) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	text, _ := value.Encode(c.Args)
	h.last = string(text)
	if c.Tool == "hostile" {
		return "{{x.secret}}", nil
	}
	return c.Args, nil
}

func TestF25F26Refusals(t *testing.T) {
	p := loaded(t, twoServers)
	offers := func(_ context.Context, server, tool string) (bool, bool) {
		return tool == "search" || server == "s" && tool == "echo", true
	}
	ok := `{"id":"ok","tool":"greet","args":{"name":"x"}}`
	for steps, want := range map[string]string{
		`[]`: `PIPELINE_INVALID: arguments.steps: `,
		`[` + ok + strings.Repeat(`,{"tool":"greet"}`, 20) + `]`:                             `PIPELINE_INVALID: the request has 21 steps, at most 20 are allowed`,
		`[` + ok + `,{"tool":"pipeline","args":{}}]`:                                         `PIPELINE_RECURSION: step "step_1": a pipeline cannot call itself`,
		`[{"tool":"nope"},{"tool":"pipeline"}]`:                                              `PIPELINE_RECURSION: step "step_1"`,
		`[` + ok + `,` + ok + `]`:                                                            `step "ok": an earlier step has the same id`,
		`[` + ok + `,{"id":"b","save_as":"ok","tool":"greet"}]`:                              `step "b": the result of step "ok" has the same name, "ok"`,
		`[` + ok + `,{"tool":"grete"}]`:                                                      `step "step_1": unknown tool "grete"; steps can call greet, s.*, other.search; did you mean "greet"?`,
		`[` + ok + `,{"tool":"inner"}]`:                                                      `tool "inner", which is hidden from clients, cannot be called`,
		`[` + ok + `,{"tool":"other.echo"}]`:                                                 `step "step_1": other.echo is not among calls of the pipeline, which has s.*, other.search`,
		`[` + ok + `,{"tool":"s.nope"}]`:                                                     `server "s" has no tool "nope"`,
		`[` + ok + `,{"tool":"search"}]`:                                                     `tool "search" is one of server "s" and of server "other"; write s.search`,
		`[` + ok + `,{"tool":"greet","args":{"name":"{{x.y}}"}}]`:                            `{{x.y}} refers to an unknown step "x"`,
		`[` + ok + `,{"tool":"greet","args":{"name":"{{ko.y}}"}}]`:                           `{{ko.y}} refers to an unknown step "ko"; did you mean "ok"?`,
		`[{"id":"a","tool":"greet","args":{"name":"{{ok}}"}},` + ok + `]`:                    `step "a": {{ok}} refers to step "ok", which comes later`,
		`[{"id":"a","tool":"greet","args":{"name":"{{a}}"}}]`:                                `{{a}} refers to the step itself`,
		`[{"id":"a","save_as":"b","tool":"greet"},{"tool":"greet","args":{"name":"{{a}}"}}]`: `{{a}} refers to step "a", whose result is saved as "b"`,
		`[` + ok + `,{"tool":"greet","if":"nope.x"}]`:                                        `if: nope.x refers to an unknown step "nope"`,
		`[` + ok + `,{"tool":"greet","args":{"name":"x {{ok"}}]`:                             `the braces of "{{ok" do not close`,
		`[` + ok + `,{"tool":"greet","args":{"name":"{{ok.}}"}}]`:                            `has an empty field`,
		`[` + ok + `,{"tool":"greet","args":{"name":"{{ok[x]}}"}}]`:                          `expected a place in a list such as [0]`,
		`[` + ok + `,{"tool":"greet","args":{"name":"{{$sum(1)}}"}}]`:                        `unknown step "$sum(1)"`,
		`[{"id":"1st","tool":"greet"}]`:                                                      `PIPELINE_INVALID: step "1st": arguments.steps[0].id`,
		`[{"tool":"greet","argz":{}}]`:                                                       `arguments.steps[0]`,
		`[{"id":"a"}]`:                                                                       `arguments.steps[0]`,
		`[7]`:                                                                                `arguments.steps[0]`,
	} {
		u := &upstream{}
		got, err := perform(t, p, u, steps, offers)
		if err == nil || !strings.Contains(err.Error(), want) || len(u.calls) > 0 {
			t.Errorf("%.80s: %v, calls %q\nwant %s", steps, err, u.calls, want)
		}
		if strings.Contains(got, "success") || !strings.Contains(got, `"aborted":true,"error":{"code":"PIPELINE_`) {
			t.Errorf("%.80s: %s", steps, got)
		}
	}
	large := `{"steps":[{"tool":"greet","args":{"name":"` + strings.Repeat("x", 1<<20) + `"}}]}`
	if _, _, err := p.Pipeline.Compile(t.Context(), parsed(t, large), nil); err == nil || !strings.Contains(err.Error(), "PIPELINE_INVALID: the request has ") {
		t.Errorf("a request over 1 MiB: %v", err)
	}
}

func TestF26AllowOfTheFile(t *testing.T) {
	p := loaded(t, "allow: {calls: [s.echo]}"+twoServers)
	u := &upstream{}
	_, err := perform(t, p, u, `[{"tool":"s.echo"},{"tool":"s.give"}]`, nil)
	if err == nil || !strings.Contains(err.Error(), `PIPELINE_INVALID: step "step_1": tool "pipeline" may not call s.give: allow (g.yaml:1:1) has s.echo`) || len(u.calls) > 0 {
		t.Errorf("%v, calls %q", err, u.calls)
	}
}

func TestBareNamesAreRecordedInFull(t *testing.T) {
	p := loaded(t, twoServers)
	offers := func(_ context.Context, server, tool string) (bool, bool) {
		return server == "s" && tool == "echo", true
	}
	request := parsed(t, `{"steps":[{"tool":"echo","args":{"x":1}}]}`)
	g, args, err := p.Pipeline.Compile(t.Context(), request, offers)
	if err != nil {
		t.Fatal(err)
	}
	again, same, err := p.Pipeline.Compile(t.Context(), args, nil)
	if text, _ := value.Encode(args); err != nil || again.Hash != g.Hash || string(text) != `{"steps":[{"tool":"s.echo","args":{"x":1}}]}` {
		t.Errorf("%v %s", err, text)
	}
	if same != args {
		t.Error("full names are replaced")
	}
	run, err := execution.New(&upstream{}).Run(t.Context(), g, args)
	if err != nil || !strings.Contains(shown(t, run.Value), `"tool":"echo","status":"success"`) {
		t.Errorf("%v %s", err, shown(t, run.Value))
	}
}

func TestLimitsEndAlsoStepsThatContinue(t *testing.T) {
	p := loaded(t, "executionLimits: {maxNodeExecutions: 3, maxCalls: 1}"+twoServers)
	step := `{"id":"%s","tool":"s.echo","continue_on_error":true}`
	got, err := perform(t, p, &upstream{}, `[`+fmt.Sprintf(step, "a")+`,`+fmt.Sprintf(step, "b")+`,`+fmt.Sprintf(step, "c")+`]`, nil)
	if err == nil || !strings.Contains(got, `{"id":"b","tool":"s.echo","status":"error","error":{"code":"limit"`) || !strings.Contains(got, `{"id":"c","tool":"s.echo","status":"skipped"}`) ||
		!strings.HasSuffix(got, `"aborted":true}`) {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = perform(t, loaded(t, "executionLimits: {maxNodeExecutions: 2}"+twoServers), &upstream{}, `[`+fmt.Sprintf(step, "a")+`]`, nil)
	if err == nil || !strings.Contains(got, `"status":"success"`) || !strings.Contains(got, `"aborted":true,"error":{"code":"limit"`) {
		t.Errorf("a limit at the exit: %v\n%s", err, got)
	}
}

func TestGraphOfAllRequestsCallsNothing(t *testing.T) {
	p := loaded(t, twoServers)
	u := &upstream{}
	_, err := execution.New(u).Run(t.Context(), p.Pipeline.Graph, parsed(t, `{"steps":[{"tool":"greet"}]}`))
	if len(u.calls) > 0 {
		t.Errorf("calls %q, %v", u.calls, err)
	}
	var names []string
	for _, c := range p.Pipeline.Graph.Calls() {
		names = append(names, c.Server+"."+c.Tool)
	}
	if text := strings.Join(names, " "); text != "s.* other.search" {
		t.Errorf("it can call %s", text)
	}
	if _, err := p.Graph("pipeline"); err != nil || len(p.Listed()) != 2 {
		t.Errorf("%v, %d listed", err, len(p.Listed()))
	}
}

func TestNamesOfNodesAreFree(t *testing.T) {
	p := loaded(t, twoServers)
	got, err := perform(t, p, &upstream{}, `[{"id":"entry","tool":"s.give","args":{"value":[0]}},{"id":"exit","tool":"s.give","if":"{{entry}}","args":{"value":"{{entry[0]}}"}},{"id":"and","tool":"s.echo","if":"exit"}]`, nil)
	if want := `"variables":{"entry":[0],"exit":0},"aborted":false}`; err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v\n%s", err, got)
	}
}

// An error says whether the step can be sent again, and what to do: a call that may have taken effect
// is not to be sent again unseen.
func TestAdvice(t *testing.T) {
	for effect, want := range map[string]string{
		"read":  `"retriable":true,"hint":"send the request again, without the steps before this one that succeeded"`,
		"write": `"retriable":false,"hint":"the call may have taken effect; check that before you send it again"`,
	} {
		p := loaded(t, twoServers)
		safe := execution.WithRepeatable(func(string, string, config.Effect) bool { return effect == "read" })
		got, err := perform(t, p, &upstream{}, `[{"id":"a-1","tool":"s.stall"}]`, nil, safe)
		if err == nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s", effect, err, got)
		}
	}
}

// Ids may have hyphens, and placeholders refer to them.
func TestHyphens(t *testing.T) {
	p := loaded(t, twoServers)
	got, err := perform(t, p, &upstream{}, `[{"id":"first-step","tool":"s.give","args":{"value":{"a-b":[7]}}},{"tool":"s.give","if":"first-step.a-b","args":{"value":"{{first-step.a-b[0]}}"},"save_as":"the-end"}]`, nil)
	if want := `"variables":{"first-step":{"a-b":[7]},"the-end":7},"aborted":false}`; err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v\n%s", err, got)
	}
}

func BenchmarkCompile(b *testing.B) {
	p := loaded(b, twoServers)
	args := parsed(b, `{"steps":[{"id":"a","tool":"s.echo","args":{"x":1}},{"id":"b","tool":"greet","args":{"name":"{{a.x}}"},"if":"a.x"},{"tool":"s.echo","args":{"y":"<{{b}}>"},"continue_on_error":true}]}`)
	for b.Loop() {
		if _, _, err := p.Pipeline.Compile(b.Context(), args, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Also failures that an onError without codes does not take: arguments that the agent has got wrong.
func TestF24ContinuesAfterInvalidArguments(t *testing.T) {
	p := loaded(t, twoServers)
	got, err := perform(t, p, &upstream{}, `[{"id":"a","tool":"greet","continue_on_error":true},{"id":"b","tool":"greet","args":{"name":"x"}}]`, nil)
	if err != nil || !strings.Contains(got, `"error":{"code":"invalid-arguments"`) || !strings.HasSuffix(got, `"variables":{"b":"hello x"},"aborted":false}`) {
		t.Errorf("%v\n%s", err, got)
	}
}
