package execution

import "sync"

// working counts the goroutines of a run that are at work, for a gate that follows that.
type working struct {
	mu sync.Mutex // held while the gate gets the number: it gets them in order
	n  int
}

// work adds goroutines for parts of a node, or removes them.
func (l *live) work(p *pace, n int) {
	l.clock.work(p, n)
	l.parking.worked()
	l.atWork(n)
}

// away says that a goroutine waits, and not for the gate, until back is called.
func (l *live) away() (back func()) {
	l.atWork(-1)
	return func() { l.atWork(1) }
}

func (l *live) atWork(n int) {
	counter, counts := l.hooks.gate.(Counter)
	if !counts {
		return
	}
	l.working.mu.Lock()
	defer l.working.mu.Unlock()
	l.working.n += n
	counter.AtWork(l.working.n)
}
