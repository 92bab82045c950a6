package shape

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// tableEnv is the context of the expressions in testdata/infer.txt.
func tableEnv() Env {
	return Env{
		Context: map[string]Binding{
			"entry": {OfSchema([]byte(`{"type": "object", "required": ["directory", "mode"], "properties": {
				"directory": {"type": "string"}, "limit": {"type": "integer"}, "deep": {"type": "boolean"},
				"mode": {"enum": ["fast", "slow", "none"]}, "note": {"type": ["string", "null"]}}}`)), Always},
			"list": {OfSchema([]byte(`{"type": "object", "required": ["entries"], "additionalProperties": false, "properties": {
				"entries": {"type": "array", "items": {"type": "object", "required": ["name", "type", "size"], "additionalProperties": false,
				"properties": {"name": {"type": "string"}, "type": {"enum": ["file", "directory"]}, "size": {"type": "integer"},
				"tags": {"type": "array", "items": {"type": "string"}}}}}}}`)), Always},
			"config":  {Constant(value.FromPlain(map[string]any{"mode": "fast", "debug": false, "depth": 3})), Always},
			"open":    {OfSchema([]byte(`{"type": "object", "properties": {"x": {"type": "number"}}, "additionalProperties": true}`)), Always},
			"any":     {Any(), Always},
			"text":    {String(), Always},
			"num":     {Number(), Always},
			"nums":    {Array(Number()), Always},
			"grid":    {Array(Array(Number())), Always},
			"mixed":   {Union(String(), Number()), Always},
			"my node": {Object([]Field{{Name: "x", Shape: Number()}}, false), Always},
			"sum":     {Object([]Field{{Name: "n", Shape: Number()}, {Name: "names", Shape: Array(String())}}, false), Maybe},
			"other":   {Object([]Field{{Name: "n", Shape: Number()}}, false), Maybe},
			"later":   {Object([]Field{{Name: "n", Shape: Number()}}, false), Never},
		},
		Previous: Union(Object([]Field{{Name: "n", Shape: Number()}}, false), Nothing()),
		Needed:   true,
	}
}

// TestInfer compares the shape and the findings of each expression with the table: a line
// that begins with "> " is the expression; its shape follows, and a line for each finding.
// UPDATE_GOLDEN=1 writes the table.
func TestInfer(t *testing.T) {
	const name = "testdata/infer.txt"
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	rows := 0
	env := tableEnv()
	for line := range strings.Lines(string(raw)) {
		source, isRow := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		switch {
		case isRow:
			rows++
			out.WriteString(line)
			out.WriteString(inferred(t, source, env))
		case line == "\n" || strings.HasPrefix(line, "#"):
			out.WriteString(line)
		}
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(name, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, want := strings.Split(out.String(), "\n"), strings.Split(string(raw), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		for i := range got {
			if i >= len(want) || got[i] != want[i] {
				t.Fatalf("line %d: got\n%s\nwant\n%s\n(UPDATE_GOLDEN=1 writes the table)", i+1, got[i], strings.Join(want[min(i, len(want)-1):min(i+1, len(want))], ""))
			}
		}
		t.Fatal("the table has more lines than the inference")
	}
	if rows < 150 {
		t.Errorf("the table has %d expressions, want 150", rows)
	}
}

// inferred returns the shape and the findings, as in the table.
func inferred(t *testing.T, source string, env Env) string {
	t.Helper()
	e, err := jsonata.Compile(t.Context(), source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	got, findings := Infer(t.Context(), e, env)
	out := fmt.Sprintf("  %s\n", got)
	for _, f := range findings {
		fails := ""
		if f.Fails {
			fails = ", fails"
		}
		out += fmt.Sprintf("  ! %d %q %s%s: %s", f.Offset, source[f.Offset:f.End], f.Code, fails, f.Message)
		if f.Hint != "" {
			out += "; " + f.Hint
		}
		out += "\n"
	}
	return out
}
