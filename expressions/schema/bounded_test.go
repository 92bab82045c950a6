package schema_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t testing.TB, raw string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func check(t testing.TB, s *schema.Schema, v value.Value) schema.Problems {
	t.Helper()
	found, err := s.Check(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// nested returns an object with this many objects inside each other under "child".
func nested(depth int, leaf string) string {
	return strings.Repeat(`{"child":`, depth) + leaf + strings.Repeat("}", depth)
}

const node = `{"$defs":{"node":%s},"$ref":"#/$defs/node"}`

// exploding has schemas that apply their parts to the same values again and again.
var exploding = []struct{ name, schema, leaf string }{
	{"oneOf, wrong leaf", fmt.Sprintf(node, `{"type":"object","oneOf":[
		{"properties":{"child":{"$ref":"#/$defs/node"},"a":{}}},{"properties":{"child":{"$ref":"#/$defs/node"},"b":{}}}]}`), `"x"`},
	{"anyOf, wrong leaf", fmt.Sprintf(node, `{"type":"object","anyOf":[
		{"properties":{"child":{"$ref":"#/$defs/node"}}},{"properties":{"child":{"$ref":"#/$defs/node"}}}]}`), `"x"`},
	{"oneOf, right leaf", fmt.Sprintf(node, `{"type":"object","oneOf":[
		{"properties":{"child":{"$ref":"#/$defs/node"}},"required":["no"]},{"properties":{"child":{"$ref":"#/$defs/node"}}}]}`), `{}`},
	{"allOf of two if/then", fmt.Sprintf(node, `{"type":"object","allOf":[
		{"if":{"required":["child"]},"then":{"properties":{"child":{"$ref":"#/$defs/node"}}}},
		{"if":{"properties":{"child":{"$ref":"#/$defs/node"}}},"then":{"properties":{"child":{"$ref":"#/$defs/node"}}}}]}`), `{}`},
	{"allOf of two equal references", fmt.Sprintf(node, `{"type":"object","properties":{"child":{"allOf":[{"$ref":"#/$defs/node"},{"$ref":"#/$defs/node"}]}}}`), `{}`},
	{"not, in patterns", fmt.Sprintf(node, `{"type":"object","not":{"required":["no"]},"properties":{"child":{"$ref":"#/$defs/node"}},
		"patternProperties":{"c":{"$ref":"#/$defs/node"},"h":{"$ref":"#/$defs/node"}}}`), `"x"`},
}

// A validation is linear in the depth of the value.
func TestV01Steps(t *testing.T) {
	for _, c := range exploding {
		s := compile(t, c.schema)
		steps := map[int]int{}
		for _, depth := range []int{12, 16, 20, 32, 40} {
			n, found, err := s.Steps(t.Context(), decode(t, nested(depth, c.leaf)))
			if err != nil {
				t.Fatalf("%s, depth %d: %v", c.name, depth, err)
			}
			if fits := c.leaf == "{}"; fits != (len(found) == 0) {
				t.Errorf("%s, depth %d: found %v", c.name, depth, found)
			}
			steps[depth] = n
		}
		if steps[32] > 3*steps[16] || steps[40] > 3*steps[20] {
			t.Errorf("%s: steps by depth %v", c.name, steps)
		}
	}
}

// A validation whose verdicts cannot be remembered ends with the budget and uses little memory.
func TestV01Budget(t *testing.T) {
	scoped := strings.ReplaceAll(exploding[0].schema, `"$ref":"#/$defs/node"}}`, `"$dynamicRef":"#/$defs/node"}}`)
	scoped = strings.ReplaceAll(scoped, `"child":{"$ref"`, `"child":{"$dynamicRef"`)
	s := compile(t, scoped)
	args := decode(t, nested(40, `"x"`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Check(t.Context(), args)
	runtime.ReadMemStats(&after)
	var budget *schema.BudgetError
	if !errors.As(err, &budget) || budget.Steps < schema.StepsAtLeast || !strings.Contains(err.Error(), "simplify the schema") {
		t.Fatalf("got %v", err)
	}
	t.Logf("%d bytes in %d steps", after.TotalAlloc-before.TotalAlloc, budget.Steps)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 2<<30 {
		t.Errorf("%d bytes were allocated in %d steps", spent, budget.Steps)
	}
	if found := check(t, s, decode(t, `{"child":"x"}`)); len(found) != 1 {
		t.Errorf("afterwards: %v", found)
	}
}

// A context that ends stops a validation.
func TestV01Cancelled(t *testing.T) {
	s := compile(t, exploding[0].schema)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	steps, _, err := s.Steps(ctx, decode(t, nested(40, `"x"`)))
	if !errors.Is(err, stop) || steps > 1 {
		t.Errorf("%d steps, %v", steps, err)
	}
	ctx, end := context.WithCancel(t.Context())
	if steps := schema.StepsUntilStopped(ctx, end); steps > 300 {
		t.Errorf("a validation went on for %d steps after its context had ended", steps)
	}
}

// Several goroutines validate with one schema.
func TestConcurrentValidations(t *testing.T) {
	s := compile(t, exploding[0].schema)
	shallow, deep := decode(t, nested(10, `"x"`)), decode(t, nested(20, `"x"`))
	var all sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for _, v := range []value.Value{shallow, deep} {
				if found, err := s.Check(t.Context(), v); err != nil || len(found) != 1 {
					t.Errorf("%v, %v", found, err)
				}
			}
		})
	}
	all.Wait()
}
