package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// Mail is the topic of messages.
const Mail Topic = "mail"

// Message is for the process that has a run.
type Message struct {
	Run  string
	Kind string // "cancel", "answer"
	Body json.RawMessage
}

// ErrNoProcess is the error of a message for a process that does not live.
var ErrNoProcess = errors.New("the process has ended")

// Process returns this process, which begins to be one that others see.
func (s *Store) Process(ctx context.Context) (Process, error) {
	p := s.known()
	return s.announce(ctx, p.Address, p.Draining)
}

// known returns this process as others see it.
func (s *Store) known() Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.announced
}

// Announce is Process; others see the address where this process serves, and whether it drains.
func (s *Store) Announce(ctx context.Context, address string, draining bool) error {
	_, err := s.announce(ctx, address, draining)
	return err
}

func (s *Store) announce(ctx context.Context, address string, draining bool) (Process, error) {
	p, err := s.data.Process(ctx)
	if err != nil {
		return Process{}, s.writeFault(err)
	}
	if err := s.announcing.Take(ctx); err != nil {
		return Process{}, err
	}
	defer s.announcing.Free()
	if before := s.known(); before.Name == p.Name && before.Address == address && before.Draining == draining {
		return before, nil
	}
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return Process{}, err
	}
	if r, ok := s.data.(Registrar); ok {
		err = r.Register(ctx, db, p)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, `UPDATE processes SET address = $1, draining = $2 WHERE name = $3`, address, draining, p.Name)
	}
	if err != nil {
		return Process{}, s.writeFault(err)
	}
	p.Address, p.Draining = address, draining
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner, s.announced = p.Name, p
	return p, nil
}

// SignOff are statements that end what others see of a process.
var SignOff = []string{`DELETE FROM mail WHERE process = $1`, `DELETE FROM processes WHERE name = $1`}

// signOff ends what others see of this process. When it fails, a sweep does it.
func (s *Store) signOff() {
	me := s.known()
	if _, ok := s.data.(Registrar); !ok || me.Name == "" {
		return
	}
	db, err := s.data.Open(background, false)
	if err != nil {
		return
	}
	for _, statement := range SignOff {
		_, _ = db.ExecContext(background, statement, me.Name)
	}
}

// Processes returns the processes that live and can get messages, the oldest first.
func (s *Store) Processes(ctx context.Context) ([]Process, error) {
	db, err := s.unendedReader(ctx)
	if errors.Is(err, ErrNoStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT name, host, pid, address, draining, started, beat FROM processes ORDER BY started, name`)
	if err != nil {
		return nil, s.readFault(err)
	}
	defer rows.Close()
	var all []Process
	for rows.Next() {
		var p Process
		var started, beat int64
		if err := rows.Scan(&p.Name, &p.Host, &p.PID, &p.Address, &p.Draining, &started, &beat); err != nil {
			return nil, s.readFault(err)
		}
		p.Started, p.Beat = timeOf(started), timeOf(beat)
		all = append(all, p)
	}
	return all, s.readFault(rows.Err())
}

// Send leaves a message for a process, which is named by its name or the part before the first dot of
// it. The message is stored until the process takes it, or ends. The error wraps ErrNoProcess when it
// does not live.
func (s *Store) Send(ctx context.Context, process string, m Message) error {
	db, err := s.unendedReader(ctx)
	if errors.Is(err, ErrNoStore) {
		return fmt.Errorf("process %q: %w", process, ErrNoProcess)
	}
	if err != nil {
		return err
	}
	const named = ` FROM processes WHERE name = $1 OR substr(name, 1, length($1) + 1) = $1 || '.'`
	done, err := db.ExecContext(ctx, `INSERT INTO mail (process, run, kind, body) SELECT name, $2, $3, $4`+named, process, m.Run, m.Kind, string(m.Body))
	if err == nil {
		if n, countErr := done.RowsAffected(); n > 0 || countErr != nil {
			return countErr
		}
	}
	var known string
	if gone := db.QueryRowContext(ctx, `SELECT name`+named, process).Scan(&known); errors.Is(gone, sql.ErrNoRows) { // also meanwhile
		return fmt.Errorf("process %q: %w", process, ErrNoProcess)
	}
	return s.writeFault(err)
}

// Receive calls handle with each message for this process, once and in their order, until ctx or the
// store ends.
func (s *Store) Receive(ctx context.Context, handle func(Message)) error {
	handled := map[int64]bool{} // and not deleted
	return s.data.Watch(ctx, Mail, func(ctx context.Context, db *sql.DB) error {
		me, err := s.Process(ctx) // it may have got another name
		if err != nil || db == nil {
			return err
		}
		fresh, err := mailOf(ctx, db, me.Name)
		if err != nil || len(fresh) == 0 {
			return s.readFault(err)
		}
		var seqs []int64
		for _, m := range fresh {
			if !handled[m.seq] {
				handle(m.Message)
			}
			handled[m.seq] = true
			seqs = append(seqs, m.seq)
		}
		args, list := parameters(seqs)
		if _, err := db.ExecContext(ctx, `DELETE FROM mail WHERE seq IN (`+list+`)`, args...); err != nil {
			return s.writeFault(err)
		}
		clear(handled)
		return nil
	})
}

type numbered struct {
	seq int64
	Message
}

// mailMost is how many messages are read at a time.
const mailMost = 100

func mailOf(ctx context.Context, db *sql.DB, process string) (all []numbered, err error) {
	rows, err := db.QueryContext(ctx, `SELECT seq, run, kind, body FROM mail WHERE process = $1 ORDER BY seq LIMIT $2`, process, mailMost)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m numbered
		var body string
		if err := rows.Scan(&m.seq, &m.Run, &m.Kind, &body); err != nil {
			return nil, err
		}
		m.Body = json.RawMessage(body)
		all = append(all, m)
	}
	return all, rows.Err()
}
