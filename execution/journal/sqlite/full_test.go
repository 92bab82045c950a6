package sqlite

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// A batch that fills the disk is written as a whole once there is room: rows of some of its runs were written before.
func TestV17FullDisk(t *testing.T) {
	s := newDatabase(t.TempDir(), false)
	defer s.Close(true)
	if err := s.beginWriting(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages := func(limit int) {
		t.Helper()
		if _, err := s.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", limit)); err != nil {
			t.Fatal(err)
		}
	}
	pages(50)
	batch := make([]*journal.Pending, 200)
	for i := range batch {
		p := ended(fmt.Sprintf("RUN%d", i))
		p.Chunks, p.Body = []journal.Chunk{p.Body}, journal.Chunk{} // rows of their own, no pack
		p.Chunks[0].Body = []byte(strings.Repeat("x", 3000))
		batch[i] = p
	}
	for range 3 {
		if err := s.Write(t.Context(), batch); s.Trouble(err) != journal.Passing || !strings.Contains(s.Explain(err).Error(), "the disk is full") {
			t.Fatalf("on a full disk: %v", err)
		}
	}
	pages(10_000)
	if err := s.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if runs, chunks := count(t, s, "runs"), count(t, s, "chunks"); runs != len(batch) || chunks != len(batch) {
		t.Errorf("%d rows of runs, %d of chunks, want %d of each", runs, chunks, len(batch))
	}
}
