package flow_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// TestX15 checks the advice of each finding of x15-list-by-chance.yaml: written as it says, the
// expression has no finding.
func TestX15(t *testing.T) {
	raw, err := os.ReadFile("testdata/broken/x15-list-by-chance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	up := readUpstreams(t)
	src, seeded := unmark(string(raw))
	lines := strings.Split(src, "\n")
	write := regexp.MustCompile(`^write \[(.*)\]$`)
	found := check(t, "g.yaml", []byte(src), up)
	if len(found) != len(seeded) {
		t.Fatalf("found %d of %d", len(found), len(seeded))
	}
	for _, d := range found {
		m := write.FindStringSubmatch(d.Hint)
		if m == nil || !strings.Contains(lines[d.Pos.Line-1], m[1]) {
			t.Fatalf("%s is no advice for %s", d.Hint, lines[d.Pos.Line-1])
		}
		lines[d.Pos.Line-1] = strings.Replace(lines[d.Pos.Line-1], m[1], "["+m[1]+"]", 1)
	}
	if left := check(t, "g.yaml", []byte(strings.Join(lines, "\n")), up); len(left) > 0 {
		t.Errorf("after all advice there is\n%v", left)
	}
}

// TestX15Values evaluates what the advice says over no file, one and several.
func TestX15Values(t *testing.T) {
	for expr, want := range map[string][3]string{
		`{"names": $.l[type = "file"].name}`:         {`{}`, `{"names":"a"}`, `{"names":["a","b"]}`},
		`{"names": $.l[type = "file"].name[]}`:       {`{}`, `{"names":["a"]}`, `{"names":["a","b"]}`},
		`{"names": $.l[type = "file"].name[] ?? []}`: {`{"names":[]}`, `{"names":["a"]}`, `{"names":["a","b"]}`},
		`{"names": [$.l[type = "file"].name]}`:       {`{"names":[]}`, `{"names":["a"]}`, `{"names":["a","b"]}`},
		`{"names": [$.l[type = "file"].name[]]}`:     {`{"names":[]}`, `{"names":["a"]}`, `{"names":["a","b"]}`},
	} {
		e, err := jsonata.Compile(t.Context(), expr)
		if err != nil {
			t.Fatal(err)
		}
		for n, text := range want {
			files := []any{map[string]any{"type": "directory", "name": "d"}, map[string]any{"type": "file", "name": "a"}, map[string]any{"type": "file", "name": "b"}}
			root := map[string]any{"l": value.FromPlain(files[:n+1])}
			v, err := e.Eval(t.Context(), expressions.NewScope(root, nil))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := value.Encode(v); string(got) != text {
				t.Errorf("%s over %d files is %s, want %s", expr, n, got, text)
			}
		}
	}
}
