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

// ahead is a file with what is unwritten of runs until the next transaction has it. It belongs to the lease of its process, and the
// process that finds that abandoned writes what is in it. Each part is
//
//	its length, and then the number of the row, of the first event and of the steps before it, and the run as in a pack
//	its checksum
//
// so that a part which was not written whole ends the file. It belongs to the goroutine that writes.
type ahead struct {
	file  *os.File // nil: not created yet
	size  int64
	parts []byte
}

// aheadMost is the size from which a transaction is written instead, in bytes.
const aheadMost = 4 << 20

func aheadDir(dir string) string { return filepath.Join(dir, "ahead") }

// Ahead makes the database a journal.Ahead.
func (s *Database) Ahead(batch []journal.Pending) bool {
	w := &s.writer
	w.ahead.parts = w.ahead.parts[:0]
	for i := range batch {
		if !hasPlainNumbers(&batch[i]) {
			return false
		}
		w.ahead.parts = appendAhead(w.ahead.parts, &w.packing, &batch[i])
	}
	if w.ahead.size+int64(len(w.ahead.parts)) > aheadMost || w.conn == nil {
		return false
	}
	if w.ahead.file == nil && w.ahead.create(s.dir, w.owner) != nil {
		return false
	}
	if _, err := w.ahead.file.WriteAt(w.ahead.parts, w.ahead.size); err != nil {
		return false
	}
	w.ahead.size += int64(len(w.ahead.parts))
	return true
}

func (a *ahead) create(dir, owner string) error {
	if err := os.MkdirAll(aheadDir(dir), 0o700); err != nil {
		return err
	}
	var err error
	a.file, err = os.OpenFile(filepath.Join(aheadDir(dir), owner), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return err
}

// clear drops what a transaction has.
func (a *ahead) clear() {
	if a.size > 0 && a.file.Truncate(0) != nil {
		a.remove()
	}
	a.size = 0
}

// remove removes the file: everything is in the database, or the next part makes a new one.
func (a *ahead) remove() {
	if file := a.file; file != nil {
		a.close()
		_ = os.Remove(file.Name())
	}
}

// close leaves the file for the process that finds the lease abandoned.
func (a *ahead) close() {
	if a.file != nil {
		_ = a.file.Close() // all of it is there
		a.file, a.size = nil, 0
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

// readAhead returns the last part of each run that a process kept, in the order of the first ones.
func readAhead(dir, owner string) (runs []*journal.Pending) {
	body, err := os.ReadFile(filepath.Join(aheadDir(dir), filepath.Base(owner)))
	if err != nil {
		return nil
	}
	places := map[string]int{}
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
		if at, known := places[p.ID]; known {
			runs[at] = p
			continue
		}
		places[p.ID] = len(runs)
		runs = append(runs, p)
	}
	return runs
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

// dropAhead removes the file of a process that has ended. If it stays, nothing reads it: no lease has its name.
func dropAhead(dir, owner string) { _ = os.Remove(filepath.Join(aheadDir(dir), filepath.Base(owner))) }
