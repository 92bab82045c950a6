package journal

import (
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A value that is longer than is recorded is not held until its event is written: what is written is the same, and the
// record of the run stays as it is.
func TestQueuedHoldsNoLargeValue(t *testing.T) {
	v := &view{store: &Store{opts: Options{MaxValue: 100}}}
	for size, holds := range map[int]bool{98: true, 99: false} { // with its quotes
		text := strings.Repeat("x", size)
		record := &execution.Record{Output: text, Bytes: value.Size(text)}
		q := newQueued(v, execution.Event{Kind: execution.StepFinished, Run: "r", Record: record})
		if held := q.event.Record.Output == text; held != holds || record.Output != text || q.size != size+2 {
			t.Errorf("%d bytes: held %v, size %d", size, held, q.size)
		}
		if heavy := q.bytes > eventBytes; heavy != holds {
			t.Errorf("%d bytes count as %d", size, q.bytes)
		}
		queued, whole := &track{view: v}, &track{view: v}
		got, err := queued.store(&q.event, q.event.Record.Output, q.size)
		want, wantErr := whole.store(&execution.Event{Record: record}, record.Output, record.Bytes)
		if err != nil || wantErr != nil || got.kind != want.kind || got.bytes != want.bytes || got.limit != want.limit || string(got.json) != string(want.json) {
			t.Errorf("%d bytes: %+v, %v, want %+v, %v", size, got, err, want, wantErr)
		}
	}
}
