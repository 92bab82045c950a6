package flows

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph/flow"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/plan"
	"toolgraph/tests/thorough"
)

// argsName finds where expressions read the arguments; the key of a call has a colon.
var argsName = regexp.MustCompile(`\bargs\b([^:]|$)`)

// ofPlan is a text of a program as a plan has it: it reads the step input, and nothing in it is certain to fail.
func ofPlan(text string) string {
	return argsName.ReplaceAllString(strings.NewReplacer("$failure.result", "$failure.code", `$number("n/a")`, "0", `1 + "a"`, "1", "%", "2").Replace(text), "input$1")
}

// asPlan makes a plan of the first tool of a program that is steps: its arguments become a step, and what only authors
// say is left out. The file has the other tools, and the plan as a tool.
func (p *program) asPlan() (file string, steps []*node, result string) {
	input := &node{id: "input"}
	input.set("call", "given")
	t := *p.tools[0]
	var tidy func(nodes []*node) []*node
	tidy = func(nodes []*node) (kept []*node) {
		for _, n := range nodes {
			one := &node{id: n.id}
			for _, f := range n.fields {
				f.text = ofPlan(f.text)
				switch f.key {
				case "effect", "onCrash", "confirm", "cache":
				case "retry":
					one.fields = append(one.fields, field{"retry", "{attempts: 2, delayMs: 1}", true})
				case "ask":
					one.fields = append(one.fields, field{"call", "given", false})
				case "timeoutMs", "help":
					if !slices.ContainsFunc(n.fields, func(f field) bool { return f.key == "ask" }) {
						one.fields = append(one.fields, f)
					}
				default:
					one.fields = append(one.fields, f)
				}
			}
			if n.steps != nil {
				one.steps = tidy(n.steps)
			}
			kept = append(kept, one)
		}
		return kept
	}
	t.steps = append([]*node{input}, tidy(t.steps)...)
	t.name = "planned"
	t.fields = nil
	for _, f := range p.tools[0].fields {
		if f.key == "return" {
			result = ofPlan(f.text)
			t.fields = append(t.fields, field{"return", result, false})
		}
	}
	given := &tool{name: "given", fields: []field{{"outputSchema", "{type: object}", false}}}
	for _, n := range []*node{{id: "entry", kind: "entry"}, {id: "give", kind: "transform"}, {id: "exit", kind: "exit"}} {
		if n.kind == "transform" {
			n.set("transform", "{expr: "+quoted(p.input)+"}")
		}
		given.nodes = append(given.nodes, n)
	}
	other := *p
	other.tools = []*tool{&t, given}
	for _, called := range p.tools {
		one := *called
		one.fields = slices.DeleteFunc(slices.Clone(called.fields), func(f field) bool { return f.key == "hidden" })
		other.tools = append(other.tools, &one)
	}
	return strings.Replace(other.yaml(2), "tools:\n", "plan: {calls: [\"up.*\"], confirm: [], maxSteps: 500}\ntools:\n", 1), t.steps, result
}

// upTools are the tools of the server, of which one has schemas.
type upTools struct{}

func (upTools) List(context.Context, string) (all []plan.Listed, err error) {
	for _, name := range append(slices.Clone(stepTools), "typed") {
		reads := onlyReads(name)
		l := plan.Listed{Name: name, Tool: flow.Tool{ReadOnly: &reads}}
		if name == "typed" {
			l.InputSchema = []byte(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"kind":{"enum":["a","b"]}},"required":["path"],"additionalProperties":false}`)
			l.OutputSchema = []byte(`{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}}},"required":["files"],"additionalProperties":false}`)
		}
		all = append(all, l)
	}
	return all, nil
}

// randomPlan is a plan with the project that takes it, and the interpreter's file.
type randomPlan struct {
	project *project.Project
	steps   []any
	result  string
	source  string
	whole   value.Value // the plan, with the keys in the order of the program: what the server answers depends on it
}

func newRandomPlan(t *testing.T, seed, index uint64) *randomPlan {
	t.Helper()
	p := makeProgram(seed, index)
	if p.tools[0].steps == nil {
		return nil
	}
	src, steps, result := p.asPlan()
	project, err := project.Parse(t.Context(), "random.yaml", []byte(src), config.Options{})
	if err != nil {
		t.Fatalf("program %d: %v\n%s", index, err, src)
	}
	data, err := config.ParseData("steps", []byte("steps: "+yamlOf(steps, "")+"\nreturn: "+result))
	if err != nil {
		t.Fatal(err)
	}
	var plain struct {
		Steps  []any  `json:"steps"`
		Return string `json:"return"`
	}
	if err := json.Unmarshal(data.JSON(), &plain); err != nil {
		t.Fatal(err)
	}
	whole, err := value.Decode(data.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return &randomPlan{project, plain.Steps, plain.Return, src, whole}
}

// request is the plan as a client sends it.
func (r *randomPlan) request(t *testing.T) value.Value {
	t.Helper()
	src, err := json.Marshal(map[string]any{"steps": r.steps, "return": r.result})
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Decode(src)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Random plans are not refused, and have the values of the interpreter.
func TestRandomPlansHaveTheirValues(t *testing.T) {
	count, done := thorough.Times(15, 600), 0
	for i := uint64(0); done < count && i < 5_000; i++ {
		r := newRandomPlan(t, defaultSeed, i)
		if r == nil {
			continue
		}
		args := r.whole
		g, err := r.project.Plan.Compile(t.Context(), args, upTools{})
		if err != nil && isNoGoodPlan(err.Error()) {
			continue
		}
		done++
		if err != nil {
			t.Fatalf("program %d: %v\n%s", i, err, r.source)
		}
		none, err := value.Decode([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_, want, failed := interpret(t.Context(), r.project.File, "planned", none, answer)
		var got engineRun
		synctest.Test(t, func(t *testing.T) {
			got = runEngine(t.Context(), g, args, i, execution.WithSequentialParts())
		})
		switch {
		case failed != nil && failed.open():
		case (failed == nil) != (got.failed == nil):
			t.Errorf("program %d: the interpreter says %v, the engine %v\n%s", i, failed, got.failed, r.source)
		case failed == nil && textOf(want) != textOf(got.value):
			t.Errorf("program %d: %s, want %s\n%s", i, textOf(got.value), textOf(want), r.source)
		}
	}
	if done < count {
		t.Errorf("%d plans", done)
	}
}

// isNoGoodPlan reports whether a random plan is refused for what it reads or sends by chance: what cannot be there, what a
// tool does not take, a step more than its limit, or a change whose failure is skipped.
func isNoGoodPlan(refusal string) bool {
	count := 0
	for _, code := range []string{"impossible-path", "argument-refused", "limit-too-low", "skip-hides-write"} {
		count += strings.Count(refusal, " ["+code+"]")
	}
	return strings.Count(refusal, "\n") == count
}

// faulty makes a step, or a change of the whole plan, with one fault: at is the path of the fault within the step.
type faulty struct {
	name string
	step func(r *rand.Rand, id, above, below string) (step map[string]any, at string)
}

func callOf(id string, more ...any) map[string]any {
	s := map[string]any{"id": id, "call": "up.typed", "args": map[string]any{"path": "x"}}
	for i := 0; i < len(more); i += 2 {
		s[more[i].(string)] = more[i+1]
	}
	return s
}

func fixed(step map[string]any, at string) func(*rand.Rand, string, string, string) (map[string]any, string) {
	return func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		one := map[string]any{"id": id}
		for key, v := range step {
			one[key] = v
		}
		return one, at
	}
}

func expr(source string) map[string]any { return map[string]any{"expr": source} }

// faults are the kinds of faults that are known before a call.
var faults = []faulty{
	{"reads below", func(_ *rand.Rand, id, _, below string) (map[string]any, string) {
		return map[string]any{"id": id, "expr": below}, ".expr"
	}},
	{"reads itself", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		return callOf(id, "args", map[string]any{"path": expr(id + ".files[0].name")}), ".args.path"
	}},
	{"misspelt step", func(_ *rand.Rand, id, above, _ string) (map[string]any, string) {
		return map[string]any{"id": id, "expr": "$count(" + above + "x)"}, ".expr"
	}},
	{"misspelt in if", func(_ *rand.Rand, id, above, _ string) (map[string]any, string) {
		return callOf(id, "if", "q"+above), ".if"
	}},
	{"misspelt in each", func(_ *rand.Rand, id, above, _ string) (map[string]any, string) {
		return callOf(id, "each", above+"y.list"), ".each"
	}},
	{"a step of a block", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		return map[string]any{"id": id, "steps": []any{map[string]any{"id": id + "b", "steps": []any{map[string]any{"id": id + "i", "expr": "1"}}}, map[string]any{"id": id + "o", "expr": id + "i"}}}, ".steps[1].expr"
	}},
	{"after below", func(_ *rand.Rand, id, _, below string) (map[string]any, string) {
		return callOf(id, "after", []any{below}), ".after[0]"
	}},
	{"after unknown", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		return callOf(id, "after", []any{"nowhere"}), ".after[0]"
	}},
	{"unknown tool", fixed(map[string]any{"call": "up.typo", "args": map[string]any{}}, ".call")},
	{"unknown server", fixed(map[string]any{"call": "down.typed"}, ".call")},
	{"unknown tool of the file", fixed(map[string]any{"call": "nowhere"}, ".call")},
	{"run_plan itself", fixed(map[string]any{"call": "run_plan"}, ".call")},
	{"missing argument", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"n": 1}}, ".args.path")},
	{"text for an integer", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x", "n": "one"}}, ".args.n")},
	{"number for a text", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": 7}}, ".args.path")},
	{"computed number for a text", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": expr("1 + 1")}}, ".args.path")},
	{"outside of an enum", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x", "kind": "c"}}, ".args.kind")},
	{"unknown argument", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x", "depth": 1}}, ".args.depth")},
	{"impossible path", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		return map[string]any{"id": id, "steps": []any{callOf(id + "t"), map[string]any{"id": id + "e", "expr": id + "t.filez"}}}, ".steps[1].expr"
	}},
	{"impossible path of an item", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		return map[string]any{"id": id, "steps": []any{callOf(id + "t"), callOf(id+"e", "each", id+"t.files", "args", map[string]any{"path": expr("$item.size")})}}, ".steps[1].args.path"
	}},
	{"misspelt key", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "onErorr": "skip"}, ".onErorr")},
	{"key of another kind", fixed(map[string]any{"expr": "1", "timeoutMs": 100}, ".timeoutMs")},
	{"two kinds", fixed(map[string]any{"expr": "1", "call": "up.typed", "args": map[string]any{"path": "x"}}, ".expr")},
	{"no kind", fixed(map[string]any{"if": "true"}, "")},
	{"until without each", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "until": "true"}, ".until")},
	{"until and maxParallel", fixed(map[string]any{"each": "[1]", "call": "up.typed", "args": map[string]any{"path": "x"}, "until": "$item = 1", "maxParallel": 2}, ".maxParallel")},
	{"repeat without until", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "repeat": map[string]any{"times": 2}}, ".repeat")},
	{"times beyond its range", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "repeat": map[string]any{"until": "true", "times": 2000}}, ".repeat.times")},
	{"maxParallel beyond its range", fixed(map[string]any{"each": "[1]", "call": "up.typed", "args": map[string]any{"path": expr("$string($item)")}, "maxParallel": 300}, ".maxParallel")},
	{"syntax", fixed(map[string]any{"expr": "(1 + "}, ".expr")},
	{"syntax in args", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": expr("'a' & ")}}, ".args.path")},
	{"unknown function", fixed(map[string]any{"expr": "$cuont([1])"}, ".expr")},
	{"number of arguments", fixed(map[string]any{"expr": "$substring()"}, ".expr")},
	{"unbound variable", fixed(map[string]any{"expr": "$item.name"}, ".expr")},
	{"effect", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "effect": "read"}, ".effect")},
	{"confirm in a block", fixed(map[string]any{"steps": []any{map[string]any{"id": "zi", "call": "up.typed", "args": map[string]any{"path": "x"}, "confirm": false}}}, ".steps[0].confirm")},
	{"retry.codes", fixed(map[string]any{"call": "up.typed", "args": map[string]any{"path": "x"}, "retry": map[string]any{"codes": []any{"timeout"}}}, ".retry.codes")},
	{"ask", fixed(map[string]any{"ask": map[string]any{"message": "?"}}, ".ask")},
	{"a reserved id", func(r *rand.Rand, _, _, _ string) (map[string]any, string) {
		return map[string]any{"id": []string{"args", "and", "or", "in", "true", "null"}[r.IntN(6)], "expr": "1"}, ".id"
	}},
	{"a taken id", func(_ *rand.Rand, _, above, _ string) (map[string]any, string) {
		return map[string]any{"id": above, "expr": "1"}, ".id"
	}},
	{"an id that is no name", fixed(map[string]any{"id": "a b", "expr": "1"}, ".id")},
	{"nested too deep", func(_ *rand.Rand, id, _, _ string) (map[string]any, string) {
		at, s := "", map[string]any{"id": id + "x", "expr": "1"}
		for i := range 10 {
			s = map[string]any{"id": fmt.Sprintf("%s%d", id, i), "steps": []any{s}}
			if i > 1 {
				at += ".steps[0]"
			}
		}
		return s, at
	}},
	{"steps of a block that are none", fixed(map[string]any{"steps": "none"}, ".steps")},
	{"an empty block", fixed(map[string]any{"steps": []any{}}, ".steps")},
}

// seed puts a fault into a plan: in the list of the plan, or of a block whose item or turn it does not change. It returns the
// path where it has to be found.
func (r *randomPlan) seed(rnd *rand.Rand, f faulty, n int) string {
	list, path := r.steps, "steps"
	k := 1 + rnd.IntN(len(list)-1) // one above, one below
	above, _ := list[k-1].(map[string]any)["id"].(string)
	below, _ := list[k].(map[string]any)["id"].(string)
	step, at := f.step(rnd, fmt.Sprintf("zz%d", n), above, below)
	r.steps = slices.Insert(slices.Clone(list), k, any(step))
	return fmt.Sprintf("%s[%d]%s", path, k, at)
}

// Faults that are known before a call are all found at their paths, one by one and two in a plan.
func TestFaultsOfRandomPlans(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	want, one, two, i := thorough.Times(len(faults), 8*len(faults)), 0, 0, uint64(0)
	next := func() *randomPlan {
		for {
			i++
			if r := newRandomPlan(t, defaultSeed+1, i); r != nil && len(r.steps) > 2 {
				return r
			}
		}
	}
	check := func(r *randomPlan, kinds []string, paths []string) {
		_, err := r.project.Plan.Compile(t.Context(), r.request(t), upTools{})
		if err == nil {
			t.Errorf("%v at %v is not refused", kinds, paths)
			return
		}
		for k, path := range paths {
			if !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool { return strings.HasPrefix(line, path+": ") }) {
				t.Errorf("%s is not found at %s:\n%v", kinds[k], path, err)
			}
		}
		if digits := regexp.MustCompile(`\b\d+:\d+\b`).FindString(err.Error()); digits != "" {
			t.Errorf("a place that is no path, %s: %v", digits, err)
		}
		if os.Getenv("PLANS_SHOW") != "" {
			t.Logf("%v %v\n%v", kinds, paths, err)
		}
	}
	for ; one < want; one++ {
		f, r := faults[one%len(faults)], next()
		check(r, []string{f.name}, []string{r.seed(rnd, f, 0)})
	}
	for ; two < want; two++ {
		f, g, r := faults[two%len(faults)], faults[rnd.IntN(len(faults))], next()
		first := r.seed(rnd, f, 0)
		second := r.seed(rnd, g, 1)
		// the second may have moved the first
		var at, moved int
		fmt.Sscanf(second, "steps[%d]", &at)
		fmt.Sscanf(first, "steps[%d]", &moved)
		if at <= moved {
			first = strings.Replace(first, fmt.Sprintf("steps[%d]", moved), fmt.Sprintf("steps[%d]", moved+1), 1)
		}
		check(r, []string{f.name, g.name}, []string{first, second})
	}
}
