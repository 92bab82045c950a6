package results

import (
	"container/list"
	"sync"

	"toolgraph/config"
)

// memory holds values as JSON, up to a number of bytes: the least recently used ones make room.
// Safe for concurrent use.
type memory struct {
	most int // bytes

	mu     sync.Mutex // guards what follows
	bytes  int
	recent *list.List // of *held, the most recently used first
	byRun  map[string]*list.Element
}

// held is the result of one run.
type held struct {
	run, file, tool string
	subject         string // of the client that made the run, a digest
	json            []byte // without secrets
	secrets         *config.Secrets
	recorded        bool // the history has it too, and says whether the run is still there
}

// overhead is about how many bytes a value takes beside its JSON.
const overhead = 512

func (h *held) size() int { return len(h.json) + overhead }

func newMemory(most int) *memory {
	return &memory{most: most, recent: list.New(), byRun: map[string]*list.Element{}}
}

// put holds a value, and reports whether there is room for it.
func (m *memory) put(h *held) bool {
	if h.size() > m.most {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(m.byRun[h.run])
	for m.bytes+h.size() > m.most {
		m.drop(m.recent.Back())
	}
	m.byRun[h.run] = m.recent.PushFront(h)
	m.bytes += h.size()
	return true
}

// get returns the value of a run; nil when it is not held.
func (m *memory) get(run string) *held {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.byRun[run]
	if at == nil {
		return nil
	}
	m.recent.MoveToFront(at)
	return at.Value.(*held)
}

// drop removes an element; nil is none. The caller holds mu.
func (m *memory) drop(at *list.Element) {
	if at == nil {
		return
	}
	h := m.recent.Remove(at).(*held)
	delete(m.byRun, h.run)
	m.bytes -= h.size()
}
