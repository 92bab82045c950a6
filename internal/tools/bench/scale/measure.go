package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolgraph/internal/tools/bench/stats"
)

// row is what is measured in a place: one value for each round.
type row struct {
	title string
	unit  string
	digit int // after the point
}

var (
	three  = row{"p50 of 3 calls", "ms", 1}
	ten    = row{"p50 of 10 calls", "ms", 1}
	slow   = row{fmt.Sprintf("runs of 3 calls of %v, at most %d calls in flight in a process", slowly, inFlightEach), "/s", 1}
	waits  = row{fmt.Sprintf("the same with calls of %v", wait), "/s", 0}
	busy   = row{"runs of 3 calls that do not wait", "/s", 0}
	keyed  = row{"the same, with a key in each call, so that it can be repeated", "/s", 0}
	own    = row{"CPU of such a run without a key, in its processes", "ms", 2}
	server = row{"the same, in the Temporal server", "ms", 2}
	stands = row{"a run stands still after SIGKILL of its process, median", "s", 1}
	most   = row{"the same, longest", "s", 1}
	memory = row{"memory of its processes", "MB", 0}
)

var rows = []row{three, ten, slow, waits, busy, keyed, own, server, stands, most, memory}

const (
	wait   = 20 * time.Millisecond
	slowly = 200 * time.Millisecond
	// waiting and working are the calls in flight of the rows waits and busy.
	waiting, working = 96, 32
	// deaths is how many runs are in flight when a process is killed; their 10 calls take deathWait each.
	deaths    = 24
	calls10   = 10
	deathWait = 150 * time.Millisecond
)

// found are the values of a place.
type found struct {
	values map[row][]float64
	wrong  []string
	deaths int // runs whose process was killed
	right  int // of these, runs that ended right
	twice  int // of their calls, those made twice: the one in flight, which is safe to repeat
}

// measure measures a place.
func (r *running) measure(ctx context.Context, up *upstream, span time.Duration, into *found) error {
	c := newClient(r.url, r.name)
	if _, _, err := c.load(ctx, "three", 0, 8, false, span/4); err != nil { // to warm up
		return err
	}
	for _, one := range []struct {
		row      row
		tool     string
		ms       int
		inFlight int
		withKey  bool
	}{
		{three, "three", 0, 1, false},
		{ten, "ten", 0, 1, false},
		{slow, "waits", int(slowly.Milliseconds()), 2 * inFlightEach * r.count, false},
		{waits, "waits", int(wait.Milliseconds()), waiting, false},
		{busy, "three", 0, working, false},
		{keyed, "three", 0, working, true},
	} {
		ownBefore, serverBefore := r.cpu()
		each, perSecond, err := c.load(ctx, one.tool, one.ms, one.inFlight, one.withKey, span)
		if err != nil {
			return fmt.Errorf("%s: %w", one.row.title, err)
		}
		if one.row == busy {
			ownAfter, serverAfter := r.cpu()
			runs := perSecond * (lead + span).Seconds() // about, with those before the span
			into.add(own, 1000*(ownAfter-ownBefore)/runs)
			if r.temporal {
				into.add(server, 1000*(serverAfter-serverBefore)/runs)
			}
		}
		if one.inFlight > 1 {
			into.add(one.row, perSecond)
			continue
		}
		ms := make([]float64, len(each))
		for i, d := range each {
			ms[i] = float64(d) / float64(time.Millisecond)
		}
		into.add(one.row, stats.Percentile(ms, 50))
	}
	into.add(memory, r.memory())
	if r.count == 2 {
		return nil
	}
	return r.die(ctx, c, up, into)
}

// die kills a process with runs in flight. A single process is started again at once, as a supervisor would.
// Clients without an answer call again with the same key.
func (r *running) die(ctx context.Context, c *client, up *upstream, into *found) error {
	calls := up.watch()
	var all sync.WaitGroup
	results := make([]error, deaths)
	ids := make([]string, deaths)
	begin := time.Now()
	for i := range deaths {
		ids[i] = fmt.Sprintf("%s-death-%d-%d", c.name, begin.UnixNano(), i)
		all.Go(func() {
			for {
				var lost *lostError
				if results[i] = c.call(ctx, "ten", ids[i], int(deathWait.Milliseconds()), true); !errors.As(results[i], &lost) || time.Since(begin) > patience {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	time.Sleep(4*deathWait + deathWait/2)
	victim := r.makers[0]
	killed := time.Now()
	victim.kill()
	if r.count == 1 {
		if err := victim.start(ctx); err != nil {
			return err
		}
	}
	all.Wait()
	made := calls()
	var stood []float64
	for i, id := range ids {
		last := slices.IndexFunc(made[id], func(v visit) bool { return v.at.After(killed) })
		if last == 0 || last > 0 && made[id][last-1].process != victim.name {
			continue // in another process
		}
		into.deaths++
		switch {
		case results[i] != nil:
			into.wrong = append(into.wrong, results[i].Error())
		case last > 0:
			into.right++
			into.twice += len(made[id]) - calls10
			stood = append(stood, made[id][last].at.Sub(killed).Seconds())
		}
	}
	if len(stood) == 0 {
		return fmt.Errorf("no run of the killed process has gone on: %v", into.wrong)
	}
	into.add(stands, stats.Median(stood))
	into.add(most, slices.Max(stood))
	return nil
}

func (f *found) add(r row, v float64) {
	if f.values == nil {
		f.values = map[row][]float64{}
	}
	f.values[r] = append(f.values[r], v)
}
