package jsonata

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

// evaluate is an evaluation as text, with what it was charged.
func evaluate(t *testing.T, source string, root value.Value, limits value.Limits) (answer string, steps, bytes int) {
	t.Helper()
	ev := evaluation{Meter: value.MakeMeter(context.Background(), &limits), scope: NewScope(nil, nil)}
	v, err := mustCompile(t, source).run(&ev, root, &bindings{}, value.MaxBytes)
	switch {
	case err != nil:
		answer = err.Error()
	case v == nil:
		answer = "undefined"
	default:
		answer = mustEncode(t, v)
	}
	return answer, ev.Steps(), ev.Bytes()
}

// The number of parts of a text is that of the parts that $split makes, with the same charges and errors.
func TestCountOfParts(t *testing.T) {
	root := mustDecode(t, fmt.Sprintf(`{"t": "a,b,,c", "long": %q, "n": 5, "list": ["a", "b"], "nul": null}`, strings.Repeat("one, ", 3000)))
	for _, args := range []string{
		`t, ","`, `t, ",,"`, `t, ""`, `t, "x"`, `"", ","`, `t, /,/`, `missing, ","`, `t, missing`, `n, ","`, `list, ","`, `nul, ","`, `t, n`,
		`long, ","`, `long, ", "`, `$string(n), ","`, `t & long, "o"`, `$error("stop"), ","`,
	} {
		counted, apart := "$count($split("+args+"))", "$count($split("+args+")[])"
		for _, limits := range []value.Limits{{}, {Steps: 3}, {Steps: 6}, {Steps: 9}, {Steps: 200}, {Bytes: 1000}} {
			got, steps, bytes := evaluate(t, counted, root, limits)
			want, wantSteps, wantBytes := evaluate(t, apart, root, limits)
			want = strings.ReplaceAll(want, apart, counted)
			if got != want || steps != wantSteps || bytes != wantBytes {
				t.Errorf("%s with %+v is %s after %d steps and %d bytes, want %s, %d, %d", counted, limits, got, steps, bytes, want, wantSteps, wantBytes)
			}
		}
	}
}

// Functions of the expression with the names $count and $split are called.
func TestCountOfPartsHasItsNames(t *testing.T) {
	for source, want := range map[string]string{
		`($split := function($t, $s){[1, 2, 3]}; $count($split("a,b", ",")))`: "3",
		`($count := function($l){$l[0]}; $count($split("a,b", ",")))`:         `"a"`,
		`"a,b" ~> $split(",") ~> $count()`:                                    "2",
		`["a,b", "a"].$count($split($, ","))`:                                 "[2,1]",
		`$map(["a,b", "a"], function($t){$count($split($t, ","))})`:           "[2,1]",
		`$count($split("a,b", ","))[0]`:                                       "2",
		`$count($split("a,b", ",")[0])`:                                       "1",
	} {
		if got, _, _ := evaluate(t, source, nil, value.Limits{}); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	scope := NewScope(nil, nil)
	scope.Variables = map[string]value.Value{"count": "hidden", "split": "hidden"}
	if v, err := mustCompile(t, `$count($split("a,b", ","))`).Eval(t.Context(), scope); v != 2.0 || err != nil {
		t.Error(v, err)
	}
}

func TestSplitLimits(t *testing.T) {
	for args, want := range map[string]string{
		`"a,b,c", ","`: `["a","b","c"]`, `"a,b,c", ",", 2`: `["a","b"]`, `"a,b,c", ",", 0`: `[]`, `"a,b,c,", ","`: `["a","b","c",""]`,
		`",", ","`: `["",""]`, `"a--b--", "--"`: `["a","b",""]`, `"a--b", "-"`: `["a","","b"]`, `"ab", "abc"`: `["ab"]`, `"a,b", ",", 9`: `["a","b"]`,
	} {
		if got, _, _ := evaluate(t, "$split("+args+")", nil, value.Limits{}); got != want {
			t.Errorf("$split(%s) is %s, want %s", args, got, want)
		}
	}
}
