package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// row is what was found of a form, a number for each round.
type row struct {
	form
	took, bare []float64 // ms
	cpu        []float64 // µs of processor time a call, above that of the waits alone
	records    int
	held       float64 // heap that a finished run holds, in bytes a record
	values     float64 // of it the values, as JSON
}

// measure runs a form and the waits alone in turns. The first turn is to warm up.
func measure(ctx context.Context, f form, wait time.Duration, rounds int) (*row, error) {
	g, err := f.build(ctx)
	if err != nil {
		return nil, err
	}
	r := &row{form: f}
	engine, args := execution.New(waiting(wait)), arguments(f.calls)
	for round := -1; round < rounds; round++ {
		busy := cpu()
		bare, err := waits(ctx, f.calls, f.width, wait)
		idle := cpu() - busy
		if err != nil {
			return nil, err
		}
		before := heap()
		start := time.Now()
		busy = cpu()
		result, err := engine.Run(ctx, g, args)
		took, used := time.Since(start), cpu()-busy
		if err != nil {
			return nil, err
		}
		if round >= 0 {
			r.bare = append(r.bare, milliseconds(bare))
			r.took = append(r.took, milliseconds(took))
			r.cpu = append(r.cpu, 1000*milliseconds(used-idle)/float64(f.calls))
		}
		history := result.History()
		r.records = len(history)
		r.held = (heap() - before) / float64(r.records)
		size := 0
		for _, rec := range history {
			size += value.Size(rec.Output)
		}
		r.values = float64(size) / float64(r.records)
	}
	return r, nil
}

// waiting is a server whose calls take a while and answer with their arguments.
func waiting(wait time.Duration) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		return c.Args, nil
	})
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waits makes the waits of the calls without the engine: so many goroutines take one after the
// other.
func waits(ctx context.Context, calls, width int, wait time.Duration) (time.Duration, error) {
	var taken atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range width {
		all.Go(func() {
			for taken.Add(1) <= int64(calls) && sleep(ctx, wait) == nil {
				continue
			}
		})
	}
	all.Wait()
	return time.Since(start), ctx.Err()
}

// cancelled cancels a run while its calls are in flight, and returns how long it took to end.
func cancelled(ctx context.Context, f form) (time.Duration, error) {
	g, err := f.build(ctx)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var begun atomic.Int64
	var at time.Time
	caller := execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		if int(begun.Add(1)) == f.width {
			at = time.Now()
			cancel()
		}
		return nil, sleep(ctx, time.Minute)
	})
	_, err = execution.New(caller).Run(ctx, g, arguments(f.calls))
	if err == nil || ctx.Err() == nil {
		return 0, errors.Join(err, errors.New("the run was not cancelled"))
	}
	if n := begun.Load(); n > int64(f.width) {
		return 0, fmt.Errorf("%d calls began, at most %d run at once", n, f.width)
	}
	return time.Since(at), nil
}

// arguments are {items: [0, 1, …]}.
func arguments(n int) value.Value {
	items := make([]any, n)
	for i := range items {
		items[i] = float64(i)
	}
	return value.NewObject([]string{"items"}, []value.Value{items})
}

// heap is what is reachable now, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
