package plan_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// kept is a journal in memory.
type kept struct {
	mu  sync.Mutex
	all []execution.Event
}

func (k *kept) Append(_ context.Context, e execution.Event) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, e)
	return nil
}

func (k *kept) Load(context.Context, string) ([]execution.Event, error) { return k.all, nil }

// W05 and W06 for plans: a plan that died after any of its events is compiled again from its recorded arguments, and ends
// as it would have. What the user has agreed to is not asked again; the order of the calls about which the user is asked stays, whatever is believed by then.
func TestW05PlansResumeAfterEveryEvent(t *testing.T) {
	const text = `{"steps":[
		{"id":"files","call":"s.list","args":{"path":"x"}},
		{"id":"texts","each":"files.files","as":"f","call":"s.read","args":{"name":{"expr":"$f.name"}}},
		{"id":"one","call":"s.save","args":{"value":{"expr":"$count(texts)"}}},
		{"id":"block","each":"[1, 2]","as":"n","steps":[{"id":"in1","call":"mail.save","args":{"value":{"expr":"$n"}}}]},
		{"id":"asked","call":"mail.read","args":{"name":"r"}},
		{"id":"never","if":"false","call":"s.save","args":{"value":0}},
		{"id":"last","call":"s.save","args":{"value":{"expr":"asked.text & one"}}}
	],"return":"[texts, one, block, asked, last]"}`
	p := loaded(t, file(usual))
	args := parsed(t, text)
	g, err := p.Plan.Compile(t.Context(), args, &offers{})
	if err != nil {
		t.Fatal(err)
	}
	// of mail nothing is believed, so that its reads are asked about, too
	known := execution.WithEffects(func(ctx context.Context, server, tool string) config.Effect {
		if server == "mail" {
			return ""
		}
		return effects(ctx, server, tool)
	})
	reads := execution.WithReads(func(ctx context.Context, server, tool string) bool {
		return effects(ctx, server, tool) == config.ReadEffect
	})
	journal, first := &kept{}, &user{}
	result, err := execution.New(&upstream{}).Run(t.Context(), g, args, execution.WithUser(first), known, reads, execution.WithJournal(journal))
	if err != nil {
		t.Fatal(err)
	}
	want, err := value.Encode(result.Value)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.asked) != 2 {
		t.Fatalf("%d questions: %q", len(first.asked), first.asked)
	}
	for cut := 1; cut < len(journal.all); cut++ {
		before := recorded(t, journal.all[:cut])
		again, err := p.Recorded(t.Context(), config.RunPlan, before[0].Start.Args)
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != g.Hash {
			t.Fatalf("cut %d: the plan has another digest", cut)
		}
		who, u := &user{}, &upstream{}
		made := 0
		for _, e := range before {
			if e.Record != nil && e.Record.NodeID == "$steps" && e.Record.Error == nil {
				made++
			}
		}
		// nothing is believed any more
		result, err := execution.New(u).Resume(t.Context(), again, before, execution.WithUser(who),
			execution.WithRepeatable(func(_, _ string, _ config.Effect) bool { return true }))
		if err != nil {
			t.Errorf("cut %d: %v", cut, err)
			continue
		}
		got, err := value.Encode(result.Value)
		if err != nil || string(got) != string(want) {
			t.Errorf("cut %d: %s, want %s, %v", cut, got, want, err)
		}
		for _, e := range before {
			if e.Record == nil || !strings.Contains(string(e.At()), "one") {
				continue
			}
			if slices.Contains(u.calls, `s.save{"value":2}`) {
				t.Errorf("cut %d: a recorded call is made again: %v", cut, u.calls)
			}
		}
		answered := slices.ContainsFunc(before, func(e execution.Event) bool { return e.Kind == execution.Answered })
		for _, question := range who.asked {
			if answered && question == first.asked[0] {
				t.Errorf("cut %d: asked again: %s", cut, question)
			}
		}
	}
}

// recorded are events as a journal has them.
func recorded(t *testing.T, events []execution.Event) (all []execution.Event) {
	t.Helper()
	for _, e := range events {
		src, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again execution.Event
		if err := json.Unmarshal(src, &again); err != nil {
			t.Fatal(err)
		}
		all = append(all, again)
	}
	return all
}

// W06: twenty answers to one question at once, and an answer to another plan's question, change nothing: one question is
// open at a time, and its answer is for its own calls.
func TestW06AnswersAreForTheirCalls(t *testing.T) {
	p := loaded(t, file(usual))
	args := parsed(t, `{"steps":[{"id":"a","call":"s.save","args":{"value":1}}]}`)
	g, err := p.Plan.Compile(t.Context(), args, &offers{})
	if err != nil {
		t.Fatal(err)
	}
	journal := &kept{}
	if _, err := execution.New(&upstream{}).Run(t.Context(), g, args, execution.WithUser(&user{}), execution.WithEffects(effects), execution.WithJournal(journal)); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(journal.all, func(e execution.Event) bool { return e.Kind == execution.Answered })
	// the answer of this plan, in the history of a plan with another argument
	other := parsed(t, `{"steps":[{"id":"a","call":"s.save","args":{"value":2}}]}`)
	h, err := p.Plan.Compile(t.Context(), other, &offers{})
	if err != nil {
		t.Fatal(err)
	}
	before := recorded(t, journal.all[:at+1])
	before[0].Start.Args, before[0].Start.Graph = other, h.Hash
	who, u := &user{says: func(execution.Question) execution.Action { return execution.Decline }}, &upstream{}
	_, err = execution.New(u).Resume(t.Context(), h, before, execution.WithUser(who), execution.WithEffects(effects))
	if err == nil || len(who.asked) != 1 || len(u.calls) != 0 {
		t.Errorf("%v, asked %q, called %v", err, who.asked, u.calls)
	}
	// many calls that are ready at once are asked about by one question
	many := parsed(t, `{"steps":[{"id":"all","each":"[1..20]","as":"n","maxParallel":20,"steps":[{"id":"s1","call":"s.save","args":{"value":{"expr":"$n"}}}]}]}`)
	g, err = p.Plan.Compile(t.Context(), many, &offers{})
	if err != nil {
		t.Fatal(err)
	}
	who, u = &user{}, &upstream{}
	if _, err = execution.New(u).Run(t.Context(), g, many, execution.WithUser(who), execution.WithEffects(effects)); err != nil || len(u.calls) != 20 || len(who.asked) != 1 {
		t.Errorf("%v; %d questions, %d calls", err, len(who.asked), len(u.calls))
	}
}

// X03: what a plan makes counts against the limit of an output before it is encoded, and grows no further.
func TestX03PlansThatDoubleTexts(t *testing.T) {
	steps := []string{`{"id":"s0","expr":"\"` + strings.Repeat("x", 1000) + `\""}`}
	for i := 1; i < 20; i++ {
		steps = append(steps, strings.ReplaceAll(`{"id":"sN","expr":"sP & sP"}`, "N", itoa(i)))
		steps[i] = strings.ReplaceAll(steps[i], "P", itoa(i-1))
	}
	src := strings.Replace(file(usual), "mcpServers:", "executionLimits: {maxNodeOutputBytes: 1048576}\nmcpServers:", 1)
	_, err := run(t, src, `{"steps":[`+strings.Join(steps, ",")+`]}`, &upstream{}, &user{})
	if err == nil || !strings.Contains(err.Error(), "maxNodeOutputBytes") {
		t.Error(err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
