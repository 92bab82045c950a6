package audit

import (
	"context"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// What two lines of a call cost, in docs/audit.md: of calls that read, and of calls that wait for
// the disk, one after the other and 64 at once.
func BenchmarkCall(b *testing.B) {
	none := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) { return value.Null, nil })
	args := value.NewObject([]string{"path", "limit"}, []value.Value{"/tmp/a/file.txt", 10.0})
	for _, bench := range []struct {
		name   string
		effect config.Effect
		atOnce int
	}{{"read", config.ReadEffect, 1}, {"read64", config.ReadEffect, 64}, {"write", config.WriteEffect, 1}, {"write64", config.WriteEffect, 64}} {
		b.Run(bench.name, func(b *testing.B) {
			l, err := Open(b.Context(), filepath.Join(b.TempDir(), "audit.jsonl"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			caller := l.Caller(none)
			b.SetParallelism(bench.atOnce)
			b.ReportAllocs()
			call := execution.Call{Run: "3QK7ABCDEFGHIJKLMNOPQRST", Index: 1, Node: "read", Server: "files", Tool: "read_text_file", Effect: bench.effect, Args: args}
			one := func() { _, _ = caller.CallTool(b.Context(), call) }
			if bench.atOnce == 1 {
				for b.Loop() {
					one()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					one()
				}
			})
		})
	}
}

// How fast a log is verified.
func BenchmarkVerify(b *testing.B) {
	l, err := Open(b.Context(), filepath.Join(b.TempDir(), "audit.jsonl"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	t := testLog{Log: l}
	t.runs(5000)
	_ = l.Close()
	b.SetBytes(l.size)
	for b.Loop() {
		if r, err := Verify(l.path); err != nil || !r.OK {
			b.Fatal(r.Problem, err)
		}
	}
}
