package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"

	"toolgraph/execution/journal"
)

// ahead is what is unwritten of runs until a transaction has it, in two files that take turns: one for what is kept, and the other
// for what the next transaction leaves. They belong to the lease of their process, and the process that finds that abandoned writes
// what is in them. Each part is
//
//	its length, and then the number of the row, of the first event and of the steps before it, and the run as in a pack
//	its checksum
//
// so that a part which was not written whole ends its file. It belongs to the goroutine that writes.
type ahead struct {
	files [2]aheadFile
	now   int // the file for what is kept
	parts []byte
}

type aheadFile struct {
	file *os.File // nil: not created yet
	size int64
}

// aheadMost is the size from which a transaction is written instead, in bytes.
const aheadMost = 4 << 20

func aheadDir(dir string) string { return filepath.Join(dir, "ahead") }

// aheadNames are the files of a process.
func aheadNames(dir, owner string) [2]string {
	name := filepath.Join(aheadDir(dir), filepath.Base(owner))
	return [...]string{name, name + ".next"}
}

// Ahead makes the database a journal.Ahead.
func (s *Database) Ahead(batch []journal.Pending) bool { return s.keepIn(s.ahead.now, batch) }

// Stay writes to the other file, see clear.
func (s *Database) Stay(batch []journal.Pending) bool {
	next := 1 - s.ahead.now
	s.ahead.files[next].clear() // of a transaction that failed
	return s.keepIn(next, batch)
}

func (s *Database) keepIn(place int, batch []journal.Pending) bool {
	w := &s.writer
	w.ahead.parts = w.ahead.parts[:0]
	for i := range batch {
		if !hasPlainNumbers(&batch[i]) {
			return false
		}
		w.ahead.parts = appendAhead(w.ahead.parts, &w.packing, &batch[i])
	}
	f := &w.ahead.files[place]
	if f.size+int64(len(w.ahead.parts)) > aheadMost || w.conn == nil {
		return false
	}
	if f.file == nil && f.create(aheadNames(s.dir, w.owner)[place]) != nil {
		return false
	}
	if _, err := f.file.WriteAt(w.ahead.parts, f.size); err != nil {
		return false
	}
	f.size += int64(len(w.ahead.parts))
	return true
}

func (f *aheadFile) create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var err error
	f.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return err
}

// clear drops what a transaction has: all but what it has left.
func (a *ahead) clear() {
	a.files[a.now].clear()
	if next := 1 - a.now; a.files[next].size > 0 {
		a.now = next
	}
}

func (f *aheadFile) clear() {
	if f.size > 0 && f.file.Truncate(0) != nil {
		f.remove()
	}
	f.size = 0
}

// remove removes the files: everything is in the database.
func (a *ahead) remove() {
	for i := range a.files {
		a.files[i].remove()
	}
}

// remove removes the file; the next part makes a new one.
func (f *aheadFile) remove() {
	if file := f.file; file != nil {
		f.close()
		_ = os.Remove(file.Name())
	}
}

// close leaves the files for the process that finds the lease abandoned.
func (a *ahead) close() {
	for i := range a.files {
		a.files[i].close()
	}
}

func (f *aheadFile) close() {
	if f.file != nil {
		_ = f.file.Close() // all of it is there
		f.file, f.size = nil, 0
	}
}

func appendAhead(dst []byte, memory *[]byte, p *journal.Pending) []byte {
	run := *p
	if len(run.Chunks) > 0 {
		run.Body = run.Chunks[0]
	}
	part := binary.AppendUvarint((*memory)[:0], uint64(run.Seq))
	part = binary.AppendUvarint(part, uint64(run.Body.First))
	part = binary.AppendUvarint(part, uint64(run.Body.Before))
	part = packed(&run, part, &journal.Row{})
	*memory = part
	dst = journal.AppendBytes(dst, part)
	return binary.BigEndian.AppendUint32(dst, crc32.Checksum(part, castagnoli()))
}

// readAhead returns the longest part of each run that a process kept, in the order of the first ones.
func readAhead(dir, owner string) (runs []*journal.Pending) {
	places := map[string]int{}
	for _, name := range aheadNames(dir, owner) {
		body, _ := os.ReadFile(name) // a process may have none
		for _, p := range partsOf(body) {
			at, known := places[p.ID]
			switch {
			case !known:
				places[p.ID] = len(runs)
				runs = append(runs, p)
			case p.Events >= runs[at].Events:
				runs[at] = p
			}
		}
	}
	return runs
}

func partsOf(body []byte) (all []*journal.Pending) {
	for r := journal.NewByteReader(body); r.Len() > 0; {
		part := r.Bytes()
		sum := r.Take(sumSize)
		if r.IsBroken() || crc32.Checksum(part, castagnoli()) != binary.BigEndian.Uint32(sum) {
			break
		}
		head := journal.NewByteReader(part)
		seq, first, before := head.Number(), head.Number(), head.Number()
		p, ok := unpackedRun(part[len(part)-head.Len():], &journal.Row{})
		if !ok {
			break
		}
		p.Seq, p.Body.First, p.Body.Before = int64(seq), first, before
		if p.Seq != 0 || p.Status == journal.Running {
			p.Chunks, p.Body = []journal.Chunk{p.Body}, journal.Chunk{}
		}
		all = append(all, p)
	}
	return all
}

// addAhead writes what a process kept of a run, unless its last transaction has that or more.
func addAhead(ctx context.Context, tx *sql.Tx, owner string, p *journal.Pending) error {
	if p.Seq != 0 {
		var events int
		err := tx.QueryRowContext(ctx, `SELECT events FROM runs WHERE seq = ? AND owner = ? AND status = 'running'`, p.Seq, owner).Scan(&events)
		if errors.Is(err, sql.ErrNoRows) || err == nil && events != p.Chunks[0].First {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return write(p, within(ctx, tx), owner)
}

// dropAhead removes the files of a process that has ended. If they stay, nothing reads them: no lease has their name.
func dropAhead(dir, owner string) {
	for _, name := range aheadNames(dir, owner) {
		_ = os.Remove(name)
	}
}
