package journal

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// lease is a file that this process holds locked for as long as it lives: the system
// lets go of the lock when the process is gone, however it ended. Each running run
// names the lease of its process, so that the runs of a process that died are known
// without clocks or process ids.
//
// The file is also a notebook. A note is one write to a page that the system keeps, which
// costs a fiftieth of a transaction. Each run has a slot, since it waits for one call at a time.
type lease struct {
	name string
	file *os.File

	mu    sync.Mutex     // guards what follows
	slots map[string]int // run → slot
	free  []int
}

const slotSize = 2048 // bytes; a note that is longer is not taken

func leaseDir(dir string) string { return filepath.Join(dir, "live") }

func newLease(dir string) (*lease, error) {
	live := leaseDir(dir)
	if err := os.MkdirAll(live, 0o700); err != nil {
		return nil, err
	}
	l := &lease{slots: map[string]int{}}
	var err error
	for range 100 { // whoever looks between the making of the file and its lock removes it
		l.name = rand.Text()
		if l.file, err = createLocked(filepath.Join(live, l.name)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return l, err
}

// release gives the lease back.
func (l *lease) release() { removeLocked(l.file) }

// leave gives the lease back with its notes, for the next process that looks.
func (l *lease) leave() { _ = l.file.Close() }

// note writes a note of a run down at once and reports whether it has.
func (l *lease) note(run string, text []byte) bool {
	if len(text) >= slotSize {
		return false
	}
	l.mu.Lock()
	slot, has := l.slots[run]
	if !has {
		slot = len(l.slots) + len(l.free)
		if n := len(l.free); n > 0 {
			slot, l.free = l.free[n-1], l.free[:n-1]
		}
		l.slots[run] = slot
	}
	l.mu.Unlock()
	_, err := l.file.WriteAt(append(text, 0), int64(slot)*slotSize) // what is after the 0 is older
	return err == nil
}

// forget lets another run have the run's slot, once its end is in the database. The note
// is taken back, or it would bring the run back when that is deleted and we are killed.
func (l *lease) forget(run string) {
	l.mu.Lock()
	slot, has := l.slots[run]
	l.mu.Unlock()
	if !has {
		return
	}
	if _, err := l.file.WriteAt([]byte{0}, int64(slot)*slotSize); err != nil {
		return // the slot is not used again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.slots, run)
	l.free = append(l.free, slot)
}

// abandoned is a lease that nobody holds any more.
type abandoned struct {
	file  *os.File // nil: it is gone
	notes []note
}

// abandonedLease opens a lease; ok is false when somebody holds it.
func abandonedLease(dir, name string) (a abandoned, ok bool) {
	file, err := openUnlocked(filepath.Join(leaseDir(dir), filepath.Base(name)))
	if err != nil {
		return a, errors.Is(err, fs.ErrNotExist)
	}
	return abandoned{file: file, notes: readNotes(file)}, true
}

func readNotes(file *os.File) (notes []note) {
	slot := make([]byte, slotSize)
	for at := int64(0); ; at += slotSize {
		size, err := file.ReadAt(slot, at)
		text, _, _ := bytes.Cut(slot[:size], []byte{0})
		var n note
		if json.Unmarshal(text, &n) == nil && n.Event.Step != nil {
			notes = append(notes, n)
		}
		if err != nil {
			return notes // the end
		}
	}
}

// removed reports whether somebody else has taken the notes up meanwhile.
func (a abandoned) removed() bool {
	if a.file == nil {
		return true
	}
	_, err := os.Lstat(a.file.Name())
	return errors.Is(err, fs.ErrNotExist)
}

// drop removes the lease, once its notes are in the database.
func (a abandoned) drop() {
	if a.file != nil {
		removeLocked(a.file)
	}
}

// keep leaves the lease for the next who looks.
func (a abandoned) keep() {
	if a.file != nil {
		_ = a.file.Close() // it was only read
	}
}
