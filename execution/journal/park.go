package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"toolgraph/execution"
)

// A parked run has no process: its row says what it waits for, and when it is due. Its status is that of an interrupted
// run, with which earlier programs do what is right: its column parked has the owner that has parked it, so a claim,
// also one of an earlier program, ends that.

// isParked selects the parked runs. It is the text of the index of them, so that they are found by their due times,
// and with isAdrift the interrupted ones among them.
const (
	isParked = `status = 'interrupted' AND parked = owner`
	isAdrift = `status = 'interrupted' AND parked <> owner`
)

// atOnce is the due time of a run whose answer is there.
const atOnce = 1

// noDue is the due time of a run that goes on with an answer only.
const noDue = math.MaxInt64

const parkOne = `UPDATE runs SET status = 'interrupted', resumed = CASE WHEN resumed > 0 THEN resumed - 1 ELSE 0 END,
	parked = owner, due = $3, rest = $4 WHERE status = 'running' AND owner = $1 AND id = $2`

// Park gives back a run that this process has and that is parked, when everything of it is recorded: any process may resume
// it then, see Due and ClaimParked.
func (s *Store) Park(id string, rest *execution.Rest) error {
	text, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	due := int64(noDue)
	if !rest.Due.IsZero() {
		due = micros(rest.Due)
	}
	done := make(chan error, 1)
	if err := s.writer.put(&queued{release: id, park: &parkedRow{due, string(text)}, done: done}); err != nil {
		return err
	}
	return <-done
}

// parkedRow is what the row of a parked run has.
type parkedRow struct {
	due  int64 // microseconds since 1970
	rest string
}

// CanPark reports whether all of a run is in the database exactly as it was, so that a process can resume it, or its writing
// has not come so far: it is asked again later then. It waits for nothing.
func (s *Store) CanPark(id string) bool {
	w := s.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gaps[id] || w.runsTaken[id] || w.off != nil || w.failing != nil || w.lost.runs[id] != 0 {
		return false
	}
	if _, isUnwritten := w.unwritten[id]; isUnwritten || w.added.runs[id] {
		return false
	}
	for _, part := range [][]queued{w.writing, w.queue.events} {
		for i := range part {
			if part[i].event.Run == id {
				return false
			}
		}
	}
	return true
}

// hasGaps notes that something of a run was not recorded as it was.
func (w *writer) hasGaps(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gaps[run] = true
}

// parameter returns the name of a parameter of a statement.
func parameter(n int) string { return "$" + strconv.Itoa(n) }

// isGap reports whether a value is not in the store as it was.
func (v stored) isGap() bool { return v.redacted || v.kind == tooLarge }

// Due returns parked runs of files that are due at a time, the first due first, and when the next one is due: zero for none. A
// file is one of About's: by its path or the name of its server. However many runs are parked, these are two statements.
func (s *Store) Due(ctx context.Context, files []About, at time.Time, most int) (due []Run, next time.Time, err error) {
	if len(files) == 0 {
		return nil, next, nil
	}
	var args []any
	var paths, servers []string
	for _, of := range files {
		args = append(args, of.File)
		paths = append(paths, parameter(len(args)))
		args = append(args, of.Server)
		servers = append(servers, parameter(len(args)))
	}
	of := ` AND (file IN (` + strings.Join(paths, ",") + `) OR server IN (` + strings.Join(servers, ",") + `))`
	now := parameter(len(args) + 1)
	args = append(args, micros(at))
	due, err = s.queryIn(ctx, s.unendedReader, ` WHERE `+isParked+` AND due <= `+now+of+` ORDER BY due LIMIT `+parameter(len(args)+1), append(args, most)...)
	if err != nil || len(due) == most {
		return due, at, err
	}
	db, err := s.data.Open(ctx, false)
	if errors.Is(err, ErrNoStore) {
		return due, next, nil
	}
	if err != nil {
		return due, next, err
	}
	var first sql.NullInt64
	err = db.QueryRowContext(ctx, `SELECT min(due) FROM (SELECT due FROM runs WHERE `+isParked+` AND due > `+now+of+` ORDER BY due LIMIT 1) AS first`, args...).Scan(&first)
	if err == nil && first.Valid && first.Int64 < noDue {
		next = timeOf(first.Int64)
	}
	return due, next, s.readFault(err)
}

// ClaimDue claims parked runs, and returns what those of them have waited for that this process has now: another one may be faster.
// It is one statement.
func (s *Store) ClaimDue(ctx context.Context, ids []string) (claimed map[string]*execution.Rest, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	db, err := s.data.Open(ctx, false)
	if err != nil {
		return nil, s.readFault(err)
	}
	owner, err := s.process(ctx)
	if err != nil {
		return nil, err
	}
	claimed = map[string]*execution.Rest{}
	for _, id := range ids {
		begun := s.writer.work(id) // before others can see it
		defer func() {
			if claimed[id] == nil {
				failed := ErrRunning
				begun(&failed)
			}
		}()
	}
	args, list := parameters(ids)
	each := `SELECT seq FROM runs WHERE ` + isParked + ` AND id IN (` + list + `)`
	if _, remote := s.data.(Remote); remote {
		each += ` FOR UPDATE SKIP LOCKED` // two processes that want the same runs do not wait for each other
	}
	rows, err := db.QueryContext(ctx, `UPDATE runs SET status = 'running', resumed = resumed + 1, owner = `+parameter(len(args)+1)+`, parked = ''
		WHERE seq IN (`+each+`) RETURNING id, rest`, append(args, owner)...)
	if err != nil {
		return nil, s.writeFault(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return claimed, s.writeFault(err)
		}
		rest := restOf(text)
		if rest == nil {
			rest = &execution.Rest{}
		}
		claimed[id] = rest
		s.writer.clearTaken(id)
		s.tally.unparked.Add(1)
	}
	return claimed, s.writeFault(rows.Err())
}

// AnswerParked stores the answer to an open question of a parked run under a name, and makes the run due: the process that resumes it
// reads the answer, see Attached. The first answer counts. parked is false for a run that is not parked: nothing is stored then.
func (s *Store) AnswerParked(ctx context.Context, id, name string, body []byte) (parked bool, err error) {
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return false, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, s.writeFault(err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	done, err := tx.ExecContext(ctx, `UPDATE runs SET due = $2 WHERE id = $1 AND `+isParked, id, atOnce)
	if err != nil {
		return false, s.writeFault(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO payloads (run, name, at, body) VALUES ($1, $2, $3, $4) ON CONFLICT (run, name) DO NOTHING`,
		id, name, time.Now().UnixMicro(), body)
	if err == nil {
		err = tx.Commit()
	}
	return err == nil, s.writeFault(err)
}

// restOf reads what a parked run waited for. A damaged text is none: the waits begin anew.
func restOf(text string) *execution.Rest {
	var r execution.Rest
	if text == "" || json.Unmarshal([]byte(text), &r) != nil {
		return nil
	}
	return &r
}
