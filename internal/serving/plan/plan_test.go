package plan_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/plan"
)

const threeServers = `
version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers: {s: {command: c}, mail: {command: c}, private: {command: c}}
PLAN
tools:
  - name: greet
    description: Says hello.
    inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
    nodes:
      - {id: entry, type: entry, next: t}
      - {id: t, type: transform, transform: {expr: '"hello " & $.entry.name'}, next: exit}
      - {id: exit, type: exit}
  - name: stores
    description: Stores a value.
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: s, tool: save, args: {value: 1}, next: exit}
      - {id: exit, type: exit}
  - {name: inner, hidden: true, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
`

// file is a file with a plan.
func file(plan string) string { return strings.Replace(threeServers, "PLAN", plan, 1) }

const usual = `plan: {calls: ["s.*", "mail.*"]}`

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

// offers are servers whose tools are known; those of s and mail alike.
type offers struct{ listed map[string]int }

const closed = `"additionalProperties": false`

func (o *offers) List(_ context.Context, server string) ([]plan.Listed, error) {
	if o.listed != nil {
		o.listed[server]++
	}
	tool := func(name, description, input, output string, reads bool) plan.Listed {
		l := plan.Listed{Name: name, Description: description, Tool: flow.Tool{InputSchema: []byte(input), From: "server " + server, ReadOnly: &reads, Believed: true}}
		if output != "" {
			l.OutputSchema = []byte(output)
		}
		return l
	}
	if server == "private" {
		return []plan.Listed{tool("secret", "", `{"type": "object"}`, "", true)}, nil
	}
	return []plan.Listed{
		tool("list", "Lists the files of a directory.", `{"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["path"], `+closed+`}`,
			`{"type": "object", "properties": {"files": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["name", "size"], `+closed+`}}}, "required": ["files"], `+closed+`}`, true),
		tool("read", "Reads a file.", `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], `+closed+`}`, `{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], `+closed+`}`, true),
		tool("save", "Saves a value.", `{"type": "object", "properties": {"value": {}}, "required": ["value"]}`, "", false),
	}, nil
}

// refusal returns what is wrong with a plan; empty when it may run.
func refusal(t testing.TB, p *project.Project, text string) (*graph.Graph, string) {
	t.Helper()
	g, err := p.Plan.Compile(t.Context(), parsed(t, text), &offers{})
	if err != nil {
		var refused *plan.Refusal
		if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		return nil, err.Error()
	}
	return g, ""
}

// W01: a step that is not there yet, or not at all, is found before anything is called.
func TestW01PlansReadStepsAbove(t *testing.T) {
	p := loaded(t, file(usual))
	for name, c := range map[string]struct{ steps, want string }{
		"below":           {`[{"id":"a","expr":"b"},{"id":"b","expr":"1"}]`, `steps[0].expr: step "b" is below this one, so its value is not known yet; move step "b" up, or this one down [reads-later]`},
		"itself":          {`[{"id":"a","call":"s.read","args":{"name":{"expr":"a.text"}}}]`, `steps[0].args.name: "a" is this step itself`},
		"misspelt":        {`[{"id":"files","call":"s.list","args":{"path":"x"}},{"id":"b","expr":"file.files"}]`, `did you mean "files"? [unknown-step]`},
		"of outer blocks": {`[{"id":"a","steps":[{"id":"c","expr":"d"}]},{"id":"d","expr":"1"}]`, `steps[0].steps[0].expr: step "d" is below this one`},
		"in a block":      {`[{"id":"a","steps":[{"id":"c","expr":"1"}]},{"id":"d","expr":"c"}]`, `it is a step of the block "a"`},
		"in return":       {`[{"id":"a","expr":"1"}], "return": "bb"`, `return: "bb" is neither args nor a step above`},
	} {
		if _, got := refusal(t, p, `{"steps": `+c.steps+`}`); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "the plan was not run, and nothing was called:\n") {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	g, got := refusal(t, p, `{"steps": [{"id":"names","call":"s.list","args":{"path":"x"}},{"id":"b","expr":"[names.files.{\"n\": names}]"}]}`)
	if got != "" {
		t.Fatalf("a step as a field refuses the plan: %s", got)
	}
	var notes []plan.Finding
	if _, err := p.Plan.Compile(plan.WithNotes(t.Context(), &notes), parsed(t, `{"steps": [{"id":"names","call":"s.list","args":{"path":"x"}},{"id":"b","expr":"[names.files.{\"n\": names}]"}]}`), &offers{}); err != nil ||
		!slices.ContainsFunc(notes, func(f plan.Finding) bool { return f.Code == "step-as-field" && f.Warning }) || g == nil {
		t.Errorf("%v %v", notes, err)
	}
}

// W02: several mistakes are all found at their places.
func TestW02AllMistakesOfAPlan(t *testing.T) {
	_, got := refusal(t, loaded(t, file(usual)), `{"steps": [
		{"id":"a","call":"s.list","args":{"path":"x"}},
		{"id":"b","expr":"a.files.nam"},
		{"id":"c","call":"s.read","args":{}},
		{"id":"d","call":"s.list","args":{"path":"x","limit":"ten"}},
		{"id":"e","call":"s.rea","args":{"name":"x"}},
		{"id":"f","each":"a.files","steps":[{"id":"g","call":"mail.read","args":{"name":{"expr":"$item.size"}}}]}
	]}`)
	for _, want := range []string{
		`steps[1].expr: a.files has no field "nam"; did you mean "name"? [impossible-path]`,
		`steps[2].args.name: argument "name" of tool "read": required, but missing`,
		`steps[3].args.limit: argument "limit" of tool "list": expected an integer, found the string "ten"`,
		`steps[4].call: step "e" calls "s.rea", which is no tool that plans may call; did you mean "s.read"?`,
		`steps[5].steps[0].args.name: argument "name" of tool "read": expected string, but the expression gives integer`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%d findings: %s", n, got)
	}
}

// W11: what a plan says of its calls is refused, in blocks too.
func TestW11PlansSayNothingOfTheirCalls(t *testing.T) {
	p := loaded(t, file(usual))
	for _, key := range []string{`"effect":"read"`, `"confirm":false`, `"onCrash":"repeat"`, `"cache":{"ttlMs":1000}`, `"retry":{"codes":["timeout"]}`} {
		for _, form := range []string{`[%s]`, `[{"id":"b","steps":[%s]}]`} {
			_, got := refusal(t, p, fmt.Sprintf(`{"steps": `+form+`}`, `{"id":"a","call":"s.save","args":{"value":1},`+key+`}`))
			if !strings.Contains(got, "[step-form]") || !strings.Contains(got, "which a step of a plan cannot have") || strings.Count(got, "\n") != 1 {
				t.Errorf("%s: %s", key, got)
			}
		}
	}
	if _, got := refusal(t, p, `{"steps": [{"id":"a","ask":{"message":"?"}}]}`); !strings.Contains(got, "[step-form]") {
		t.Error(got)
	}
	if _, got := refusal(t, p, `{"steps": [{"id":"a","call":"s.read","args":{"name":"x"},"retry":{"attempts":2}}]}`); got != "" {
		t.Errorf("retry without codes: %s", got)
	}
}

// Plans are bounded before they are compiled.
func TestPlansAreBounded(t *testing.T) {
	p := loaded(t, file(`plan: {calls: ["s.*"], maxSteps: 3}`))
	nested := `{"id":"i","expr":"1"}`
	for i := range 9 {
		nested = fmt.Sprintf(`{"id":"b%d","steps":[%s]}`, i, nested)
	}
	for name, c := range map[string]struct{ args, want string }{
		"steps of blocks": {`{"steps":[{"id":"a","steps":[{"id":"b","expr":"1"},{"id":"c","expr":"1"}]},{"id":"d","expr":"1"}]}`, "steps: the plan has 4 steps, those of blocks included, at most 3 are allowed"},
		"bytes":           {`{"steps":[{"id":"a","expr":"` + strings.Repeat("1+", 40_000) + `1"}]}`, "at most 65536 are allowed"},
		"depth of values": {`{"steps":[{"id":"a","call":"s.save","args":{"value":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}]}`, "nested more than 64 levels deep"},
		"no steps":        {`{"steps":[]}`, "expected a list of steps"},
		"no list":         {`{"steps":{}}`, "steps: steps of the plan is a mapping, expected a list"},
		"another key":     {`{"steps":[{"id":"a","expr":"1"}],"retrun":"a"}`, `retrun: unknown field "retrun" of the plan; did you mean "return"?`},
	} {
		if _, got := refusal(t, p, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s: %.300s, want %s", name, got, c.want)
		}
	}
	deep := loaded(t, file(usual))
	if _, got := refusal(t, deep, `{"steps":[`+nested+`]}`); !strings.Contains(got, "[too-deep]") {
		t.Error(got)
	}
}

// Findings, suggestions and searches name only what plans may call.
func TestPlansKnowOnlyWhatTheyMayCall(t *testing.T) {
	p := loaded(t, file(`plan: {calls: ["s.list"], tools: [greet]}`))
	for _, call := range []string{"private.secret", "privat.secret", "s.save", "s.saves", "stores", "store", "inner", "innr", "run_plan", "search_tools", "mail.read"} {
		_, got := refusal(t, p, `{"steps":[{"id":"a","call":"`+call+`","args":{}}]}`)
		if got == "" {
			t.Errorf("%s may be called", call)
		}
		for _, hidden := range []string{"private", "save", "stores", "inner", "mail"} {
			if strings.Contains(strings.ReplaceAll(got, call, ""), hidden) {
				t.Errorf("%s: %s names %s", call, got, hidden)
			}
		}
	}
	asked := &offers{listed: map[string]int{}}
	search, err := p.Plan.SearchTool(asked, beliefs)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`{}`, `{"query":"secret save stores inner read"}`, `{"names":["private.secret","s.save"]}`} {
		a, err := search.Run(t.Context(), parsed(t, args), noWatch)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(a.Notice.Texts, "\n")
		text = strings.NewReplacer(`"private.secret"`, "", `"s.save"`, "").Replace(text)
		for _, hidden := range []string{"private", "save", "stores", "inner", "mail"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s: %s names %s", args, text, hidden)
			}
		}
	}
	if asked.listed["private"]+asked.listed["mail"] > 0 {
		t.Errorf("servers that plans do not call are asked for their tools: %v", asked.listed)
	}
}

// W12: the order of calls is that of the list, whatever order the keys of objects have.
func TestW12KeysAreNoOrder(t *testing.T) {
	p := loaded(t, file(usual))
	one := `{"steps":[{"id":"b","call":"s.save","args":{"value":1}},{"id":"a","call":"s.save","args":{"value":2}}]}`
	two := `{"steps":[{"args":{"value":1},"call":"s.save","id":"b"},{"args":{"value":2},"call":"s.save","id":"a"}]}`
	first, got := refusal(t, p, one)
	second, more := refusal(t, p, two)
	if got != "" || more != "" {
		t.Fatal(got, more)
	}
	if first.Hash != second.Hash || len(first.Hash) != 64 {
		t.Errorf("%s and %s", first.Hash, second.Hash)
	}
	swapped, _ := refusal(t, p, `{"steps":[{"id":"a","call":"s.save","args":{"value":2}},{"id":"b","call":"s.save","args":{"value":1}}]}`)
	if swapped.Hash == first.Hash {
		t.Error("another order of steps has the same digest")
	}
}

// upstream answers the calls of s and mail, and counts them.
type upstream struct {
	mu    sync.Mutex
	calls []string
}

func (u *upstream) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	args, err := value.Encode(c.Args)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls = append(u.calls, c.Server+"."+c.Tool+string(args))
	switch c.Tool {
	case "list":
		return value.Decode([]byte(`{"files":[{"name":"a","size":1},{"name":"b","size":2}]}`))
	case "read":
		return value.Decode([]byte(`{"text":"t"}`))
	}
	return "saved", nil
}
