package execution

import (
	"slices"
	"sync"
)

// queue gives parts to workers: in order, or those that need others when these have ended. A part begins
// its call when the one that was given before it has.
type queue struct {
	mu    sync.Mutex    // guards what follows
	free  []int         // parts that can start and were not given yet; sorted
	left  []int         // of each part: how many of those that it needs have not ended; nil: no part needs any
	after [][]int       // of each part: those that need it
	turn  chan struct{} // closed when the part that was given last has begun
}

func newQueue(size int, needs [][]int) *queue {
	q := &queue{turn: make(chan struct{}), free: make([]int, 0, size)}
	close(q.turn)
	if needs != nil {
		q.left, q.after = make([]int, size), make([][]int, size)
	}
	for i := range size {
		if needs == nil || len(needs[i]) == 0 {
			q.free = append(q.free, i)
			continue
		}
		q.left[i] = len(needs[i])
		for _, before := range needs[i] {
			q.after[before] = append(q.after[before], i)
		}
	}
	return q
}

// ready returns how many parts can start.
func (q *queue) ready() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.free)
}

// end notes that a part has ended, and returns how many parts can start since.
func (q *queue) end(part int) int {
	if q.left == nil {
		return 1 // the next one, if there is one
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.free)
	for _, i := range q.after[part] {
		if q.left[i]--; q.left[i] == 0 {
			at, _ := slices.BinarySearch(q.free, i)
			q.free = slices.Insert(q.free, at, i)
		}
	}
	return len(q.free) - before
}

// take returns the next part, -1 when none can start, the channel that is closed when it may begin,
// and the function that lets the one after it begin.
func (q *queue) take() (part int, turn <-chan struct{}, next func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.free) == 0 {
		return -1, nil, nil
	}
	part, turn = q.free[0], q.turn
	q.free = q.free[1:]
	begun := make(chan struct{})
	q.turn = begun
	return part, turn, sync.OnceFunc(func() { close(begun) })
}
