package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The reference runs steps one after the other over plain JSON, without a graph.

type refStep struct {
	ID       string         `json:"id"`
	Tool     string         `json:"tool"`
	Args     map[string]any `json:"args"`
	If       string         `json:"if,omitempty"`
	SaveAs   string         `json:"save_as,omitempty"`
	Continue bool           `json:"continue_on_error,omitempty"`
}

var refPlaceholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// refFind follows a path; it is not ok when there is no value.
func refFind(values map[string]any, path string) (v any, ok bool) {
	parts := strings.FieldsFunc(strings.ReplaceAll(path, "[", ".["), func(r rune) bool { return r == '.' })
	v, ok = values[parts[0]]
	for _, part := range parts[1:] {
		if !ok {
			return nil, false
		}
		if digits, isPlace := strings.CutPrefix(part, "["); isPlace {
			n, _ := strconv.Atoi(strings.TrimSuffix(digits, "]"))
			list, _ := v.([]any)
			if ok = n < len(list); ok {
				v = list[n]
			}
			continue
		}
		object, _ := v.(map[string]any)
		v, ok = object[part]
	}
	return v, ok
}

func refFill(values map[string]any, v any) (filled any, ok bool) {
	switch v := v.(type) {
	case string:
		if whole := refPlaceholder.FindStringSubmatch(v); whole != nil && whole[0] == v {
			return refFind(values, whole[1])
		}
		ok = true
		text := refPlaceholder.ReplaceAllStringFunc(v, func(p string) string {
			found, has := refFind(values, strings.Trim(p, "{}"))
			ok = ok && has
			if t, isText := found.(string); isText {
				return t
			}
			return refJSON(found)
		})
		return text, ok
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], ok = refFill(values, v[i]); !ok {
				return nil, false
			}
		}
		return out, true
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			if out[key], ok = refFill(values, v[key]); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return v, true
}

func refJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func refTruth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

// refRun returns the result without durations and messages, and the calls.
func refRun(steps []refStep) (result map[string]any, calls []string) {
	values := map[string]any{}
	aborted := false
	listed := make([]any, 0, len(steps))
	for _, s := range steps {
		entry := map[string]any{"id": s.ID, "tool": s.Tool, "status": "skipped"}
		listed = append(listed, entry)
		if s.If != "" && !aborted {
			if v, ok := refFind(values, s.If); !ok || !refTruth(v) {
				continue
			}
		}
		if aborted {
			continue
		}
		args, ok := refFill(values, s.Args)
		code := ""
		var out any
		yields := true
		switch {
		case !ok:
			code = "MISSING_VALUE"
		case s.Tool == "s.fail":
			calls, code = append(calls, s.Tool), "tool-error"
		case s.Tool == "s.nothing":
			calls, yields = append(calls, s.Tool), false
		case s.Tool == "s.give":
			calls, out = append(calls, s.Tool), args.(map[string]any)["value"]
		default:
			calls, out = append(calls, s.Tool), args
		}
		if code != "" {
			entry["status"], entry["error"] = "error", code
			aborted = aborted || !s.Continue
			continue
		}
		entry["status"] = "success"
		if yields {
			entry["result"] = out
			values[refName(s.SaveAs, s.ID)] = out
		}
	}
	return map[string]any{"steps": listed, "variables": values, "aborted": aborted}, calls
}

func refName(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// refSteps makes steps at random.
func refSteps(r *rand.Rand) []refStep {
	fields := []string{"", ".a", ".b", ".a[0]", ".a[1].b", "[0]", ".list", ".list[2]", ".missing", ".a.b.c", ".__proto__"}
	var names []string
	path := func() string { return names[r.Intn(len(names))] + fields[r.Intn(len(fields))] }
	var anything func(depth int) any
	anything = func(depth int) any {
		switch n := r.Intn(12); {
		case n == 0:
			return nil
		case n == 1:
			return r.Intn(2) == 0
		case n == 2:
			return float64(r.Intn(3))
		case n == 3:
			return []string{"", "text", "}} {", "é"}[r.Intn(4)]
		case n <= 6 && len(names) > 0:
			return "{{" + path() + "}}"
		case n == 7 && len(names) > 0:
			return "<{{" + path() + "}}|{{" + path() + "}}>"
		case depth > 3:
			return "deep"
		case n <= 9:
			list := []any{}
			for range r.Intn(4) {
				list = append(list, anything(depth+1))
			}
			return list
		}
		object := map[string]any{}
		for _, key := range []string{"a", "b", "list"}[:r.Intn(4)] {
			object[key] = anything(depth + 1)
		}
		return object
	}
	steps := make([]refStep, 1+r.Intn(8))
	for i := range steps {
		s := refStep{ID: fmt.Sprintf("step_%d", i), Tool: []string{"s.echo", "s.give", "s.give", "s.give", "s.nothing", "s.fail"}[r.Intn(6)], Args: map[string]any{"value": anything(0)}}
		s.Continue = r.Intn(3) > 0
		if len(names) > 0 && r.Intn(3) == 0 {
			s.If = path()
		}
		if r.Intn(4) == 0 {
			s.SaveAs = fmt.Sprintf("name_%d", i)
		}
		steps[i] = s
		names = append(names, refName(s.SaveAs, s.ID))
	}
	return steps
}

func TestRandomRequestsMatchTheReference(t *testing.T) {
	p := loaded(t, twoServers)
	kinds := map[string]int{}
	for seed := range int64(500) {
		steps := refSteps(rand.New(rand.NewSource(seed)))
		want, calls := refRun(steps)
		u := &upstream{}
		text, err := perform(t, p, u, refJSON(steps), nil)
		var got map[string]any
		if json.Unmarshal([]byte(text), &got) != nil {
			t.Fatal(text)
		}
		for _, step := range got["steps"].([]any) {
			step := step.(map[string]any)
			if failure, failed := step["error"].(map[string]any); failed {
				step["error"] = failure["code"]
				kinds[failure["code"].(string)]++
			}
			kinds[step["status"].(string)]++
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(u.calls, calls) || (err != nil) != want["aborted"].(bool) {
			t.Fatalf("seed %d: %s\ngot  %s, calls %q, %v\nwant %s, calls %q", seed, refJSON(steps), refJSON(got), u.calls, err, refJSON(want), calls)
		}
	}
	for _, kind := range []string{"success", "skipped", "MISSING_VALUE", "tool-error"} {
		if kinds[kind] < 50 {
			t.Errorf("only %d of kind %s: %v", kinds[kind], kind, kinds)
		}
	}
}
