package jsonlogic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/cost"
)

// listOf is a list of the numbers below n.
func listOf(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = float64(i)
	}
	return list
}

// patient is an evaluation that no deadline ends, only what it costs: how long that takes
// is up to the machine.
func patient(t testing.TB, scope *jsonata.Scope) *ruleRun {
	limits := ruleLimits
	limits.Time = time.Hour
	return newRuleRun(t.Context(), scope, &limits)
}

// overLimit evaluates a rule that must come to this limit, within so many bytes.
func overLimit(t *testing.T, rule string, scope *jsonata.Scope, code string, most uint64) {
	t.Helper()
	r, run := compiled(t, rule), patient(t, scope)
	cost.Below(t, most, func() {
		_, err := r.evalAt(run, nil)
		var failure *jsonata.Error
		if !errors.As(err, &failure) || failure.Code != code {
			t.Errorf("%s: got %v, want code %s", rule, err, code)
		}
	})
	// One operator may take many steps at once: those of a value that it looks at.
	if at := run.Steps(); at > ruleSteps+ruleValueBytes/16 || code == "steps" && at < ruleSteps {
		t.Errorf("%s: %s after %d steps", rule, code, at)
	}
	if run.Bytes() > ruleTotalBytes+ruleValueBytes {
		t.Errorf("%s: made %d bytes", rule, run.Bytes())
	}
}

func TestL16SizeOfValues(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"list": listOf(40), "many": listOf(1500)}, nil)
	acc := `{"var":"accumulator"}`
	for _, rule := range []string{
		`{"reduce":[{"var":"list"},{"cat":[` + acc + `,` + acc + `]},"x"]}`,
		`{"reduce":[{"var":"list"},{"merge":[` + acc + `,` + acc + `]},[1]]}`,
	} {
		overLimit(t, rule, scope, "size", 50<<20)
		_, err := compiled(t, rule).Eval(t.Context(), scope)
		if err == nil || !strings.Contains(err.Error(), "value size limit") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	double := `{"reduce":[{"var":"list"},[` + acc + `,` + acc + `],"x"]}`
	overLimit(t, double, scope, "steps", 64<<20)
	overLimit(t, `{"cat":`+double+`}`, scope, "steps", 64<<20)
	// Shared parts are compared once.
	same, err := compiled(t, `{"==":[`+double+`,`+double+`]}`).Holds(t.Context(), scope)
	if err != nil || !same {
		t.Errorf("two values that share their parts: %v, %v", same, err)
	}
	overLimit(t, `{"reduce":[{"var":"many"},[`+acc+`],"x"]}`, scope, "depth", 4<<20)
	overLimit(t, `{"cat":[{"reduce":[{"var":"many"},[`+acc+`],"x"]}]}`, scope, "depth", 4<<20)
	overLimit(t, `{"reduce":[{"var":"many"},{"var":""},"x"]}`, scope, "depth", 4<<20)
	text := `{"reduce":[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],{"cat":[` + acc + `,` + acc + `]},"xx"]}`
	overLimit(t, `{"map":[{"var":"many"},`+text+`]}`, scope, "size", 160<<20)
}

func TestL17StepsOfNestedIterations(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"l": listOf(1000)}, nil)
	rule := `{"var":""}`
	for range 4 {
		rule = `{"map":[{"var":"$ctx.l"},` + rule + `]}`
	}
	overLimit(t, rule, scope, "steps", 64<<20)
	big := jsonata.NewScope(map[string]any{"l": listOf(1000), "s": strings.Repeat("x", 1<<20)}, nil)
	for body, code := range map[string]string{
		`{"in":["y",{"var":"$ctx.s"}]}`:                            "steps",
		`{"==":[{"var":"$ctx.s"},{"cat":["y",{"var":"$ctx.s"}]}]}`: "size",
		`{"-":[{"var":"$ctx.s"},1]}`:                               "steps",
		`{"substr":[{"var":"$ctx.s"},5]}`:                          "steps",
	} {
		overLimit(t, `{"map":[{"var":"l"},`+body+`]}`, big, code, 160<<20)
	}
}

// An expression in a rule is cheap in steps and may be slow, so the rule has a deadline
// too. It is looked at every few steps, and belongs to the whole rule.
func TestL17DeadlineOfARule(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"l": listOf(1000)}, nil)
	rule := compiled(t, `{"map":[{"var":"$ctx.l"},{"map":[{"var":"$ctx.l"},{"var":"$ctx.l[$ > 3]"}]}]}`)
	limits := ruleLimits
	limits.Time = time.Nanosecond
	run := newRuleRun(t.Context(), scope, &limits)
	_, err := rule.evalAt(run, nil)
	var failure *jsonata.Error
	if !errors.As(err, &failure) || failure.Code != "timeout" || run.Steps() > 1000 {
		t.Errorf("got %v after %d steps", err, run.Steps())
	}
}

func TestCancelledRule(t *testing.T) {
	cause := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	rule := compiled(t, `{"map":[{"var":"l"},{"map":[{"var":"$ctx.l"},{"var":""}]}]}`)
	_, err := rule.Eval(ctx, jsonata.NewScope(map[string]any{"l": listOf(1000)}, nil))
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestRuleThatIsLongButWithinLimits(t *testing.T) {
	scope := jsonata.NewScope(map[string]any{"l": listOf(50_000)}, nil)
	for rule, want := range map[string]string{
		`{"reduce":[{"var":"l"},{"+":[{"var":"current"},{"var":"accumulator"}]},0]}`: "1249975000",
		`{"in":[49999,{"map":[{"var":"l"},{"var":"$ + 0"}]}]}`:                       "true",
	} {
		v, err := compiled(t, rule).evalAt(patient(t, scope), nil)
		if err != nil || fmt.Sprint(v) != want && scalarText(v) != want {
			t.Errorf("%s: %v %v", rule, v, err)
		}
	}
}
