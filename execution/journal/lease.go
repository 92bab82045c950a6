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

	"toolgraph/execution"
)

// lease is a file that this process holds locked for as long as it lives: the system
// lets go of the lock when the process is gone, however it ended. Each running run
// names the lease of its process, so that the runs of a process that died are known
// without clocks or process ids.
//
// The file is also a notebook. A note is an event that must survive the process although
// it waits in the queue: one write to a page that the system keeps, which costs a
// fiftieth of a transaction. Each run has a slot, since it waits for one call at a time.
type lease struct {
	name string
	file *os.File

	mu    sync.Mutex     // guards what follows
	slots map[string]int // run → slot
	free  []int
}

const slotSize = 512 // bytes; a note that is longer is not taken

func leaseDir(dir string) string { return filepath.Join(dir, "live") }

func newLease(dir string) (*lease, error) {
	live := leaseDir(dir)
	if err := os.MkdirAll(live, 0o700); err != nil {
		return nil, err
	}
	l := &lease{name: rand.Text(), slots: map[string]int{}}
	var err error
	l.file, err = createLocked(filepath.Join(live, l.name))
	return l, err
}

// release gives the lease back.
func (l *lease) release() {
	// Whether the file goes or stays, nobody holds it from now on.
	_ = l.file.Close()
	_ = os.Remove(l.file.Name())
}

// note writes an event down at once and reports whether it has.
func (l *lease) note(e execution.Event) bool {
	text, err := json.Marshal(e)
	if err != nil || len(text) >= slotSize {
		return false
	}
	l.mu.Lock()
	slot, has := l.slots[e.Run]
	if !has {
		slot = len(l.slots) + len(l.free)
		if n := len(l.free); n > 0 {
			slot, l.free = l.free[n-1], l.free[:n-1]
		}
		l.slots[e.Run] = slot
	}
	l.mu.Unlock()
	padded := make([]byte, slotSize)
	copy(padded, text)
	_, err = l.file.WriteAt(padded, int64(slot)*slotSize)
	return err == nil
}

// forget lets another run have the run's slot, once its end is in the database.
func (l *lease) forget(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot, has := l.slots[run]; has {
		delete(l.slots, run)
		l.free = append(l.free, slot)
	}
}

// abandoned are the notes of a lease that nobody holds any more, by run; ok is false
// when somebody does.
func abandoned(dir, name string) (notes map[string]execution.Event, ok bool) {
	path := filepath.Join(leaseDir(dir), filepath.Base(name))
	file, err := openUnlocked(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true
	}
	if err != nil {
		return nil, false
	}
	defer file.Close()
	return readNotes(file), true
}

func readNotes(file *os.File) map[string]execution.Event {
	notes := map[string]execution.Event{}
	slot := make([]byte, slotSize)
	for at := int64(0); ; at += slotSize {
		if _, err := file.ReadAt(slot, at); err != nil {
			return notes // the end
		}
		var e execution.Event
		if json.Unmarshal(bytes.TrimRight(slot, "\x00"), &e) == nil && e.Step != nil {
			notes[e.Run] = e
		}
	}
}

// drop removes an abandoned lease, once its notes are in the database.
func drop(dir, name string) { _ = os.Remove(filepath.Join(leaseDir(dir), filepath.Base(name))) }
