package runtime

import (
	"context"
	"encoding/json"
	"sync"
)

// asks are the questions that the client of a call is being asked over its connection. They stay open while the run is parked, so that the
// client sees each once. Safe for concurrent use.
type asks struct {
	call context.Context //nolint:containedctx // of the call, which the questions outlive the run for

	mu   sync.Mutex // guards what follows
	open map[string]*openAsk
	turn func() // ends the turn of a question that stays open; nil: none does
}

// openAsk is a question that a client is being asked.
type openAsk struct {
	stop context.CancelFunc
	over chan struct{} // closed when there is an answer, or none will come
	raw  json.RawMessage
	err  error
}

type asksKey struct{}

// withAsks lets the questions of a call's run stay open while that is parked.
func withAsks(ctx context.Context) context.Context {
	return context.WithValue(ctx, asksKey{}, &asks{call: ctx, open: map[string]*openAsk{}})
}

// asksOf returns the questions of the call that ctx belongs to; nil when they do not stay open.
func asksOf(ctx context.Context) *asks {
	a, _ := ctx.Value(asksKey{}).(*asks)
	return a
}

// ask puts a question, or waits for the answer to the same one that is still open. When the run is parked, it stays open.
func (a *asks) ask(ctx context.Context, mark string, put func(ctx context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if a == nil {
		return put(ctx)
	}
	o := a.begin(ctx, mark, put)
	select {
	case <-o.over:
	case <-ctx.Done():
		if isParked(context.Cause(ctx)) {
			return nil, ctx.Err()
		}
		o.stop()
		<-o.over
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, mark)
	if o.err == nil {
		return o.raw, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, o.err
}

func (a *asks) begin(ctx context.Context, mark string, put func(ctx context.Context) (json.RawMessage, error)) *openAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.open[mark]; o != nil {
		return o
	}
	asking, stop := context.WithCancel(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(a.call, stop)
	o := &openAsk{stop: stop, over: make(chan struct{})}
	a.open[mark] = o
	go func() {
		defer close(o.over)
		defer unlink()
		defer stop()
		o.raw, o.err = put(asking)
	}()
	return o
}

// inTurn waits for the turn of the client; that of a question that has stayed open is gone on with.
func (a *asks) inTurn(ctx context.Context, turn func(ctx context.Context) (func(), error)) (done func(), err error) {
	if a == nil {
		return turn(ctx)
	}
	a.mu.Lock()
	leave := a.turn
	a.turn = nil
	a.mu.Unlock()
	if leave == nil {
		if leave, err = turn(ctx); err != nil {
			return nil, err
		}
	}
	return func() {
		a.mu.Lock()
		stays := len(a.open) > 0
		if stays {
			a.turn = leave
		}
		a.mu.Unlock()
		if !stays {
			leave()
		}
	}, nil
}

// end closes the questions that are open: the call has ended, or its run goes on elsewhere.
func (a *asks) end() {
	if a == nil {
		return
	}
	a.mu.Lock()
	turn := a.turn
	a.turn = nil
	for mark, o := range a.open {
		o.stop()
		delete(a.open, mark)
	}
	a.mu.Unlock()
	if turn != nil {
		turn()
	}
}
