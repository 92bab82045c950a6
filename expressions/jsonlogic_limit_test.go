package expressions

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// listOf is a list of the numbers below n.
func listOf(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = float64(i)
	}
	return list
}

// overLimit evaluates a rule that must come to this limit.
func overLimit(t *testing.T, rule string, scope *Scope, code string) {
	t.Helper()
	r := compiled(t, rule)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	_, err := r.Eval(t.Context(), scope)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	var failure *EvalError
	switch {
	case !errors.As(err, &failure):
		t.Errorf("%s: got %v, want code %s", rule, err, code)
	case failure.Code == "timeout" && code == "steps" && took >= EvalBudget:
		t.Logf("%s: this machine is so busy that time ended it first", rule)
	case failure.Code != code:
		t.Errorf("%s: got %v, want code %s", rule, err, code)
	}
	if took > EvalBudget+500*time.Millisecond {
		t.Errorf("%s: stopped after %v", rule, took)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 400<<20 {
		t.Errorf("%s: the heap grew by %d MB", rule, grown>>20)
	}
}

// fastest is the time of the fastest of five evaluations and the bytes that it
// allocated; other tests may have the machine for a while.
func fastest(t *testing.T, rule *Rule, scope *Scope) (took time.Duration, used uint64, err error) {
	t.Helper()
	took = time.Hour
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err = rule.Eval(t.Context(), scope)
		if d := time.Since(start); d < took {
			took = d
		}
		runtime.ReadMemStats(&after)
		used = after.TotalAlloc - before.TotalAlloc
	}
	return took, used, err
}

func TestL16SizeOfValues(t *testing.T) {
	if raceDetector {
		t.Skip("times mean nothing under the race detector, and time ends these rules")
	}
	scope := NewScope(map[string]any{"list": listOf(40), "many": listOf(1500)}, nil)
	acc := `{"var":"accumulator"}`
	for _, rule := range []string{
		`{"reduce":[{"var":"list"},{"cat":[` + acc + `,` + acc + `]},"x"]}`,
		`{"reduce":[{"var":"list"},{"merge":[` + acc + `,` + acc + `]},[1]]}`,
	} {
		took, used, err := fastest(t, compiled(t, rule), scope)
		if err == nil || !strings.Contains(err.Error(), "value size limit") {
			t.Errorf("%s: %v", rule, err)
		}
		if took > 200*time.Millisecond || used > 50<<20 {
			t.Errorf("%s: %v and %d MB", rule, took, used>>20)
		}
	}
	double := `{"reduce":[{"var":"list"},[` + acc + `,` + acc + `],"x"]}`
	overLimit(t, double, scope, "steps")
	overLimit(t, `{"cat":`+double+`}`, scope, "steps")
	overLimit(t, `{"==":[`+double+`,`+double+`]}`, scope, "steps")
	overLimit(t, `{"reduce":[{"var":"many"},[`+acc+`],"x"]}`, scope, "depth")
	overLimit(t, `{"cat":[{"reduce":[{"var":"many"},[`+acc+`],"x"]}]}`, scope, "depth")
	overLimit(t, `{"reduce":[{"var":"many"},{"var":""},"x"]}`, scope, "depth")
	text := `{"reduce":[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],{"cat":[` + acc + `,` + acc + `]},"xx"]}`
	overLimit(t, `{"map":[{"var":"many"},`+text+`]}`, scope, "size")
}

func TestL17StepsOfNestedIterations(t *testing.T) {
	scope := NewScope(map[string]any{"l": listOf(1000)}, nil)
	rule := `{"var":""}`
	for range 4 {
		rule = `{"map":[{"var":"$ctx.l"},` + rule + `]}`
	}
	overLimit(t, rule, scope, "steps")
	overLimit(t, strings.ReplaceAll(rule, `{"var":""}`, `{"var":"$ctx.l[$ > 3]"}`), scope, "timeout")
	big := NewScope(map[string]any{"l": listOf(1000), "s": strings.Repeat("x", 1<<20)}, nil)
	for _, body := range []string{`{"in":["y",{"var":"$ctx.s"}]}`, `{"==":[{"var":"$ctx.s"},{"cat":["y",{"var":"$ctx.s"}]}]}`, `{"-":[{"var":"$ctx.s"},1]}`, `{"substr":[{"var":"$ctx.s"},5]}`} {
		_, err := compiled(t, `{"map":[{"var":"l"},`+body+`]}`).Eval(t.Context(), big)
		if err == nil {
			t.Errorf("%s over 1,000 times 1 MB: no limit", body)
		}
	}
}

func TestCancelledRule(t *testing.T) {
	cause := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	rule := compiled(t, `{"map":[{"var":"l"},{"map":[{"var":"$ctx.l"},{"var":""}]}]}`)
	_, err := rule.Eval(ctx, NewScope(map[string]any{"l": listOf(1000)}, nil))
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestRuleThatIsLongButWithinLimits(t *testing.T) {
	scope := NewScope(map[string]any{"l": listOf(50_000)}, nil)
	for rule, want := range map[string]string{
		`{"reduce":[{"var":"l"},{"+":[{"var":"current"},{"var":"accumulator"}]},0]}`: "1249975000",
		`{"in":[49999,{"map":[{"var":"l"},{"var":"$ + 0"}]}]}`:                       "true",
	} {
		v, err := compiled(t, rule).Eval(t.Context(), scope)
		if err != nil || fmt.Sprint(v) != want && scalarText(v) != want {
			t.Errorf("%s: %v %v", rule, v, err)
		}
	}
}
