package shape

import (
	"os"
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/cost"
)

// FuzzOfSchema checks that every text has a shape, and that the schema of the shape has the
// same shape.
func FuzzOfSchema(f *testing.F) {
	for _, seed := range []string{
		`{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a", "b"]}`,
		`{"anyOf": [{"enum": ["a", 1]}, {"type": ["array", "null"], "prefixItems": [true], "minItems": 1}]}`,
		`{"$defs": {"a": {"oneOf": [{"$ref": "#/$defs/a"}, {"const": {"x": []}}]}}, "$ref": "#/$defs/a"}`,
		`[`, `1`, `{"items": [{"items": {"$ref": "#"}}], "additionalItems": false}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := OfSchema([]byte(text))
		if again := OfSchema(s.Schema()); s.get().kinds != 0 && !again.Equal(s) {
			t.Errorf("%s is %s, but is read again as %s", text, s, again)
		}
		if s.get().size > maxSize || s.get().depth > maxDepth {
			t.Errorf("the shape has the size %d and the depth %d", s.get().size, s.get().depth)
		}
	})
}

// FuzzInfer checks that every inference ends within its steps and reports places inside the
// source.
func FuzzInfer(f *testing.F) {
	for _, source := range corpus(f) {
		f.Add(source)
	}
	table, err := os.ReadFile("testdata/infer.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if source, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
			f.Add(source)
		}
	}
	env := tableEnv()
	f.Fuzz(func(t *testing.T, source string) {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Skip()
		}
		var got Shape
		var findings []Finding
		cost.Below(t, 256<<20, func() { got, findings = Infer(t.Context(), e, env) })
		_ = got.String()
		for _, finding := range findings {
			if finding.Offset < 0 || finding.End < finding.Offset || finding.End > len(source) || finding.Message == "" {
				t.Errorf("%+v is not within %q", finding, source)
			}
		}
	})
}

func BenchmarkInfer(b *testing.B) {
	env := tableEnv()
	for _, source := range []string{
		`$.entry.directory`,
		`{"names": $.list.entries[size > 10].name, "total": $sum($.list.entries.size), "sum": $exists($.sum) ? $.sum.n + 1 : 1}`,
		`$reduce($.list.entries, function($a, $e){$merge([$a, {"n": $a.n + $e.size, "last": $e.name}])}, {"n": 0})`,
	} {
		e, err := jsonata.Compile(b.Context(), source)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(source[:min(12, len(source))], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Infer(b.Context(), e, env)
			}
		})
	}
}
