package graphtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// The schema has the keys that the reader knows, each with a description.
func TestSchemaHasEveryKey(t *testing.T) {
	type object struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	var root struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string][]string{
		"": suiteKeys, "test": testKeys, "namedCase": caseKeys, "case": caseKeys[1:], "limits": limitKeys, "expect": expectKeys,
		"call": callKeys, "rule": ruleKeys, "answer": answerKeys,
	} {
		described := root.Defs[name].Properties
		if name == "" {
			described = root.Properties
		}
		var has []string
		for key, property := range described {
			has = append(has, key)
			if property["description"] == nil && property["$ref"] == nil {
				t.Errorf("%s of %s has no description", key, name)
			}
		}
		slices.Sort(has)
		if want := slices.Sorted(slices.Values(keys)); !slices.Equal(has, want) {
			t.Errorf("%s has the keys %v, want %v", name, has, want)
		}
	}
}

// The schema has the codes that mocks and expectations can have, in their order.
func TestSchemaHasEveryCode(t *testing.T) {
	var root struct {
		Defs struct {
			Code   struct{ Enum []config.FailureCode }
			Expect struct {
				Properties struct {
					Code struct{ Enum []config.FailureCode }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	if got := root.Defs.Code.Enum; !slices.Equal(got, config.FailureCodes) {
		t.Errorf("the codes of a mock are %v, want %v", got, config.FailureCodes)
	}
	if got := root.Defs.Expect.Properties.Code.Enum; !slices.Equal(got, failureCodes) {
		t.Errorf("the codes of an expectation are %v, want %v", got, failureCodes)
	}
}

// The schema takes what the reader takes and refuses what it refuses, as far as a schema
// can know.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	compiled, err := schema.Compile(Schema())
	if err != nil {
		t.Fatal(err)
	}
	problems := func(src string) int {
		data, err := config.ParseData("g.test.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		value, err := value.Decode(data.JSON())
		if err != nil {
			t.Fatal(err)
		}
		found, err := compiled.Check(t.Context(), value)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	good := []string{casesTests, recordTests, absolute, `tests:
  - name: all that can be said of failures
    tool: t
    limits: {maxDepth: 2, maxCalls: 3}
    mocks: {n: {error: late, code: timeout}, "a.b": {sequence: [{error: busy}, {error: late, code: rpc-error}]}, "other:n": {error: x}}
    expect: {isError: true, code: limit}
  - name: all that can be said of questions and of results
    tool: t
    limits: {maxResultBytes: 100}
    mocks: {sure: [{when: {message: "Sure?"}, result: {keepNewest: true}}, {sequence: [{error: "no", code: declined}, {error: late, code: dismissed}, {error: x, code: no-user}]}]}
    expect: {spilled: true}
  - {name: not allowed, tool: t, expect: {isError: true, code: not-allowed}}
  - {name: short, tool: t, expect: {spilled: false}}
`}
	examples, err := filepath.Glob("../../../examples/*.test.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatal(examples, err)
	}
	for _, path := range examples {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, string(src))
	}
	for _, src := range good {
		if _, err := Parse("g.test.yaml", []byte(src)); err != nil || problems(src) > 0 {
			t.Errorf("%v, and the schema refuses it %d times:\n%s", err, problems(src), src)
		}
	}
	for _, test := range []string{
		"{tool: t, expect: {value: 1}}", "{name: a, expect: {value: 1}}", "{name: a, tool: t}", "{name: a, tool: t, expected: {value: 1}}",
		"{name: a, tool: t, args: [], expect: {value: 1}}", "{name: a, tool: t, expect: {isError: maybe}}", "{name: a, tool: t, expect: {executions: {n: -1}}}",
		"{name: a, tool: t, mocks: {n: {}}, expect: {value: 1}}", "{name: a, tool: t, mocks: {n: {result: 1, error: x}}, expect: {value: 1}}",
		"{name: a, tool: t, mocks: {n: {result: 1, code: timeout}}, expect: {value: 1}}", "{name: a, tool: t, mocks: {n: {error: x, code: tmeout}}, expect: {value: 1}}",
		"{name: a, tool: t, mocks: {n: {sequence: [{error: x, code: limit}]}}, expect: {value: 1}}", "{name: a, tool: t, mocks: {n: {sequence: [{result: 1}], code: timeout}}, expect: {value: 1}}",
		"{name: a, tool: t, expect: {isError: true, code: late}}", "{name: a, tool: t, limits: {maxDepth: 0}, expect: {value: 1}}", "{name: a, tool: t, limits: {maxCalls: x}, expect: {value: 1}}",
		"{name: a, tool: t, expect: {spilled: 1}}", "{name: a, tool: t, limits: {maxResultBytes: 0}, expect: {value: 1}}", "{name: a, tool: t, mocks: {n: {error: x, code: decline}}, expect: {value: 1}}",
		"{name: a, tool: t, cases: []}", "{name: a, tool: t, cases: {}}", "{name: a, tool: t, cases: [{expect: {value: 1}}]}",
		"{name: a, tool: t, cases: {x: {tool: t, expect: {value: 1}}}}", "{name: a, tool: t, cases: {x: {name: x, expect: {value: 1}}}}",
	} {
		src := "tests: [" + test + "]"
		if _, err := Parse("g.test.yaml", []byte(src)); err == nil || problems(src) == 0 {
			t.Errorf("%s: the reader says %v, the schema has %d problems", test, err, problems(src))
		}
	}
}
