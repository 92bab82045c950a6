package habit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

func decode(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// trace makes the calls of a job: SERVER.TOOL, arguments, answer.
func trace(t *testing.T, calls ...[3]string) Job {
	t.Helper()
	var j Job
	for i, c := range calls {
		server, tool, _ := strings.Cut(c[0], ".")
		j.Calls = append(j.Calls, &Call{Server: server, Tool: tool, Args: decode(t, c[1]), Result: decode(t, c[2]), Asked: 2*i + 1, Answered: 2*i + 2})
	}
	return j
}

func made(t *testing.T, jobs ...Job) (*Draft, string) {
	t.Helper()
	d, err := New(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	src, err := config.Format("the draft", d.Tool("job", ""), d.Notes)
	if err != nil {
		t.Fatal(err)
	}
	return d, string(src)
}

// jsonText is a text as JSON.
func jsonText(text string) string { return string(value.AppendString(nil, text)) }

// A search that answers with lines, and 62 reads: two steps.
func TestSearchAndReads(t *testing.T) {
	t.Parallel()
	var lines []string
	calls := [][3]string{{"fs.search_files", `{"path": "/w", "pattern": "*.md"}`, ""}}
	for i := range 62 {
		path := fmt.Sprintf("/w/notes/%d/page-%d.md", i%7, i)
		lines = append(lines, path)
		calls = append(calls, [3]string{"fs.read_text_file", fmt.Sprintf(`{"path": %q}`, path), fmt.Sprintf(`"# Page %d\n"`, i)})
	}
	calls[0][2] = jsonText(strings.Join(lines, "\n"))
	d, src := made(t, trace(t, calls...))
	if d.Reproduced() != 1 || len(d.Steps.Items) != 2 || len(d.Todos) != 0 {
		t.Errorf("%d steps, %d TODOs, %v\n%s", len(d.Steps.Items), len(d.Todos), d.Parts, src)
	}
}

// A log, 20 shows, and an entity that the agent worked out: three steps with one TODO.
func TestLogShowsAndCreate(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	calls := [][3]string{{"git.git_log", `{"max_count": 20}`, ""}}
	for i := range 20 {
		hash := fmt.Sprintf("%07x", 0xabcde12+i*7919)
		fmt.Fprintf(&log, "Commit: %s\nAuthor: someone\nMessage: change %d\n\n", hash, i)
		calls = append(calls, [3]string{"git.git_show", fmt.Sprintf(`{"revision": %q}`, hash), fmt.Sprintf(`"%d files changed, +%d -%d"`, i, i*3, i)})
	}
	calls[0][2] = jsonText(log.String())
	calls = append(calls, [3]string{"memory.create_entities", `{"entities": [{"name": "churn", "observations": ["190 files changed in 20 commits", "570 lines were added"]}]}`, `"ok"`})
	d, src := made(t, trace(t, calls...))
	if d.Reproduced() != 1 || len(d.Steps.Items) != 3 || len(d.Todos) != 1 {
		t.Errorf("%d steps, %d TODOs, %v\n%s", len(d.Steps.Items), len(d.Todos), d.Parts, src)
	}
}

// Three reads and a write that the agent computed: steps with one TODO.
func TestReadsAndWrite(t *testing.T) {
	t.Parallel()
	d, src := made(t, trace(t,
		[3]string{"fs.read_text_file", `{"path": "package.json"}`, `{"version": "1.4.0", "name": "shop"}`},
		[3]string{"fs.read_text_file", `{"path": "CHANGELOG.md"}`, `"## 1.4.0\n\n* the first thing\n* the second thing\n"`},
		[3]string{"git.git_status", `{"repo": "."}`, `"On branch main\nnothing to commit"`},
		[3]string{"fs.write_file", `{"path": "RELEASE.md", "content": "# shop 1.4.0\n\nThis version has the first thing and the second thing, and nothing is left to commit.\n"}`, `"ok"`}))
	if d.Reproduced() != 1 || len(d.Todos) != 1 || d.Todos[0].Argument != "content" || len(d.Steps.Items) > 4 {
		t.Errorf("%d steps, %v, %v\n%s", len(d.Steps.Items), d.Todos, d.Parts, src)
	}
}

// What is written for the argument x of the last call, or for the repetition.
func TestForms(t *testing.T) {
	t.Parallel()
	list := `{"items": [{"id": "a-10", "open": true, "size": 4}, {"id": "b-20", "open": false, "size": 90}, {"id": "c-30", "open": true, "size": 7}]}`
	get := func(id string) [3]string { return [3]string{"s.get", fmt.Sprintf(`{"x": %q}`, id), `1`} }
	for name, c := range map[string]struct {
		jobs []Job
		want []string
	}{
		"all entries":        {[]Job{trace(t, [3]string{"s.list", `{}`, list}, get("a-10"), get("b-20"), get("c-30"))}, []string{"each: list.items", "x: {expr: $item.id}"}},
		"those with a value": {[]Job{trace(t, [3]string{"s.list", `{}`, list}, get("a-10"), get("c-30"))}, []string{"each: (list.items)[open = true]"}},
		"those below a number": {
			[]Job{trace(t, [3]string{"s.list", `{}`, strings.ReplaceAll(list, `"open": false`, `"open": true`)}, get("a-10"), get("c-30"))},
			[]string{"each: (list.items)[size < 90]"},
		},
		"lines with a mark": {
			[]Job{trace(t, [3]string{"s.list", `{}`, `"[DIR] src\n[FILE] main.go\n[FILE] util.go\n[DIR] docs"`}, get("main.go"), get("util.go"))},
			[]string{`[$contains($, "[FILE] ")]`, `x: {expr: '$substringAfter($item, "[FILE] ")'}`},
		},
		"what a pattern finds in prose": {
			[]Job{trace(t, [3]string{"s.list", `{}`, `"We saw T-17 first, then T-230; T-5 came later."`}, get("T-17"), get("T-230"), get("T-5"))},
			[]string{`each: $match(list, /(T\-\d+)/).groups[0]`, "x: {expr: $item}"},
		},
		"joined to a path": {
			[]Job{trace(t, [3]string{"s.list", `{"dir": "/srv/data"}`, `["x.csv", "y.csv"]`}, get("/srv/data/x.csv"), get("/srv/data/y.csv"))},
			[]string{`x: {expr: args.dir & "/" & $item}`},
		},
		"pages by a cursor": {
			[]Job{trace(
				t, [3]string{"s.list", `{"n": 2}`, `{"rows": [1, 2], "next": "k1-aaaa"}`}, [3]string{"s.list", `{"n": 2, "after": "k1-aaaa"}`, `{"rows": [3, 4], "next": "k2-bbbb"}`},
				[3]string{"s.list", `{"n": 2, "after": "k2-bbbb"}`, `{"rows": [5]}`},
			)},
			[]string{"after: {expr: $previous.next}", "until: $not($exists($result.next))"},
		},
		"pages by number": {
			[]Job{trace(
				t, [3]string{"s.list", `{"page": 1}`, `{"rows": [1, 2], "more": true}`}, [3]string{"s.list", `{"page": 2}`, `{"rows": [3, 4], "more": true}`},
				[3]string{"s.list", `{"page": 3}`, `{"rows": [5], "more": false}`},
			)},
			[]string{"page: {expr: $n}", "until: $result.more = false"},
		},
		"several calls for each entry": {
			[]Job{trace(
				t, [3]string{"s.list", `{}`, `["repo-a", "repo-b"]`}, [3]string{"s.open", `{"repo": "repo-a"}`, `{"id": "id-aaa"}`}, get("id-aaa"),
				[3]string{"s.open", `{"repo": "repo-b"}`, `{"id": "id-bbb"}`}, get("id-bbb"),
			)},
			[]string{"each: list", "repo: {expr: $item}", "x: {expr: open.id}"},
		},
		"the same in all jobs, and different": {
			[]Job{trace(t, [3]string{"s.get", `{"x": "first", "limit": 50}`, `1`}), trace(t, [3]string{"s.get", `{"x": "second", "limit": 50}`, `1`})},
			[]string{"x: {expr: args.x}", "limit: 50"},
		},
		"a part of a text in all jobs": {
			[]Job{
				trace(t, [3]string{"s.list", `{"q": "one"}`, `"Order: AB-77 (paid)"`}, get("AB-77")), trace(t, [3]string{"s.list", `{"q": "two"}`, `"Order: CDE-8 (open)"`}, get("CDE-8")),
			},
			[]string{`x: {expr: '$substringBefore($substringAfter(list, "Order: "), " ")'}`},
		},
		"an entry by what the user named": {
			[]Job{
				trace(t, [3]string{"s.find", `{"name": "beta"}`, `{"all": [{"name": "alpha", "id": "id-111"}, {"name": "beta", "id": "id-222"}]}`}, get("id-222")),
				trace(t, [3]string{"s.find", `{"name": "gamma"}`, `{"all": [{"name": "gamma", "id": "id-333"}, {"name": "beta", "id": "id-222"}]}`}, get("id-333")),
			},
			[]string{`x: {expr: "find.all[name = $$.args.name].id"}`},
		},
		"a number in a text, and a count": {
			[]Job{trace(t, [3]string{"s.list", `{}`, `{"rows": ["r-1", "r-2", "r-3", "r-4", "r-5", "r-6", "r-7", "r-8", "r-9", "r-10", "r-11"], "note": "port: 8443;"}`}, [3]string{"s.set", `{"x": 8443, "n": 11}`, `1`})},
			[]string{`x: {expr: '$number($substringBefore($substringAfter(list.note, "port: "), ";"))'}`, "n\": {expr: $count(list.rows)}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, src := made(t, c.jobs...)
			for _, want := range c.want {
				if !strings.Contains(src, want) {
					t.Errorf("expected %s", want)
				}
			}
			if d.Reproduced() != len(c.jobs) || t.Failed() {
				t.Errorf("%v\n%s", d.Parts, src)
			}
		})
	}
}

// Where the list that was gone through cannot be known, it is an argument, and a TODO when the entries were read before.
func TestChosenEntries(t *testing.T) {
	t.Parallel()
	d, src := made(t, trace(
		t, [3]string{"s.list", `{}`, `{"a": "k-71", "b": {"c": "k-72"}, "d": "k-73", "e": "k-74", "f": "k-75", "g": "k-76"}`}, [3]string{"s.get", `{"x": "k-75"}`, `1`},
		[3]string{"s.get", `{"x": "k-71"}`, `1`}, [3]string{"s.get", `{"x": "k-73"}`, `1`}, [3]string{"s.get", `{"x": "k-72"}`, `1`}, [3]string{"s.get", `{"x": "k-76"}`, `1`}, [3]string{"s.get", `{"x": "k-74"}`, `1`},
	))
	if d.Reproduced() != 1 || len(d.Todos) != 1 || !strings.Contains(src, "each: args.xs") {
		t.Errorf("%v %v\n%s", d.Parts, d.Todos, src)
	}
}

// A value that was not known when the call was made is not read: calls of one message are asked at one moment.
func TestSameMoment(t *testing.T) {
	t.Parallel()
	j := trace(t, [3]string{"s.a", `{"q": "one"}`, `"alpha-1"`}, [3]string{"s.b", `{"x": "alpha-1"}`, `1`})
	j.Calls[0].Asked, j.Calls[0].Answered, j.Calls[1].Asked, j.Calls[1].Answered = 1, 2, 1, 2
	if _, src := made(t, j); !strings.Contains(src, "x: {expr: args.x}") {
		t.Error(src)
	}
}

// Calls that failed, and equal ones, are left out; a job of another shape is, too.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	one := trace(t, [3]string{"s.a", `{"q": "one"}`, `"x"`}, [3]string{"s.a", `{"q": "one"}`, `"x"`}, [3]string{"s.b", `{}`, `1`})
	one.Calls[2].Failed = true
	d, _ := made(t, one, trace(t, [3]string{"s.a", `{"q": "two"}`, `"y"`}), trace(t, [3]string{"s.c", `{}`, `1`}))
	if len(d.Jobs) != 2 || len(d.Left) != 3 || len(d.Steps.Items) != 1 {
		t.Errorf("%d jobs, %q", len(d.Jobs), d.Left)
	}
	if _, err := New(t.Context(), []Job{{}}); err == nil {
		t.Error("a job without calls has a draft")
	}
}

// A secret is an argument, by its name or its form; it is nowhere in the draft, its test and its description.
func TestSecretsOfADraft(t *testing.T) {
	t.Parallel()
	const byName, byForm = "correct horse battery", "ghp_0123456789abcdefABCDEF0123456789abcd"
	job := func(q string) Job {
		return trace(t, [3]string{"s.login", fmt.Sprintf(`{"password": %q, "q": %q}`, byName, q), fmt.Sprintf(`{"note": "use %s for it"}`, byForm)},
			[3]string{"s.get", fmt.Sprintf(`{"header": "Bearer %s", "q": %q}`, byForm, q), `1`})
	}
	jobs := []Job{job("first thing"), job("second thing")}
	d, src := made(t, jobs...)
	test, cassette, err := d.Test(1, "job", "again")
	if err != nil {
		t.Fatal(err)
	}
	views, err := Views([]Suggestion{{Habit: Habit{Chain: d.Chain}, Draft: d}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := src + string(test) + string(cassette) + fmt.Sprintf("%s %v", views[0].Tool, views)
	for _, secret := range []string{byName, byForm} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is written:\n%s", secret, all)
		}
	}
	if d.Reproduced() != 2 || !slices.ContainsFunc(d.Inputs, func(in *Input) bool { return in.Secret }) {
		t.Errorf("%v\n%s", d.Parts, src)
	}
}

// Plans that differ in literals become a tool with their steps; one in an expression is what the arguments give.
func TestPlansOfOneShape(t *testing.T) {
	t.Parallel()
	var jobs []Job
	var requests []value.Value
	for _, day := range []string{"mon", "tue"} {
		requests = append(requests, decode(t, fmt.Sprintf(`{"steps": [{"id": "found", "call": "s.list", "args": {"dir": %q, "n": 5}},
			{"id": "texts", "each": "found", "call": "s.get", "args": {"x": {"expr": "\"%s/\" & $item"}}}], "return": "$count(texts)"}`, day, day)))
		jobs = append(jobs, trace(t, [3]string{"s.list", fmt.Sprintf(`{"dir": %q, "n": 5}`, day), `["p", "q"]`}, [3]string{"s.get", fmt.Sprintf(`{"x": "%s/p"}`, day), `1`},
			[3]string{"s.get", fmt.Sprintf(`{"x": "%s/q"}`, day), `1`}))
	}
	d := ofPlans(t.Context(), jobs, requests)
	if d == nil {
		t.Fatal("there is no draft")
	}
	src, err := config.Format("the draft", d.Tool("job", ""), nil)
	if err != nil || d.Reproduced() != 2 {
		t.Fatal(err, d.Parts)
	}
	for _, want := range []string{"dir: {expr: args.dir}", "n\": 5", `x: {expr: (args.dir & "/") & $item}`, "return: $count(texts)"} {
		if !strings.Contains(string(src), want) {
			t.Errorf("expected %s\n%s", want, src)
		}
	}
	if requests[1] = decode(t, `{"steps": [{"id": "found", "call": "s.list", "args": {"dir": "tue"}}]}`); ofPlans(t.Context(), jobs, requests) != nil {
		t.Error("plans of two shapes have a draft")
	}
}

// Where the calls of one job were made at once, a value is not read, though another job would allow it.
func TestSameMomentInOneJob(t *testing.T) {
	t.Parallel()
	job := func(id string) Job {
		return trace(t, [3]string{"s.a", `{"q": "one"}`, jsonText(id)}, [3]string{"s.b", fmt.Sprintf(`{"x": %q}`, id), `1`})
	}
	jobs := []Job{job("alpha-1"), job("beta-22")}
	jobs[1].Calls[0].Asked, jobs[1].Calls[0].Answered, jobs[1].Calls[1].Asked, jobs[1].Calls[1].Answered = 1, 2, 1, 2
	if _, src := made(t, jobs...); !strings.Contains(src, "x: {expr: args.x}") {
		t.Error(src)
	}
}

// A draft that makes other calls than the job, or fewer, does not reproduce it.
func TestPartsFromTheJob(t *testing.T) {
	t.Parallel()
	d, _ := made(t, trace(t, [3]string{"s.a", `{"q": "one"}`, `1`}))
	more := trace(t, [3]string{"s.a", `{"q": "one"}`, `1`}, [3]string{"s.b", `{}`, `1`})
	other := trace(t, [3]string{"s.a", `{"q": "two"}`, `1`})
	d.Jobs, d.Args = []Job{d.Jobs[0], more, other}, []value.Value{d.Args[0], d.Args[0], d.Args[0]}
	errs := d.verify(t.Context())
	if errs[0] != nil || errs[1] == nil || !strings.Contains(errs[1].Error(), "does not make the call of s.b") || errs[2] == nil {
		t.Errorf("%v", errs)
	}
}

// Pages that were not read to the end are no repetition until the end.
func TestPagesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	d, src := made(t, trace(t, [3]string{"s.list", `{}`, `{"rows": [1, 2], "next": "k1-aaaa"}`}, [3]string{"s.list", `{"after": "k1-aaaa"}`, `{"rows": [3, 4], "next": "k2-bbbb"}`}))
	if d.Reproduced() != 1 || strings.Contains(src, "repeat") {
		t.Errorf("%v\n%s", d.Parts, src)
	}
}

// A text that joins a secret and a value of an answer is no expression with the secret in it.
func TestSecretInAJoinedText(t *testing.T) {
	t.Parallel()
	const secret = "ghp_0123456789abcdefABCDEF0123456789abcd"
	d, src := made(t, trace(t, [3]string{"s.a", `{}`, `{"id": "ticket-417"}`}, [3]string{"s.b", fmt.Sprintf(`{"x": "ticket-417/%s"}`, secret), `1`}))
	if strings.Contains(src, secret) || d.Reproduced() != 1 {
		t.Errorf("%v\n%s", d.Parts, src)
	}
}

// fixed gives the same jobs for all habits.
type fixed struct {
	jobs     []Job
	requests []value.Value
}

func (f fixed) Jobs(context.Context, [][]Ref) ([]Job, []value.Value, error) {
	return f.jobs, f.requests, nil
}

// A habit of plans becomes the tool that has their steps and their return; calls that are not those of the plans do not.
func TestSuggestPlans(t *testing.T) {
	t.Parallel()
	var f fixed
	for _, q := range []string{"one", "two"} {
		f.requests = append(f.requests, decode(t, fmt.Sprintf(`{"steps": [{"id": "a", "call": "s.a", "args": {"q": %q}}], "return": "a + 1"}`, q)))
		f.jobs = append(f.jobs, trace(t, [3]string{"s.a", fmt.Sprintf(`{"q": %q}`, q), `1`}))
	}
	habits := []Habit{{Chain: []string{"s.a"}, Occurrences: [][]Ref{{}, {}}}}
	all, err := Suggest(t.Context(), habits, f)
	if err != nil || all[0].Draft == nil || all[0].Draft.Return == nil || all[0].Draft.Reproduced() != 2 {
		t.Fatalf("%v: %+v", err, all)
	}
	f.jobs[1] = trace(t, [3]string{"s.a", `{"q": "three"}`, `1`})
	if ofPlans(t.Context(), f.jobs, f.requests) != nil {
		t.Error("a plan is the draft of calls that it does not make")
	}
}
