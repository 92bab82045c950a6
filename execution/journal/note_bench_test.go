package journal

import (
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// noting returns what notes a call of a run without a row.
func noting(tb testing.TB) (begin, note func()) {
	s := &Store{noter: memory{}}
	s.opts.MaxValue = 1 << 20
	w := newWriter(s)
	s.writer = w
	start := threeSteps("RUN0123456789")[0]
	v := &view{store: s, about: About{File: "/home/user/project/graph.yaml", Server: "demo"}}
	call := execution.Event{
		Kind: execution.CallStarted, Run: start.Run, Time: time.Now(), Sync: true,
		Step: &execution.Visit{Index: 1, NodeID: "call", NodeType: config.MCPNode, Server: "up", Tool: "echo", Digest: "0123456789abcdef"},
	}
	begin = func() { w.unwritten[start.Run] = unwritten{view: v, at: start.Time, start: start.Start, size: 40} }
	return begin, func() {
		if !w.note(call, wholeNote) {
			tb.Fatal("it is not noted")
		}
	}
}

// BenchmarkNote is what a note before a call takes besides its file: of the first call of a run without a row, and of a later one.
func BenchmarkNote(b *testing.B) {
	begin, note := noting(b)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			begin()
			note()
		}
	})
	b.Run("later", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			note()
		}
	})
}

// The beginning of a run, which each note of a run without a row has, is encoded once.
func TestNotesShareTheBeginning(t *testing.T) {
	if testing.Short() {
		t.Skip("allocations are counted, and the race detector's runs, which are short, make more")
	}
	begin, note := noting(t)
	begin()
	note()
	const most = 1 // the note
	if n := testing.AllocsPerRun(100, note); n > most {
		t.Errorf("%v allocations for a later note, want at most %d", n, most)
	}
}
