package journal

import "context"

// Lock is held while a database is asked, which can take long: who waits for it stops waiting when its context ends. A mutex
// would make it wait for the answer that another one wants. NewLock makes it; safe for concurrent use.
type Lock struct{ held chan struct{} }

// NewLock returns a lock that nothing holds.
func NewLock() Lock { return Lock{make(chan struct{}, 1)} }

// Take takes the lock, or returns why ctx has ended.
func (l Lock) Take(ctx context.Context) error {
	select {
	case l.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Free gives the lock back, which is held.
func (l Lock) Free() { <-l.held }
