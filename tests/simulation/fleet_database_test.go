package simulation

import (
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// rules are the rules of the shared journal and of the processes that share it. Each is one that
// can be switched off, so that a test shows that an invariant needs it.
type rules struct {
	noFence     bool // events are written also when another process has the run, or when it has ended
	noNumber    bool // events are written whatever the number of the first one is
	claimOnce   bool // a claim is refused to the process that has the run, which may have missed the acknowledgement
	noOrphans   bool // a process does not look for runs that it has claimed without knowing it
	claimEnded  bool // a run that has ended because of an in-doubt call is claimed without an operator
	claimLate   bool // a run is claimed after its events are loaded
	answerEarly bool // a client gets its answer before the end of the run is committed
	sendEarly   bool // a call that is not safe to repeat is sent before its start is committed
	sendOnce    bool // an answer is sent once to the process that has the run
	anyQuestion bool // an answer is taken for whatever question is open
	noPolling   bool // processes look at a run only when they are notified
	ownClock    bool // a sweep compares heartbeats with the clock of its process
}

const (
	leaseTime = 10 * time.Second // after the last heartbeat a process counts as dead
	beatEvery = 2 * time.Second
)

// database is a model of the journal that the processes of a fleet share. The scheduler's
// goroutine alone uses it, one transaction at a time.
type database struct {
	f     *fleet
	runs  map[string]*runRow
	beats map[string]time.Time // of living processes, by the clock of the database
	mail  map[string][]message // by the process that it is for
}

// runRow is a run in the database.
type runRow struct {
	owner  string
	status journal.Status
	events []written
	terms  []term // of all processes that had the run, in order
}

// written is an event, the tenure that it is of and the name of the process that wrote it.
type written struct {
	event execution.Event
	by    *tenure
	owner string
}

// term is the time of an owner. It begins with an event.
type term struct {
	first    int
	owner    string
	operator bool // who has claimed it
}

// message is mail of one process to another.
type message struct {
	kind string // cancel or answer
	run  string
	to   string // the digest of a question
	user execution.Answer
}

// batch is what a process writes in one transaction.
type batch struct {
	owner  string
	items  []queuedEvent
	events []queuedEvent // without marks
	giving []string      // runs that are given back, after the events
}

// write writes a batch, and returns the runs that it has lost.
func (d *database) write(b *batch) (lost []*tenure) {
	for _, part := range b.runs() {
		if !d.writeRun(b.owner, part) {
			lost = append(lost, part[0].tenure)
		}
	}
	for _, id := range b.giving {
		if row := d.runs[id]; row != nil && row.owner == b.owner && row.status == journal.Running {
			row.status = journal.Interrupted
			d.notify(id)
		}
	}
	return lost
}

// runs returns the events of each run.
func (b *batch) runs() (all [][]queuedEvent) {
	at := map[*tenure]int{}
	for _, e := range b.events {
		i, known := at[e.tenure]
		if !known {
			i = len(all)
			at[e.tenure] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], e)
	}
	return all
}

func (d *database) writeRun(owner string, events []queuedEvent) bool {
	t, rules := events[0].tenure, d.f.rules
	row, n := d.runs[t.run], events[0].n
	if row == nil {
		row = &runRow{owner: owner, status: journal.Running, terms: []term{{owner: owner}}}
		d.runs[t.run] = row
	}
	switch {
	case !rules.noNumber && d.has(row, t, n, len(events)):
		return true // an earlier attempt whose acknowledgement was lost
	case !rules.noFence && (row.owner != owner || row.status != journal.Running):
		return false
	case !rules.noNumber && n != len(row.events):
		return false
	}
	for _, e := range events {
		row.events = append(row.events, written{e.event, t, owner})
		if end := e.event.End; end != nil {
			row.status = endOf(end)
		}
	}
	d.notify(t.run)
	return true
}

// endOf is the status of a run that has ended.
func endOf(end *execution.End) journal.Status {
	switch {
	case end.Failure == nil:
		return journal.Finished
	case end.Failure.Code == execution.CodeCancelled:
		return journal.Cancelled
	}
	return journal.Failed
}

// has reports whether a tenure has written these events before.
func (d *database) has(row *runRow, t *tenure, n, count int) bool {
	return n+count <= len(row.events) && row.events[n].by == t
}

// beat prolongs a lease; ok is false when it was lost.
func (d *database) beat(name string) (ok bool) {
	if _, known := d.beats[name]; !known {
		return false
	}
	d.beats[name] = time.Now()
	return true
}

// sweep takes the leases and the runs of dead processes.
func (d *database) sweep(now time.Time) {
	for name, at := range d.beats {
		if now.Sub(at) <= leaseTime {
			continue
		}
		if time.Since(at) <= leaseTime {
			d.f.violated(leaseKind, "process %s has lost its lease, and its heart has beaten in time", name)
		}
		delete(d.beats, name)
		delete(d.mail, name)
	}
	for id, row := range d.runs {
		if _, alive := d.beats[row.owner]; row.status == journal.Running && !alive {
			row.status = journal.Interrupted
			d.notify(id)
		}
	}
}

// interrupted returns the runs that a process may claim: also those that it has claimed without
// knowing it, because a claim was late or its acknowledgement was lost.
func (d *database) interrupted(owner string) (ids []string) {
	for id, row := range d.runs {
		if row.status == journal.Interrupted || row.status == journal.Running && row.owner == owner && !d.f.rules.noOrphans {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// claim gives a run to a tenure that begins, and reports whether it has it.
func (d *database) claim(t *tenure, owner string) bool {
	row := d.runs[t.run]
	_, alive := d.beats[owner]
	switch {
	case row == nil || !alive:
		return false
	case row.status == journal.Interrupted, row.isUnknown() && (t.operator || d.f.rules.claimEnded):
	case row.status == journal.Running && row.owner == owner && !d.f.rules.claimOnce:
	default:
		return false
	}
	row.owner, row.status = owner, journal.Running
	row.terms = append(row.terms, term{len(row.events), owner, t.operator})
	d.notify(t.run)
	return true
}

// isUnknown reports whether a run has ended because of an in-doubt call.
func (r *runRow) isUnknown() bool {
	if r.status != journal.Failed {
		return false
	}
	end := r.events[len(r.events)-1].event.End
	return end != nil && end.Failure != nil && end.Failure.Code == execution.CodeOutcomeUnknown
}

// hasEnded reports whether a run is over for good.
func (r *runRow) hasEnded() bool {
	return !r.isUnknown() && r.status != journal.Running && r.status != journal.Interrupted
}

// load returns the events of a run.
func (r *runRow) load() []execution.Event {
	events := make([]execution.Event, len(r.events))
	for i := range r.events {
		events[i] = r.events[i].event
	}
	return events
}

// notify sends a notification of a change of a run to each process; it may be lost.
func (d *database) notify(run string) {
	for _, p := range d.f.servers {
		if p != nil {
			p.news = true
		}
	}
}
