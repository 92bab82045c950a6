package postgres

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"toolgraph/execution/journal"
)

const (
	lookLeast = 50 * time.Millisecond // between two looks, however often something changes
	lookMost  = time.Second           // notifications can get lost
	retryBell = time.Second           // after the connection that listens has failed
)

// bell wakes those who watch. One connection listens for all of them, while there is one.
type bell struct {
	mu    sync.Mutex // guards what follows
	rings map[chan struct{}]journal.Topic
	quiet context.CancelFunc // ends the goroutine that listens; nil: there is none
}

// Watch calls look when a notification of the topic has come, and each second.
func (d *database) Watch(ctx context.Context, topic journal.Topic, look func(ctx context.Context, db *sql.DB) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	ring := make(chan struct{}, 1)
	d.listen(ring, topic)
	defer d.unlisten(ring)
	for {
		err := d.look(ctx, look)
		switch {
		case ctx.Err() != nil || errors.Is(err, journal.ErrClosed):
			return nil
		case err != nil && d.Trouble(err) != journal.Passing && d.Trouble(err) != journal.Locked:
			return err
		}
		if !wait(ctx, time.After(lookLeast), nil) || !wait(ctx, time.After(lookMost-lookLeast), ring) {
			return nil
		}
	}
}

func (d *database) look(ctx context.Context, look func(ctx context.Context, db *sql.DB) error) error {
	db, err := d.Open(ctx, false)
	switch {
	case errors.Is(err, journal.ErrNoStore):
		db = nil
	case err != nil:
		return d.Explain(err)
	default:
		if err := d.Sweep(ctx); err != nil {
			return d.Explain(err)
		}
	}
	return look(ctx, db)
}

// wait waits for the timer or the ring; ok is false when ctx has ended.
func wait(ctx context.Context, timer <-chan time.Time, ring <-chan struct{}) (ok bool) {
	select {
	case <-ctx.Done():
		return false
	case <-timer:
	case <-ring:
	}
	return true
}

func (d *database) listen(ring chan struct{}, topic journal.Topic) {
	b := &d.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings[ring] = topic
	if b.quiet == nil && d.ctx.Err() == nil {
		var ctx context.Context
		ctx, b.quiet = context.WithCancel(d.ctx)
		d.goroutines.Go(func() { d.hear(ctx) })
	}
}

func (d *database) unlisten(ring chan struct{}) {
	b := &d.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.rings, ring); len(b.rings) == 0 && b.quiet != nil {
		b.quiet()
		b.quiet = nil
	}
}

// ring wakes those who watch a topic, or all.
func (b *bell) ring(topic journal.Topic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ring, of := range b.rings {
		if topic != "" && of != topic {
			continue
		}
		select {
		case ring <- struct{}{}:
		default: // it is awake
		}
	}
}

// hear listens until ctx ends.
func (d *database) hear(ctx context.Context) {
	for {
		_ = d.hearOnce(ctx) // look reports what is wrong with the server
		if !wait(ctx, time.After(retryBell), nil) {
			return
		}
	}
}

func (d *database) hearOnce(ctx context.Context) error {
	conns, _, err := d.open(ctx, false)
	if err != nil {
		return err
	}
	pooled, err := conns.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // it is not used again
	}()
	if _, err := conn.Exec(ctx, `LISTEN `+d.schema); err != nil {
		return err
	}
	d.bell.ring("") // something may have changed before
	for {
		heard, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		d.bell.ring(journal.Topic(heard.Payload))
	}
}
