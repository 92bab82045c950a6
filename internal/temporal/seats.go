package temporal

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// busy is the pause before a run that found no place is given to a worker again.
const busy = 200 * time.Millisecond

// seats bounds the runs that a process makes at a time, of all graphs together. It is the slot supplier of all their
// workers: while it is full none of them asks for work. A request that waits at the server does not take a place, since there is
// one for each graph, so more runs may come than there are places; these are given back. Safe for concurrent use.
type seats struct {
	most int

	mu    sync.Mutex // guards what follows
	taken int
	freed chan struct{} // closed and replaced when a place becomes free
}

func newSeats(most int) *seats { return &seats{most: most, freed: make(chan struct{})} }

// take takes a place, if one is free.
func (p *seats) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.most {
		return false
	}
	p.taken++
	return true
}

// leave frees a place.
func (p *seats) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	close(p.freed)
	p.freed = make(chan struct{})
}

func (p *seats) state() (isFull bool, freed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken >= p.most, p.freed
}

// ReserveSlot waits until a place is free, and leaves it free.
func (p *seats) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for {
		isFull, freed := p.state()
		if !isFull {
			return &worker.SlotPermit{}, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// TryReserveSlot returns nil: no run is given to a worker unasked.
func (p *seats) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MarkSlotUsed does nothing: the activity takes the place.
func (p *seats) MarkSlotUsed(worker.SlotMarkUsedInfo) {}

// ReleaseSlot does nothing.
func (p *seats) ReleaseSlot(worker.SlotReleaseInfo) {}

// MaxSlots returns 0: the slots of one graph have no limit of their own.
func (p *seats) MaxSlots() int { return 0 }
