package jsonlogic

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// officialRules reads the JSON Logic suite that the jsonlogic module ships with its
// own tests.
func officialRules(t testing.TB) [][3]json.RawMessage {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/diegoholiveira/jsonlogic/v3").Output()
	if err != nil {
		t.Skip("the go command cannot name the jsonlogic module's folder:", err)
	}
	src, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "internal", "json_logic_pr_48_tests.json"))
	if err != nil {
		t.Skip("the jsonlogic module in the module cache has no official suite:", err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(src, &items); err != nil {
		t.Fatal(err)
	}
	var cases [][3]json.RawMessage
	for _, item := range items {
		if bytes.HasPrefix(item, []byte("[")) {
			var c [3]json.RawMessage
			if err := json.Unmarshal(item, &c); err != nil {
				t.Fatal(err)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// evalOverData evaluates a rule over data of any kind: an object is a run's
// context, anything else an element.
func evalOverData(t testing.TB, r *Rule, data value.Value) (value.Value, error) {
	t.Helper()
	if o, ok := data.(value.Object); ok {
		fields := make(map[string]any, o.Len())
		for _, key := range o.Keys() {
			fields[key], _ = o.Get(key)
		}
		return r.Eval(t.Context(), jsonata.NewScope(fields, nil))
	}
	return r.evalAt(newRuleRun(t.Context(), jsonata.NewScope(nil, nil), &ruleLimits), &frame{element: data})
}

// sortedJSON is JSON with sorted keys.
func sortedJSON(t testing.TB, src []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestL19OfficialSuite(t *testing.T) {
	cases := officialRules(t)
	if len(cases) != 308 {
		t.Errorf("the suite has %d cases, expected 308", len(cases))
	}
	for _, c := range cases {
		rule, err := Compile(t.Context(), parseRule(t, string(c[0])))
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		data, err := value.Decode(c[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range []func() (value.Value, error){
			func() (value.Value, error) { return evalOverData(t, rule, data) },
			func() (value.Value, error) {
				return rule.evalAt(newRuleRun(t.Context(), jsonata.NewScope(nil, nil), &ruleLimits), &frame{element: data})
			},
		} {
			v, err := run()
			if err != nil {
				t.Errorf("%s over %s: %v", c[0], c[1], err)
				continue
			}
			got, err := value.Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			if sortedJSON(t, got) != sortedJSON(t, c[2]) {
				t.Errorf("%s over %s: got %s, want %s", c[0], c[1], got, c[2])
			}
		}
	}
}
