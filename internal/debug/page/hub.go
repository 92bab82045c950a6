package page

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// remembered is how many events a stream can miss and still be told of.
const remembered = 512

// hub keeps the latest events for the streams.
type hub struct {
	boot string // tells the events of this process from those of one before it

	mu     sync.Mutex // guards what follows
	events []event    // of consecutive numbers
	last   int        // number of the last event; the first is 1
	wake   map[chan struct{}]bool
}

type event struct {
	number int
	kind   string
	data   []byte
}

func newHub() *hub { return &hub{boot: rand.Text()[:8], wake: map[chan struct{}]bool{}} }

// tell gives an event to all streams, now and those that come back later.
func (h *hub) tell(kind string, about any) {
	data, err := json.Marshal(about)
	if err != nil {
		return // about is of our own structs, which always encode
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	if len(h.events) == remembered {
		h.events = append(h.events[:0:0], h.events[remembered/2:]...)
	}
	h.events = append(h.events, event{number: h.last, kind: kind, data: data})
	for wake := range h.wake {
		select {
		case wake <- struct{}{}:
		default: // told already
		}
	}
}

// join is a channel that is told when there are events, unless there are too many
// streams. The caller leaves.
func (h *hub) join(most int) (wake chan struct{}, leave func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wake) >= most {
		return nil, nil, false
	}
	wake = make(chan struct{}, 1)
	h.wake[wake] = true
	return wake, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.wake, wake)
	}, true
}

// since are the events after a number; missed when some of them are gone.
func (h *hub) since(number int) (events []event, missed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.last - len(h.events) + 1
	if number+1 < first || number > h.last {
		return nil, true
	}
	return h.events[number+1-first:], false
}

func (h *hub) now() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// id is an event's id on the wire; number is the reverse, -1 for what is none of ours.
func (h *hub) id(number int) string { return fmt.Sprintf("%s-%d", h.boot, number) }

func (h *hub) number(id string) int {
	boot, text, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(text)
	if err != nil || boot != h.boot {
		return -1
	}
	return n
}
