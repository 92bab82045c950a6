package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// unsound evaluates over data and complains when the value does not have the inferred
// shape, or when a certain failure does not happen. It reports whether the shape was known.
func unsound(source string, e *jsonata.Expression, data value.Value, focus Shape) (complaint string, known bool) {
	v, err := evaluated(e, data)
	return unsoundOf(source, e, v, err, focus)
}

// evaluated returns the value of an expression whose root is the data. An evaluation that
// does not end is given up.
func evaluated(e *jsonata.Expression, data value.Value) (value.Value, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return e.Eval(ctx, expressions.NewScope(rootOf(data), nil))
}

// unsoundOf is unsound for the result of an evaluation.
func unsoundOf(source string, e *jsonata.Expression, v value.Value, err error, focus Shape) (complaint string, known bool) {
	got, findings := inferOver(context.Background(), e, &Env{Open: true}, of(focus), map[string]fact{}, false)
	if err != nil {
		return "", !got.IsAny()
	}
	for _, f := range findings {
		if f.Fails {
			return fmt.Sprintf("%s succeeds, but has %+v over %s", source, f, focus), true
		}
	}
	if !got.Has(v) {
		text, _ := value.Encode(v)
		return fmt.Sprintf("%s is %.200s, which is not %s, over %s", source, text, got, focus), true
	}
	return "", !got.IsAny()
}

func rootOf(data value.Value) map[string]any {
	out := map[string]any{}
	if object, isObject := objectOf(data); isObject {
		for _, key := range object.Keys() {
			out[key], _ = object.Get(key)
		}
	}
	return out
}

type officialCase struct {
	Expr     string                     `json:"expr"`
	File     string                     `json:"expr-file"`
	Data     json.RawMessage            `json:"data"`
	Dataset  string                     `json:"dataset"`
	Bindings map[string]json.RawMessage `json:"bindings"`
}

// TestSoundOverOfficialSuite runs the inference over JSONata's own suite, with the kinds of
// each input and with the input itself.
func TestSoundOverOfficialSuite(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/recolabs/gnata").Output()
	if err != nil {
		t.Skipf("go list cannot find the engine's module: %v", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	files, err := filepath.Glob(filepath.Join(dir, "groups", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("the engine's module holds no suite")
	}
	total, known := 0, 0
	for _, file := range files {
		for _, c := range readOfficial(t, file) {
			if c.Dataset != "" {
				c.Data = readFile(t, filepath.Join(dir, "datasets", c.Dataset+".json"))
			}
			if c.File != "" {
				c.Expr = string(readFile(t, filepath.Join(filepath.Dir(file), c.File)))
			}
			var data value.Value
			if len(c.Data) > 0 {
				if data, err = value.Decode(c.Data); err != nil {
					t.Fatal(err)
				}
			}
			e, err := jsonata.Compile(t.Context(), c.Expr)
			if _, isObject := objectOf(data); err != nil || data != nil && !isObject || len(c.Bindings) > 0 {
				continue
			}
			if data == nil {
				data = value.NewObject(nil, nil)
			}
			total++
			v, failed := evaluated(e, data)
			for _, focus := range []Shape{Constant(data), OfValue(data)} {
				complaint, isKnown := unsoundOf(c.Expr, e, v, failed, focus)
				if complaint != "" {
					t.Error(complaint)
				}
				if isKnown {
					known++
				}
			}
		}
	}
	t.Logf("%d cases, something is known of %d", total, known)
	if total < 1000 || known < total {
		t.Errorf("something is known of %d of %d cases", known, total)
	}
}

func readOfficial(t *testing.T, file string) []officialCase {
	t.Helper()
	text := readFile(t, file)
	if text[0] != '[' {
		text = slices.Concat([]byte{'['}, text, []byte{']'})
	}
	var cases []officialCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
