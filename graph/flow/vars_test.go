package flow_test

import (
	"strings"
	"testing"
)

// checkVars returns the findings of a file whose transform has the expression and whose switch has
// the rule.
func checkVars(t *testing.T, expr, rule string) string {
	t.Helper()
	return check(t, "g.yaml", []byte(`server: {name: s, version: "1"}
vars: {region: eu, top: 20, limits: {most: 5}, tags: [a], none: null, zero: 0}
tools:
- name: t
  inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: transform, transform: {expr: '`+expr+`'}, next: pick}
  - {id: pick, type: switch, conditions: [{rule: `+rule+`, next: exit}], next: other}
  - {id: other, type: transform, transform: {expr: '[$vars.region, $vars.top, $vars.limits, $vars.tags, $vars.none, $vars.zero]'}, next: exit}
  - {id: exit, type: exit}
`), nil).Error()
}

// The shape of a constant is that of its declared value: fields and kinds, but no literals, since
// another value can be given.
func TestShapesOfConstants(t *testing.T) {
	const rule = `{">": [{"var": "entry.n"}, {"var": "$vars.top"}]}`
	for expr, want := range map[string]string{
		`$vars.top + $vars.limits.most`:            "",
		`$vars.region = "us" ? 1 : 2`:              "",
		`$vars.top > 30 ? 1 : 2`:                   "",
		`$vars.none.x + $vars.none`:                "",
		`$vars.tags[0] & $string($vars.tags)`:      "",
		`$vars.tags[0] & $vars.tags`:               "[wrong-operand]",
		`$chunk([1, 2], $vars.zero)`:               "$vars.zero, which is 0",
		`$vars.region + 1`:                         "[wrong-operand]",
		`$vars.limits.mots + 1`:                    `did you mean "most"`,
		`$vars.top.x`:                              "[impossible-path]",
		`($vars := {"other": 1}; $vars.other + 1)`: "",
	} {
		switch found := checkVars(t, expr, rule); {
		case want == "" && found != "":
			t.Errorf("%s: %s", expr, found)
		case !strings.Contains(found, want):
			t.Errorf("%s: found %q, expected %s", expr, found, want)
		}
	}
	for rule, want := range map[string]string{
		`{"==": [{"var": "$vars.region"}, "us"]}`:                       "",
		`{"==": [{"var": "read"}, {"var": "$vars.top"}]}`:               "",
		`{"some": [{"var": "$vars.tags"}, {"==": [{"var": ""}, "b"]}]}`: "",
		`{">": [{"var": "$vars.limits.mots"}, 1]}`:                      `did you mean "most"`,
	} {
		switch found := checkVars(t, "1", rule); {
		case want == "" && found != "":
			t.Errorf("%s: %s", rule, found)
		case !strings.Contains(found, want):
			t.Errorf("%s: found %q, expected %s", rule, found, want)
		}
	}
}

// A comparison of a node that has not run with a constant is not decided by the constant's absence.
func TestConstantsBeforeANodeHasRun(t *testing.T) {
	found := check(t, "g.yaml", []byte(`server: {name: s, version: "1"}
vars: {top: 3}
tools:
- name: t
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: pick}
  - {id: pick, type: switch, conditions: [{rule: {"==": [{"var": "step"}, {"var": "$vars.top"}]}, next: last}], next: step}
  - {id: step, type: transform, transform: {expr: '($.step ? $.step : 0) + 1'}, next: pick}
  - {id: last, type: transform, transform: {expr: '$.step + 1'}, next: exit}
  - {id: exit, type: exit}
`), nil)
	if got := found.Error(); strings.Contains(got, "never") || strings.Contains(got, "always") {
		t.Error(got)
	}
}
