package sqlite

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"toolgraph/execution/journal"
)

// lease is a file that this process keeps locked for as long as it lives: the system releases the
// lock when the process has ended, however it ended. Each running run names the lease of its
// process, so that the runs of a dead process are found without clocks or process ids.
//
// The file also has notes. A note is one write to the page cache, which survives the process and
// costs a fiftieth of a transaction, or less, see slotFile. Each attempt of a call has a slot of its own, until its
// outcome is in the database.
type lease struct {
	name    string
	process journal.Process
	dir     string
	home    *os.File // the directory of the store, with a lock that all such processes share; nil: there are no such locks

	file *slotFile // guarded by mu

	noted atomic.Int64 // runs with slots

	mu    sync.Mutex // guards what follows
	slots map[string]*runSlots
	spare []*runSlots // of runs without notes, for their memory
	used  int         // slots, free ones included
	free  []int
}

// runSlots are the slots of the notes of a run, of which there are few.
type runSlots struct{ all []namedSlot }

type namedSlot struct {
	name journal.NoteName
	slot int
}

const (
	slotSize = journal.MaxNote + 1 // bytes: a note and a 0
	// mostNotes is how many notes a run has at the same time; a further call waits until the
	// database has it.
	mostNotes = 256
	mostSpare = 64 // runs whose memory is kept
)

func leaseDir(dir string) string { return filepath.Join(dir, "live") }

func newLease(dir string) (*lease, error) {
	live := leaseDir(dir)
	if err := os.MkdirAll(live, 0o700); err != nil {
		return nil, err
	}
	l := &lease{dir: dir, home: shareDirectory(dir), slots: map[string]*runSlots{}}
	var err error
	for range 100 { // a process that reads the store removes a file that is not locked yet
		l.process = journal.NewProcess()
		l.name = l.process.Name
		var file *os.File
		if file, err = createLocked(filepath.Join(live, l.name)); !errors.Is(err, fs.ErrNotExist) {
			l.file = &slotFile{file: file}
			break
		}
	}
	if err != nil {
		l.leaveDirectory()
	}
	return l, err
}

// release removes the lease.
func (l *lease) release() {
	l.file.close(removeLocked)
	l.leaveDirectory()
}

// leave unlocks the lease but leaves its notes for the next process that reads the store.
func (l *lease) leave() {
	l.file.close(closeFile)
	l.leaveDirectory()
}

func closeFile(file *os.File) { _ = file.Close() } // everything is in the page cache

func (l *lease) leaveDirectory() {
	if l.home != nil {
		_ = l.home.Close() // it was only locked
	}
}

// renew creates the file again when it was removed: other processes do not find the notes of a
// file without a name.
func (l *lease) renew() error {
	if l.current().hasName() {
		return nil
	}
	path := filepath.Join(leaseDir(l.dir), l.name)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.mu.Lock() // this is rare; other runs must not write to the old file meanwhile
	defer l.mu.Unlock()
	if err := os.MkdirAll(leaseDir(l.dir), 0o700); err != nil {
		return err
	}
	file, err := createLocked(path)
	if errors.Is(err, fs.ErrExist) { // another run was faster
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, io.NewSectionReader(l.file.file, 0, 1<<40)); err != nil {
		removeLocked(file)
		return err
	}
	l.file.close(closeFile) // all of it is in the new one
	l.file = &slotFile{file: file}
	l.file.reserve(l.used - 1)
	return nil
}

// note writes a note of a run at once and reports whether it has.
func (l *lease) note(run string, name journal.NoteName, text []byte) bool {
	if len(text) >= slotSize {
		return false
	}
	slot, ok := l.slot(run, name)
	if !ok {
		return false
	}
	for { // until the file is still the one of the lease when the note is in it
		if l.renew() != nil {
			return false
		}
		file := l.current()
		if err := file.write(slot, append(text, 0)); err != nil && file == l.current() { // older bytes follow the 0
			return false
		}
		if file == l.current() {
			return true
		}
	}
}

// slot returns the slot of a note; ok is false when the run has no room for it.
func (l *lease) slot(run string, name journal.NoteName) (slot int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	notes := l.slots[run]
	if notes != nil {
		for _, n := range notes.all {
			if n.name == name {
				return n.slot, true
			}
		}
		if len(notes.all) >= mostNotes {
			return 0, false
		}
	} else {
		notes = l.newSlots()
		l.slots[run] = notes
		l.noted.Add(1)
	}
	if n := len(l.free); n > 0 {
		slot, l.free = l.free[n-1], l.free[:n-1]
	} else {
		slot = l.used
		l.used++
		l.file.reserve(slot)
	}
	notes.all = append(notes.all, namedSlot{name, slot})
	return slot, true
}

// newSlots returns the memory of a run that has no more notes, or new memory. The caller holds mu.
func (l *lease) newSlots() *runSlots {
	if n := len(l.spare); n > 0 {
		is := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return is
	}
	return &runSlots{}
}

func (l *lease) current() *slotFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file
}

// erase erases notes of a run and frees their slots.
func (l *lease) erase(run string, which func(journal.NoteName) bool) {
	if l.noted.Load() == 0 { // as most processes have it most of the time
		return
	}
	l.mu.Lock()
	var erased []int
	if notes := l.slots[run]; notes != nil {
		notes.all = slices.DeleteFunc(notes.all, func(n namedSlot) bool {
			if !which(n.name) {
				return false
			}
			erased = append(erased, n.slot)
			return true
		})
		if len(notes.all) == 0 {
			delete(l.slots, run)
			l.noted.Add(-1)
			if len(l.spare) < mostSpare {
				l.spare = append(l.spare, notes)
			}
		}
	}
	l.mu.Unlock()
	for _, slot := range erased {
		if l.current().write(slot, []byte{0}) != nil {
			continue // the slot is not used again
		}
		l.mu.Lock()
		l.free = append(l.free, slot)
		l.mu.Unlock()
	}
}

// abandoned is a lease that no process holds.
type abandoned struct {
	file  *os.File // nil: it does not exist
	notes []journal.Note
	ahead []*journal.Pending
}

// abandonedLease opens a lease; ok is false when a process holds it. A missing one may have been
// removed while its process lives: it is abandoned when no process that writes to the store
// lives.
func abandonedLease(dir, name string) (a abandoned, ok bool) {
	file, err := openUnlocked(filepath.Join(leaseDir(dir), filepath.Base(name)))
	if err != nil {
		return a, errors.Is(err, fs.ErrNotExist) && isAlone(dir)
	}
	return abandoned{file: file, notes: readNotes(file), ahead: readAhead(dir, name)}, true
}

func readNotes(file *os.File) (notes []journal.Note) {
	slot := make([]byte, slotSize)
	for at := int64(0); ; at += slotSize {
		size, err := file.ReadAt(slot, at)
		text, _, _ := bytes.Cut(slot[:size], []byte{0})
		if n, ok := journal.ReadNote(text); ok {
			notes = append(notes, n)
		}
		if err != nil {
			return notes // the end
		}
	}
}

// removed reports whether another process has removed the lease meanwhile.
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

// close leaves the lease for the next process that reads the store.
func (a abandoned) close() {
	if a.file != nil {
		_ = a.file.Close() // it was only read
	}
}

// Note makes the database a journal.Noter.
func (s *Database) Note(run string, name journal.NoteName, text []byte) bool {
	l, err := s.leaseOf()
	return err == nil && l.note(run, name, text)
}

// Erase erases notes in the lease of this process.
func (s *Database) Erase(run string, erased func(journal.NoteName) bool) {
	if l := s.held(); l != nil {
		l.erase(run, erased)
	}
}

// held returns the lease of this process, nil when it has none.
func (s *Database) held() *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lease
}
