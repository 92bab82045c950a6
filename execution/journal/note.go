package journal

import (
	"encoding/json"

	"toolgraph/execution"
)

// note is a call-started in the lease of its process: it must survive the process although it
// waits in the queue.
type note struct {
	Event execution.Event `json:"event"`
	Begin *beginning      `json:"begin,omitempty"` // nil: the run has its row
}

// beginning is the data for the row of a run that the process may not live to write: without a
// row the call would be unknown.
type beginning struct {
	File   string `json:"file,omitempty"`
	Server string `json:"server,omitempty"`
	First  []byte `json:"first"` // the frame of its run-started; secrets are redacted
}

// A noteForm says how much of a run without a row is in a note.
type noteForm int

const (
	wholeNote noteForm = iota // with its arguments
	shortNote                 // without: such a run is not resumed
)

// note writes a call into the lease of this process and reports whether the call survives the
// process that way. It does not when the lease cannot be written, or when the run has no row yet
// and its arguments are too long for a whole note: then the run waits for its row.
func (w *writer) note(e execution.Event, form noteForm) bool {
	if w.store.noter == nil {
		return false
	}
	w.mu.Lock()
	begun, isUnwritten := w.unwritten[e.Run]
	recorded := w.lost.runs[e.Run] != unrecorded
	w.mu.Unlock()
	if !recorded {
		return true // nothing of the run can be resumed
	}
	n := note{Event: e}
	if isUnwritten {
		if form == shortNote {
			first := *begun.start
			first.Args = (&Gap{Reason: Unwritten}).value()
			begun.start, begun.size = &first, 0
		}
		first := execution.Event{Kind: execution.RunStarted, Run: e.Run, Time: begun.at, Start: begun.start}
		t := track{view: begun.view}
		t.ID = e.Run
		if begun.size >= slotSize || t.add(first, begun.size) != nil {
			return false
		}
		n.Begin = &beginning{File: t.view.about.File, Server: t.view.about.Server, First: t.body}
	}
	text, err := json.Marshal(n)
	return err == nil && w.store.noter.note(e.Run, nameOfNote(e.Step), text)
}

// written drops the beginnings of runs that have their rows now, and ends the work on those that have
// ended.
func (w *writer) written(touched []*track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range touched {
		delete(w.unwritten, t.ID)
		if t.Status != Running {
			delete(w.working, t.ID)
		}
	}
}
