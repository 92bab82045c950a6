package jsonlogic

import (
	"errors"
	"sync"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// A var reads the variables of the language, in bodies too, and no rule that reads one is
// constant.
func TestVariables(t *testing.T) {
	for source, want := range map[string]bool{
		`{"==":[{"var":"$item.n"},2]}`:                                     true,
		`{"==":[{"var":"$index"},0]}`:                                      false,
		`{"!!":{"var":"$failure"}}`:                                        false,
		`{"==":[{"var":["$failure.code","none"]},"none"]}`:                 true,
		`{"some":[{"var":"list"},{"==":[{"var":"n"},{"var":"$item.n"}]}]}`: true,
		`{"some":[{"var":"list"},{"==":[{"var":"n + $item.n"},5]}]}`:       true,
		`{"var":"($item := 1; $item = 1)"}`:                                true,
		`{"==":[{"var":"$ctx.list[n = $item.n].n"},2]}`:                    true,
	} {
		rule := compiled(t, source)
		if _, constant := rule.Constant(); constant {
			t.Errorf("%s is constant", source)
		}
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				scope := scopeOf(t, `{"list":[{"n":1},{"n":2},{"n":3}]}`)
				scope.Variables = map[string]value.Value{"item": value.FromPlain(map[string]any{"n": 2.0}), "index": 1.0}
				if holds, err := rule.Holds(t.Context(), scope); err != nil || holds != want {
					t.Errorf("%s: %t, %v", source, holds, err)
				}
			})
		}
		running.Wait()
	}
}

func TestRaised(t *testing.T) {
	_, err := compiled(t, `{"var":"$error(\"late\")"}`).Holds(t.Context(), jsonata.NewScope(nil, nil))
	var eval *jsonata.Error
	if !errors.As(err, &eval) || eval.Raised != "late" {
		t.Errorf("%#v", err)
	}
}
