package plan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/serving/plan"
	"toolgraph/internal/serving/server"
)

var noWatch server.Watch

// effects are believed: list and read only read, save writes.
func effects(_ context.Context, _, tool string) config.Effect {
	if tool == "save" {
		return config.WriteEffect
	}
	return config.ReadEffect
}

func beliefs(ctx context.Context) plan.Beliefs {
	return plan.Beliefs{
		Effect: func(server, tool string) config.Effect { return effects(ctx, server, tool) },
		Inside: func(string, string) bool { return false },
	}
}

// user answers questions.
type user struct {
	mu    sync.Mutex
	asked []string
	says  func(execution.Question) execution.Action // nil: accept
	sees  func()
}

func (u *user) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, q.Message)
	if u.sees != nil {
		u.sees()
	}
	if u.says != nil {
		return execution.Answer{Action: u.says(q)}, nil
	}
	return execution.Answer{Action: execution.Accept}, nil
}

// run runs a plan with a user.
func run(t testing.TB, src, text string, u *upstream, who *user, more ...execution.Option) (*execution.Result, error) {
	t.Helper()
	p := loaded(t, src)
	args := parsed(t, text)
	g, err := p.Plan.Compile(t.Context(), args, &offers{})
	if err != nil {
		t.Fatal(err)
	}
	options := []execution.Option{
		execution.WithUser(who), execution.WithEffects(effects),
		execution.WithReads(func(ctx context.Context, server, tool string) bool {
			return effects(ctx, server, tool) == config.ReadEffect
		}),
	}
	return execution.New(u).Run(t.Context(), g, args, append(options, more...)...)
}

// W06: one question is about all calls whose arguments are known; one whose arguments come later is asked about with them.
func TestW06OneQuestionForKnownCalls(t *testing.T) {
	who, u := &user{}, &upstream{}
	_, err := run(t, file(usual), `{"steps":[
		{"id":"files","call":"s.list","args":{"path":"x"}},
		{"id":"one","call":"s.save","args":{"value":{"expr":"files.files[0].name"}}},
		{"id":"two","call":"mail.save","args":{"value":{"expr":"$count(files.files)"}}},
		{"id":"all","each":"files.files","as":"f","call":"s.save","args":{"value":{"expr":"$f.name"}}},
		{"id":"block","steps":[{"id":"i","call":"s.save","args":{"value":"inner"}},{"id":"after","call":"s.save","args":{"value":{"expr":"i"}}}]},
		{"id":"skipped","if":"files.files = 1","call":"s.save","args":{"value":"never"}},
		{"id":"later","call":"s.save","args":{"value":{"expr":"one & \"!\""}}}
	]}`, u, who)
	if err != nil {
		t.Fatal(err)
	}
	if len(who.asked) != 2 {
		t.Fatalf("%d questions:\n%s", len(who.asked), strings.Join(who.asked, "\n---\n"))
	}
	want := `A plan of the client is about to make 5 calls:
1. step one: s.save (effect: write) {"value":"a"}
   value is computed from step files (s)
2. step two: mail.save (effect: write) {"value":2}
   value is computed from step files (s)
3. step all: s.save (effect: write), 2 times:
   {"value":"a"}
   {"value":"b"}
   value is computed from step files (s)
4. step block.i: s.save (effect: write) {"value":"inner"}
Allow these calls?`
	if who.asked[0] != want {
		t.Errorf("%s\nwant\n%s", who.asked[0], want)
	}
	if !strings.Contains(who.asked[1], `step block.after: s.save (effect: write) {"value":"saved"}`) || !strings.Contains(who.asked[1], `step later: s.save (effect: write) {"value":"saved!"}`) {
		t.Error(who.asked[1])
	}
	if len(u.calls) != 8 {
		t.Errorf("%v", u.calls)
	}
}

// W06: declined calls are not made; a user who cannot be asked refuses them.
func TestW06Declined(t *testing.T) {
	who, u := &user{says: func(execution.Question) execution.Action { return execution.Decline }}, &upstream{}
	_, err := run(t, file(usual), `{"steps":[{"id":"a","call":"s.save","args":{"value":1}},{"id":"b","call":"s.save","args":{"value":2}}]}`, u, who)
	if err == nil || !strings.Contains(err.Error(), "the user declined") || len(u.calls) != 0 || len(who.asked) != 1 {
		t.Errorf("%v %v %v", err, u.calls, who.asked)
	}
	// a failure that is taken: the calls of the same answer fail, too, and nothing is asked again
	who.asked = nil
	_, err = run(t, file(usual), `{"steps":[{"id":"a","call":"s.save","args":{"value":1},"onError":{"codes":["declined"],"value":0}},{"id":"b","call":"s.save","args":{"value":2},"onError":{"codes":["declined"],"value":0}}]}`, u, who)
	if err != nil || len(u.calls) != 0 || len(who.asked) != 1 {
		t.Errorf("%v %v %v", err, u.calls, who.asked)
	}
	p := loaded(t, file(usual))
	g, got := refusal(t, p, `{"steps":[{"id":"a","call":"s.list","args":{"path":"x"}},{"id":"b","call":"s.save","args":{"value":2}}]}`)
	if got != "" {
		t.Fatal(got)
	}
	err = plan.Unanswerable(g, beliefs(t.Context()), errors.New("the host cannot ask its user"))
	if err == nil || !strings.Contains(err.Error(), `nothing was called: step "b" calls s.save, which has the effect write, so the user has to agree, and the host cannot ask its user`) ||
		!strings.Contains(err.Error(), "plan: {confirm: […]}") {
		t.Error(err)
	}
	reads, _ := refusal(t, p, `{"steps":[{"id":"a","call":"s.list","args":{"path":"x"}}]}`)
	if err := plan.Unanswerable(reads, beliefs(t.Context()), errors.New("no")); err != nil {
		t.Error(err)
	}
}

// No call that needs agreement starts before the first of them has been asked about, and that one waits for all above: also
// one that only reads, and could start earlier.
func TestFirstQuestionWaitsForAllAbove(t *testing.T) {
	u := &upstream{}
	who := &user{}
	var before []string
	who.sees = func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if before == nil {
			before = append([]string{}, u.calls...)
		}
	}
	unknown := execution.WithEffects(func(_ context.Context, server, _ string) config.Effect {
		if server == "mail" {
			return "" // and so it is asked about
		}
		return config.ReadEffect
	})
	_, err := run(t, file(usual), `{"steps":[
		{"id":"a","call":"s.read","args":{"name":"x"}},
		{"id":"b","call":"s.read","args":{"name":"y"},"after":["a"]},
		{"id":"c","call":"mail.read","args":{"name":"1"}},
		{"id":"d","call":"mail.read","args":{"name":"2"}}
	]}`, u, who, unknown)
	if err != nil || len(who.asked) != 1 || len(before) != 2 {
		t.Errorf("%v; asked %v after %v", err, who.asked, before)
	}
}

// A tool of the file has the worst effect of its calls, and is asked about as one call.
func TestToolOfTheFileIsAskedAbout(t *testing.T) {
	who, u := &user{}, &upstream{}
	_, err := run(t, file(usual), `{"steps":[{"id":"g","call":"greet","args":{"name":"x"}},{"id":"a","call":"stores"}]}`, u, who)
	if err != nil || len(who.asked) != 1 || !strings.Contains(who.asked[0], "step a: stores (effect: write) {}") || len(u.calls) != 1 {
		t.Errorf("%v %v %v", err, who.asked, u.calls)
	}
	who.says = func(execution.Question) execution.Action { return execution.Decline }
	u.calls = nil
	if _, err = run(t, file(usual), `{"steps":[{"id":"a","call":"stores"}]}`, u, who); err == nil || len(u.calls) != 0 {
		t.Errorf("%v %v", err, u.calls)
	}
}

// Effects that plans must not have are refused, before the first call and at it.
func TestEffectsOfPlans(t *testing.T) {
	src := file(`plan: {calls: ["s.*"], effects: [read]}`)
	p := loaded(t, src)
	for _, steps := range []string{`[{"id":"r","call":"s.list","args":{"path":"x"}},{"id":"a","call":"s.save","args":{"value":1}}]`, `[{"id":"a","call":"stores"}]`} {
		g, got := refusal(t, p, `{"steps":`+steps+`}`)
		if got != "" {
			t.Fatal(got)
		}
		if err := plan.Permitted(g, beliefs(t.Context())); err == nil || !strings.Contains(err.Error(), "plans may not do that") {
			t.Error(err)
		}
		u := &upstream{}
		_, err := run(t, src, `{"steps":`+steps+`}`, u, &user{})
		if err == nil || !strings.Contains(err.Error(), "which plans must not have") || strings.Contains(fmt.Sprint(u.calls), "save") {
			t.Errorf("%v %v", err, u.calls)
		}
	}
}

// W13: data of one server that reaches another is asked about, however it gets there.
func TestW13Flows(t *testing.T) {
	src := file(`plan: {calls: ["s.*", "mail.*"], confirm: [], flows: ask}`)
	const read = `{"id":"x","call":"s.read","args":{"name":"n"}},`
	for name, steps := range map[string]string{
		"straight":    read + `{"id":"m","call":"mail.save","args":{"value":{"expr":"x.text"}}}`,
		"three steps": read + `{"id":"a","expr":"x.text"},{"id":"b","expr":"a & \"\""},{"id":"c","expr":"[b]"},{"id":"m","call":"mail.save","args":{"value":{"expr":"c"}}}`,
		"a block":     read + `{"id":"b","steps":[{"id":"i","expr":"x.text"}],"return":"i"},{"id":"m","call":"mail.save","args":{"value":{"expr":"b"}}}`,
		"in a block":  read + `{"id":"b","steps":[{"id":"m","call":"mail.save","args":{"value":{"expr":"x.text"}}}]}`,
		"a filter":    read + `{"id":"m","call":"mail.save","args":{"value":{"expr":"[1,2,3][$ > $length($$.x.text)]"}}}`,
		"the context": read + `{"id":"m","call":"mail.save","args":{"value":{"expr":"$string($)"}}}`,
		"a key":       read + `{"id":"m","each":"[1]","key":"$$.x.text","call":"mail.save","args":{"value":1}}`,
		"an if":       read + `{"id":"m","if":"x.text = \"t\"","call":"mail.save","args":{"value":1}}`,
		"an each":     read + `{"id":"m","each":"$split(x.text, \"\")","call":"mail.save","args":{"value":1}}`,
		"if of block": read + `{"id":"b","if":"x.text = \"t\"","steps":[{"id":"m","call":"mail.save","args":{"value":1}}]}`,
		"a repeat":    read + `{"id":"m","repeat":{"until":"$$.x.text = \"t\"","delayMs":0},"call":"mail.save","args":{"value":1}}`,
		"own turns":   `{"id":"b","repeat":{"until":"$n = 2","delayMs":0},"steps":[{"id":"m","call":"mail.save","args":{"value":{"expr":"$previous"}}},{"id":"x","call":"s.read","args":{"name":"n"}}]}`,
		"its tool":    read + `{"id":"a","call":"mail.read","args":{"name":"x"}},{"id":"m","call":"stores","if":"a.text = \"t\""}`,
	} {
		who, u := &user{}, &upstream{}
		if _, err := run(t, src, `{"steps":[`+steps+`]}`, u, who); err != nil || len(who.asked) == 0 {
			t.Errorf("%s: %v, asked %v, called %v", name, err, who.asked, u.calls)
		}
	}
	for name, steps := range map[string]string{
		"one server":   read + `{"id":"m","call":"s.save","args":{"value":{"expr":"x.text"}}}`,
		"no data":      read + `{"id":"m","call":"mail.save","args":{"value":1}}`,
		"after":        read + `{"id":"m","after":["x"],"call":"mail.save","args":{"value":1}}`,
		"other blocks": `{"id":"b","steps":[` + read + `{"id":"y","expr":"x.text"}]},{"id":"m","call":"mail.save","args":{"value":1}}`,
	} {
		who, u := &user{}, &upstream{}
		if _, err := run(t, src, `{"steps":[`+steps+`]}`, u, who); err != nil || len(who.asked) != 0 {
			t.Errorf("%s: %v, asked %v", name, err, who.asked)
		}
	}
	// allow of the file refuses it, before anything is called
	allowed := strings.Replace(src, "mcpServers:", "allow: {flows: [{from: s, to: []}]}\nmcpServers:", 1)
	if _, got := refusal(t, loaded(t, allowed), `{"steps":[`+read+`{"id":"m","call":"mail.save","args":{"value":{"expr":"x.text"}}}]}`); !strings.Contains(got, `steps[1].call: tool "run_plan" sends what server "s" answers to mail.save: allow (g.yaml:4:`) {
		t.Error(got)
	}
	inside := execution.WithInside(func(_ context.Context, server, _ string) bool { return server == "mail" })
	who, u := &user{}, &upstream{}
	if _, err := run(t, src, `{"steps":[`+read+`{"id":"m","call":"mail.save","args":{"value":{"expr":"x.text"}}}]}`, u, who, inside); err != nil || len(who.asked) != 0 {
		t.Errorf("a tool that keeps it inside: %v, asked %v", err, who.asked)
	}
}
