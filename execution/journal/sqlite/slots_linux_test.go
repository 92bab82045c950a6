package sqlite

import (
	"fmt"
	"os"
	"testing"

	"toolgraph/execution/journal"
)

func newSlots(t *testing.T) *slotFile {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	f := &slotFile{file: file}
	t.Cleanup(func() { f.close(closeFile) })
	return f
}

// A slot is written without a call of the system: also to a file that this process cannot write to any more. Other readers of the
// file see what is in it.
func TestSlotsAreMapped(t *testing.T) {
	f := newSlots(t)
	f.reserve(0)
	if err := f.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.write(3, []byte("noted\x00")); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(f.file.Name())
	if err != nil || len(all) != blockSize || string(all[3*slotSize:][:6]) != "noted\x00" {
		t.Errorf("%d bytes, %v", len(all), err)
	}
	if f.write(slotsOfBlock, []byte{0}) == nil {
		t.Error("a slot of no block is written")
	}
}

// A file that became shorter, a write to which is a fault of memory, is written by calls of the system.
func TestSlotsOfShortenedFile(t *testing.T) {
	f := newSlots(t)
	f.reserve(0)
	if err := f.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if err := f.write(2, []byte("noted\x00")); err != nil {
		t.Fatal(err)
	}
	if all, err := os.ReadFile(f.file.Name()); err != nil || len(all) != 2*slotSize+6 {
		t.Errorf("%d bytes, %v", len(all), err)
	}
}

// A file system without room has no block: a mapped file must not find that out later.
func TestSlotsWithoutRoom(t *testing.T) {
	file, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	f := &slotFile{file: file}
	defer f.close(closeFile)
	if f.reserve(0); f.blocks[0] != nil || f.write(0, []byte("x")) == nil {
		t.Error("a block is mapped")
	}
}

// More slots than are mapped, and a file that was removed meanwhile: each note is in the file that has the name.
func TestNotesOfRemovedLease(t *testing.T) {
	dir := t.TempDir()
	l, err := newLease(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.release()
	note := func(i int) bool {
		run := fmt.Sprintf("RUN%d", i)
		return l.note(run, journal.NoteName{}, fmt.Appendf(nil, `{"event":{"run":%q,"step":{}}}`, run))
	}
	const all = mostBlocks*slotsOfBlock + 10
	for i := range all {
		if i == 100 || i == all-5 {
			if err := os.Remove(l.file.file.Name()); err != nil {
				t.Fatal(err)
			}
		}
		if !note(i) {
			t.Fatal("not noted")
		}
	}
	l.erase("RUN7", func(journal.NoteName) bool { return true })
	l.file.close(closeFile) // its process has ended
	left, ok := abandonedLease(dir, l.name)
	if !ok || len(left.notes) != all-1 {
		t.Errorf("%d notes, want %d", len(left.notes), all-1)
	}
	left.close()
}
