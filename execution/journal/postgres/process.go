package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"toolgraph/execution/journal"
)

// Process returns this process. The first call inserts its row into processes, and starts the beat.
//
// A process that was taken for dead, because it slept, has lost its runs and its row. It gets another
// name then: the old one never lives again.
func (d *database) Process(ctx context.Context) (journal.Process, error) {
	if me, ok := d.known(); ok {
		return me, nil
	}
	if err := d.opening.Take(ctx); err != nil {
		return journal.Process{}, err
	}
	defer d.opening.Free()
	if me, ok := d.known(); ok {
		return me, nil
	}
	conns, _, err := d.prepared(ctx, true)
	if err != nil {
		return journal.Process{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, statementMost)
	defer cancel()
	me := journal.NewProcess()
	var now int64
	err = conns.QueryRow(ctx, `INSERT INTO processes (name, host, pid) VALUES ($1, $2, $3) RETURNING started`, me.Name, me.Host, me.PID).Scan(&now)
	if err != nil {
		return journal.Process{}, err
	}
	me.Started = time.UnixMicro(now).UTC()
	me.Beat = me.Started
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return journal.Process{}, journal.ErrClosed // its row is found dead later
	}
	d.me = &me
	if !d.beats {
		d.beats = true
		d.goroutines.Go(d.beat)
	}
	return me, nil
}

func (d *database) known() (me journal.Process, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.me == nil || d.closed {
		return me, false
	}
	return *d.me, true
}

// lost forgets this process, which was taken for dead.
func (d *database) lost(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.me != nil && d.me.Name == name {
		d.me = nil
		d.log.Warn("this process did not reach the database of runs in time and was taken for dead; its runs continue elsewhere or are interrupted", "process", name)
	}
}

// beat shows that this process is alive, until the database is closed.
func (d *database) beat() {
	timer := time.NewTimer(d.timing.Beat)
	defer timer.Stop()
	for {
		select {
		case <-d.ctx.Done():
			return
		case <-timer.C:
		}
		next := d.timing.Beat
		if me, ok := d.known(); ok {
			ctx, cancel := context.WithTimeout(d.ctx, d.timing.Dead)
			alive, err := d.show(ctx, me.Name)
			cancel()
			switch {
			case err != nil:
				next /= 4 // the writer reports what is wrong
			case !alive:
				d.lost(me.Name)
			}
		}
		timer.Reset(next)
	}
}

// show renews the beat of this process, and returns when the disk has it and everything before it; alive
// is false when it was taken for dead.
func (d *database) show(ctx context.Context, name string) (alive bool, err error) {
	conns, _, err := d.open(ctx, true)
	if err != nil {
		return false, err
	}
	done, err := conns.Exec(ctx, `UPDATE processes SET beat = now_micros() WHERE name = $1`, name)
	return done.RowsAffected() == 1, err
}

// Sweep takes processes without a recent beat for dead, and marks their runs as interrupted. No process is
// dead while the server runs for a shorter time than that: all were silent while it was down.
func (d *database) Sweep(ctx context.Context) error {
	d.mu.Lock()
	conns, ready := d.conns, d.db != nil && !d.closed && time.Since(d.swept) > min(time.Second, d.timing.Dead/10)
	if ready {
		d.swept = time.Now()
	}
	d.mu.Unlock()
	if !ready {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, statementMost)
	defer cancel()
	err := d.sweep(ctx, conns)
	if codeOf(err) == readOnly || codeOf(err) == noRights {
		return nil // who can only read leaves it to others
	}
	return err
}

func (d *database) sweep(ctx context.Context, conns *pgxpool.Pool) error {
	const isDead = ` FROM processes WHERE beat < now_micros() - $1 AND extract(epoch FROM pg_postmaster_start_time()) * 1000000 < now_micros() - $1`
	// A claim that was on its way when its process was taken for dead.
	const isGone = ` FROM runs WHERE status = 'running' AND NOT EXISTS (SELECT 1 FROM processes WHERE name = owner)`
	age := d.timing.Dead.Microseconds()
	var some, gone bool
	if err := conns.QueryRow(ctx, `SELECT EXISTS (SELECT 1`+isDead+`), EXISTS (SELECT 1`+isGone+`)`, age).Scan(&some, &gone); err != nil {
		return err
	}
	if gone {
		_, err := conns.Exec(ctx, `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = ANY (ARRAY(SELECT DISTINCT owner`+isGone+`))`)
		if err != nil {
			return err
		}
	}
	if !some {
		return nil
	}
	return pgx.BeginFunc(ctx, conns, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `DELETE`+isDead+` RETURNING name`, age) // waits for what such a process is writing
		if err != nil {
			return err
		}
		dead, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(dead) == 0 {
			return err
		}
		// A statement of its own sees what was written meanwhile.
		_, err = tx.Exec(ctx, `UPDATE runs SET status = 'interrupted' WHERE status = 'running' AND owner = ANY ($1)`, dead)
		return err
	})
}

var errGone = errors.New("this process was taken for dead again and again while it wrote")

// Sync writes the next beat at once, and waits for the disk: the log of a server is written in order, so
// what was written before is there as well.
func (d *database) Sync(ctx context.Context) error {
	me, ok := d.known()
	if !ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.beats { // it was taken for dead
			return journal.ErrTaken
		}
		return nil // nothing was written
	}
	ctx, cancel := context.WithTimeout(ctx, statementMost)
	defer cancel()
	alive, err := d.show(ctx, me.Name)
	if err == nil && !alive {
		d.lost(me.Name)
		err = journal.ErrTaken
	}
	return err
}
