package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"toolgraph/execution/journal"
)

// A pack is one row of table packs with the runs of a batch that begin and end in it. Under load it
// costs a tenth of a row for each: the index of ids has a random order, so that each run changes a
// page of its own there. A process that reads runs unpacks them first, and so does the one that
// has written them, some at a time, when it has nothing else to write or there are many. Nothing else knows of packs.
//
//	length of a run, and then
//	  id, status, tool, file, server, graph, args
//	  started, ended, last, events, steps, nested, spills, bytes, lost, durable
//	  failure, facts, sum, length of the body, the body, length of the sums, the sums
//	its checksum
//
// Numbers are unsigned varints. A text is 0 when it is the same as of the run before, else its
// length and 1, and its bytes.
const (
	packMost  = 64 << 20 // bytes of the packs that a process has written; then it unpacks while it writes
	unpackRun = 2000     // runs that one transaction unpacks, about
	unpackFew = 200      // the same between transactions of the writer, which must not wait long

	usualPacked = 384       // bytes of a run
	usualPack   = 512 << 10 // bytes of a pack, for which memory is kept
)

const insertPack = `INSERT INTO packs (owner, runs, body) VALUES (?,?,?)`

// pack writes the runs of a batch that can be packed, if they are enough, and returns the others.
func (w *writer) pack(batch []*journal.Pending) (rest []*journal.Pending, err error) {
	n := 0
	for _, p := range batch {
		if canBePacked(p) {
			n++
		}
	}
	if n < journal.PackFrom {
		return batch, nil
	}
	body := slices.Grow(w.body[:0], n*usualPacked)
	var last journal.Row
	rest = make([]*journal.Pending, 0, len(batch)-n)
	for _, p := range batch {
		if !canBePacked(p) {
			rest = append(rest, p)
			continue
		}
		p.Taken = false
		w.packing = packed(p, w.packing[:0], &last)
		body = journal.AppendBytes(body, w.packing)
		body = binary.BigEndian.AppendUint32(body, crc32.Checksum(w.packing, castagnoli()))
	}
	if _, err := w.exec(insertPack, w.owner, n, body); err != nil {
		return nil, err
	}
	w.unpacked += len(body)
	if w.body = body; cap(body) > usualPack {
		w.body = nil
	}
	return rest, nil
}

// canBePacked reports whether a run has begun and ended in its batch, and has no rows but its own.
func canBePacked(p *journal.Pending) bool {
	return p.Seq == 0 && p.Body.Body != nil && len(p.Spills) == 0 && hasPlainNumbers(p)
}

// hasPlainNumbers reports whether no number of a run is negative.
func hasPlainNumbers(p *journal.Pending) bool { return p.Started >= 0 && p.Ended >= 0 && p.Last >= 0 }

// texts are the columns with texts that are often those of the run before.
func texts(r *journal.Row) [9]*string {
	return [...]*string{&r.ID, (*string)(&r.Status), &r.Tool, &r.File, &r.Server, &r.Graph, &r.Args, &r.Failure, &r.Facts}
}

// numbers returns the columns with numbers.
func numbers(r *journal.Row) (n [11]int64) {
	durable := int64(0)
	if r.Durable {
		durable = 1
	}
	return [...]int64{
		r.Started, r.Ended, r.Last, int64(r.Events), int64(r.Steps), int64(r.Nested), int64(r.Spilled), r.Bytes, int64(r.Lost), durable, r.Sum,
	}
}

// packed appends a run. last is the row of the one before it, and becomes that of this one.
func packed(p *journal.Pending, dst []byte, last *journal.Row) []byte {
	before := texts(last)
	for i, text := range texts(&p.Row) {
		if *text == *before[i] {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(*text))+1)
		dst = append(dst, *text...)
	}
	for _, n := range numbers(&p.Row) {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	*last = p.Row
	return journal.AppendBytes(journal.AppendBytes(dst, p.Body.Body), p.Body.Sums)
}

// unpackedRun reads a run.
func unpackedRun(text []byte, last *journal.Row) (p *journal.Pending, ok bool) {
	r := journal.NewByteReader(text)
	p = &journal.Pending{Row: *last}
	for _, column := range texts(&p.Row) {
		if n := r.Number(); n > 0 {
			*column = string(r.Take(n - 1))
		}
	}
	n := numbers(&p.Row)
	for i := range n {
		n[i] = int64(r.Number())
	}
	p.Started, p.Ended, p.Last, p.Events, p.Steps, p.Nested = n[0], n[1], n[2], int(n[3]), int(n[4]), int(n[5])
	p.Spilled, p.Bytes, p.Lost, p.Durable, p.Sum = int(n[6]), n[7], int(n[8]), n[9] != 0, n[10]
	p.Body = journal.Chunk{Body: r.Bytes(), Sums: r.Bytes()}
	*last = p.Row
	return p, !r.IsBroken() && r.Len() == 0
}

// unpack moves the runs of all packs to their rows.
func (s *Database) unpack(ctx context.Context, db *sql.DB) error {
	for {
		if has, err := hasPacks(ctx, db); err != nil || !has {
			return err
		}
		if _, err := s.unpackSome(ctx, db, unpackRun); err != nil {
			return err
		}
	}
}

func hasPacks(ctx context.Context, db *sql.DB) (has bool, err error) {
	err = scanOne(ctx, db, `SELECT EXISTS (SELECT 1 FROM packs)`, &has)
	return has, err
}

// unpackToRead is unpack for a reader. On a disk that is full or read-only, packed runs are not seen for the
// time being; all others are.
func (s *Database) unpackToRead(ctx context.Context, db *sql.DB) error {
	if err := s.unpack(ctx, db); !needsRoom(err) {
		return err
	}
	return nil
}

// unpackSome moves the runs of the first packs to their rows, in a transaction of its own, and
// returns the bytes of the packs. The runs get the numbers of their order, but are inserted in the order of their ids, which is random
// else: each page of the index of ids is then changed once.
func (s *Database) unpackSome(ctx context.Context, db *sql.DB, most int) (bytes int, err error) {
	defer s.Turn()()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	packs, err := firstPacks(ctx, tx, most)
	if err != nil || len(packs) == 0 {
		return 0, err
	}
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM runs`).Scan(&last); err != nil {
		return 0, err
	}
	var runs []packedRow
	for _, p := range packs {
		bytes += len(p.body)
		for _, run := range p.rows() {
			last++
			runs = append(runs, packedRow{last, p.owner, run})
		}
	}
	slices.SortFunc(runs, func(a, b packedRow) int { return strings.Compare(a.run.ID, b.run.ID) })
	if err := insertPacked(ctx, tx, runs); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM packs WHERE n <= ?`, packs[len(packs)-1].n); err != nil {
		return 0, err
	}
	return bytes, tx.Commit()
}

// packedRow is a run that gets its row.
type packedRow struct {
	seq   int64
	owner string
	run   *journal.Pending
}

// insertPacked inserts many runs with a statement: for each statement, SQLite keeps the pages as they were before.
func insertPacked(ctx context.Context, tx *sql.Tx, runs []packedRow) error {
	const most = 100
	var insert *sql.Stmt // of the last length
	var args []any
	length := 0
	for all := range slices.Chunk(runs, most) {
		if len(all) != length {
			length = len(all)
			values := strings.Repeat(`,(`+runValues+`,?)`, length)[1:]
			var err error
			if insert, err = tx.PrepareContext(ctx, `INSERT INTO runs (`+runColumns+`, seq) VALUES `+values+` ON CONFLICT (id) DO NOTHING`); err != nil {
				return err
			}
			defer insert.Close()
		}
		args = args[:0]
		for _, r := range all {
			args = append(appendRow(args, r.run, r.owner), r.seq)
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// Packed returns how many runs are packed, and their bytes: those of the packs, and about what a row has besides.
func (s *Database) Packed(ctx context.Context, db *sql.DB) (runs, bytes int64, err error) {
	const weight = 64
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(runs), 0), coalesce(sum(length(body)), 0) FROM packs`).Scan(&runs, &bytes)
	return runs, bytes + weight*runs, err
}

// aPack is a row of table packs.
type aPack struct {
	n     int64
	owner string
	runs  int
	body  []byte
}

// firstPacks reads the first packs, in their order: those of so many runs, about.
func firstPacks(ctx context.Context, tx *sql.Tx, most int) (packs []aPack, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT n, owner, runs, body FROM packs ORDER BY n`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for runs := 0; runs < most && rows.Next(); {
		var p aPack
		if err := rows.Scan(&p.n, &p.owner, &p.runs, &p.body); err != nil {
			return nil, err
		}
		packs = append(packs, p)
		runs += max(1, p.runs)
	}
	return packs, rows.Err()
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

const sumSize = 4 // bytes

// noSum is the checksum of no row: it marks the run as damaged.
const noSum = -1

// rows returns the runs. Damaged ones are marked, and a row that is damaged itself stands for those that cannot be read.
func (p aPack) rows() (all []*journal.Pending) {
	r := journal.NewByteReader(p.body)
	var last journal.Row
	for r.Len() > 0 {
		text, sum := r.Bytes(), r.Take(sumSize)
		run, ok := unpackedRun(text, &last)
		if r.IsBroken() {
			break
		}
		if !ok {
			continue
		}
		if crc32.Checksum(text, castagnoli()) != binary.BigEndian.Uint32(sum) {
			run.Sum = noSum
		}
		all = append(all, run)
	}
	if len(all) != p.runs {
		all = append(all, &journal.Pending{Row: journal.Row{ID: fmt.Sprintf("damaged-%d", p.n), Status: journal.Failed, Sum: noSum}})
	}
	return all
}
