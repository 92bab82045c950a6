package runtime

import (
	"context"
	"sync"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/internal/telemetry/observe"
)

const (
	// lookEvery is how often the store is asked at most, however often and by whomever metrics are collected.
	lookEvery = 15 * time.Second
	// lookMost is how long the answer may take, and lookPatience how long a collection waits for it: then it has the
	// answer before.
	lookMost     = 10 * time.Second
	lookPatience = 2 * time.Second
)

// vitals reports the numbers of a session when metrics are collected: what is counted in memory, and what its store
// answers. Safe for concurrent use.
type vitals struct {
	session *Session
	every   time.Duration // see lookEvery; tests change it
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup // of looks

	mu     sync.Mutex // guards what follows
	serves bool
	files  func() map[string]int           // graph files by their states; nil: none are counted
	ready  func(ctx context.Context) error // see Served.Ready
	asked  time.Time                       // the store
	busy   chan struct{}                   // closed when the store has answered; nil: it is not asked now
	last   *looked                         // the last answer; nil: there was none
}

// looked is what a look at the store has found.
type looked struct {
	census *journal.Census // nil: it could not be read
	ready  bool
}

// reportVitals begins to report the numbers of a session that has telemetry.
func (s *Session) reportVitals() {
	if s.telemetry == nil {
		return
	}
	v := &vitals{session: s, every: lookEvery}
	v.life, v.end = context.WithCancel(context.Background())
	s.vitals = v
	s.telemetry.Read(v.read)
	s.closers = append(s.closers, v.close) // before the store is closed; what was counted is sent after that
}

// serving reports also whether the process is ready, a nil function always says so, and how many graph files it serves, by their
// states; a nil function counts none.
func (v *vitals) serving(ready func(ctx context.Context) error, files func() map[string]int) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.serves, v.ready, v.files = true, ready, files
}

// close ends the looks.
func (v *vitals) close() {
	v.mu.Lock()
	v.end() // so that none begins
	v.mu.Unlock()
	v.running.Wait()
}

// read reports the numbers. After the end of the session they are those that were counted.
func (v *vitals) read(ctx context.Context, report observe.Report) {
	for name, load := range v.session.pools.Loads() {
		report(observe.UpstreamRunning, float64(load.Running), "server", name)
		report(observe.UpstreamConnecting, float64(load.Connecting), "server", name)
		report(observe.UpstreamInFlight, float64(load.InFlight), "server", name)
		report(observe.UpstreamWaiting, float64(load.Waiting), "server", name)
	}
	v.mu.Lock()
	files := v.files
	v.mu.Unlock()
	if files != nil {
		for state, n := range files() {
			report(observe.GraphFiles, float64(n), "state", state)
		}
	}
	var pruned time.Time
	if v.session.History != nil {
		h := v.session.History.Health()
		pruned = h.LastPruning
		reportHealth(h, report)
	}
	if found := v.look(ctx); found != nil {
		if c := found.census; c != nil {
			reportCensus(c, report)
			if c.LastPruning.After(pruned) {
				pruned = c.LastPruning
			}
		}
		v.reportReady(found.ready, report)
	}
	if !pruned.IsZero() {
		report(observe.RetentionLastS, observe.Seconds(pruned))
	}
}

func (v *vitals) reportReady(ready bool, report observe.Report) {
	v.mu.Lock()
	serves := v.serves
	v.mu.Unlock()
	if !serves {
		return
	}
	one := 0.
	if ready && (v.session.fleet == nil || !v.session.fleet.drains()) {
		one = 1
	}
	report(observe.Ready, one)
}

// look returns what the store has answered last; nil before the first answer. It asks the store if that is some time ago.
func (v *vitals) look(ctx context.Context) *looked {
	v.mu.Lock()
	if v.life.Err() != nil {
		v.mu.Unlock()
		return nil
	}
	if v.busy == nil && (v.asked.IsZero() || time.Since(v.asked) >= v.every) {
		v.asked, v.busy = time.Now(), make(chan struct{})
		v.running.Go(v.ask)
	}
	busy := v.busy
	v.mu.Unlock()
	if busy != nil {
		ctx, cancel := context.WithTimeout(ctx, lookPatience)
		defer cancel()
		select {
		case <-busy:
		case <-ctx.Done():
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// ask asks the store once.
func (v *vitals) ask() {
	ctx, cancel := context.WithTimeout(v.life, lookMost)
	defer cancel()
	v.mu.Lock()
	ready := v.ready
	v.mu.Unlock()
	found := &looked{ready: ready == nil || ready(ctx) == nil}
	if v.session.History != nil {
		if census, err := v.session.History.Census(ctx); err == nil {
			found.census = &census
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = found
	close(v.busy)
	v.busy = nil
}

// reportHealth reports what a process has counted of its store.
func reportHealth(h journal.Health, report observe.Report) {
	report(observe.StoreErrors, float64(h.ReadErrors), "operation", "read")
	report(observe.StoreErrors, float64(h.WriteErrors), "operation", "write")
	report(observe.StoreEventsLost, float64(h.Unrecorded))
	report(observe.QueueEvents, float64(h.Queued))
	report(observe.QueueBytes, float64(h.QueuedBytes))
	report(observe.QueueAgeS, h.Waited.Seconds())
	report(observe.LeasesLost, float64(h.Lost))
	report(observe.Takeovers, float64(h.Claimed))
	report(observe.RunsUnparked, float64(h.Unparked))
	report(observe.RetentionDeleted, float64(h.Pruned))
	report(observe.RetentionFailures, float64(h.PruneErrors))
	if c := h.Connections; c != nil {
		report(observe.Connections, float64(c.InUse), "state", "in_use")
		report(observe.Connections, float64(c.Idle), "state", "idle")
		report(observe.MostConnections, float64(c.Most))
		report(observe.ConnectionWaits, float64(c.Waits))
		report(observe.ConnectionWaitS, c.Waited.Seconds())
	}
}

// reportCensus reports the runs of a store that can continue.
func reportCensus(c *journal.Census, report observe.Report) {
	report(observe.StoreBytes, float64(c.Bytes))
	report(observe.RunsParked, float64(c.Parked.Runs))
	report(observe.ParkedOverdueS, c.Overdue.Seconds())
	for status, of := range map[string]journal.Counted{
		"running": c.Running, "waiting": c.Waiting, "interrupted": c.Interrupted, "in_doubt": c.InDoubt,
	} {
		age := 0.
		if of.Runs > 0 {
			age = max(0, time.Since(of.Last).Seconds())
		}
		report(observe.StoreRuns, float64(of.Runs), "status", status)
		report(observe.StoreRunsOld, float64(of.Old), "status", status)
		report(observe.StoreRunAgeS, age, "status", status)
	}
}
