package audit

import (
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// Report is the result of Verify.
type Report struct {
	File    string    `json:"file"`
	OK      bool      `json:"ok"`
	Problem *Problem  `json:"problem,omitempty"`
	Files   int       `json:"files"`
	Lines   int64     `json:"lines"` // up to the problem
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`

	Runs      Runs           `json:"runs"`
	Calls     map[string]int `json:"calls"`     // attempts, by effect
	Failed    map[string]int `json:"failed"`    // of the calls, by code
	Open      int            `json:"open"`      // calls without an outcome: in flight, or interrupted
	Questions map[string]int `json:"questions"` // by kind: ask or confirmation
	Answers   map[string]int `json:"answers"`   // by action
	Refusals  map[string]int `json:"refusals"`  // by code
	Lost      int            `json:"lost"`      // lines that could not be written
	Notes     []Note         `json:"notes"`     // the first 100

	begun map[callID]int // calls without an outcome
}

// Runs counts runs.
type Runs struct {
	Begun   int            `json:"begun"`
	Resumed int            `json:"resumed"` // times that an interrupted run went on
	Ended   map[string]int `json:"ended"`   // by outcome: ok, or the code of the failure
}

// callID identifies an attempt of a call.
type callID struct {
	run     string
	at      execution.Address
	attempt int
}

// maxNotes bounds a report.
const maxNotes = 100

func newReport(path string) *Report {
	return &Report{
		File: path, Runs: Runs{Ended: map[string]int{}}, Notes: []Note{}, begun: map[callID]int{},
		Calls: map[string]int{}, Failed: map[string]int{}, Questions: map[string]int{}, Answers: map[string]int{}, Refusals: map[string]int{},
	}
}

func (r *Report) note(file string, line int, message string) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, Note{File: file, Line: line, Message: message})
	}
}

// add counts a line.
func (r *Report) add(l *Line, file string, number int) {
	r.Lines++
	if r.From.IsZero() {
		r.From = l.Time
	}
	r.To = l.Time
	id := callID{run: l.Run, at: l.At}
	if l.Call != nil {
		id.attempt = l.Call.Attempt
	}
	switch l.Kind {
	case RunBegun:
		if l.Resumed {
			r.Runs.Resumed++
		} else {
			r.Runs.Begun++
		}
	case CallBegun:
		if l.Call != nil {
			r.Calls[l.Call.Effect]++
			r.begun[id]++
		}
	case Lost:
		if l.Missing != nil {
			r.Lost += l.Missing.Lines
			r.note(file, number, fmt.Sprintf("%s could not be written before this one, since %s", wording.Count(l.Missing.Lines, "line"), l.Missing.Since.Format(time.RFC3339)))
		}
	case Question:
		if l.Asked != nil {
			r.Questions[l.Asked.Kind]++
		}
	case Answer:
		if l.Answered != nil {
			r.Answers[string(l.Answered.Action)]++
		}
	case CallEnded, RunEnded, Refusal:
		r.ended(l, id)
	case FileBegun, Opened, Closed:
	}
}

func (r *Report) ended(l *Line, id callID) {
	switch {
	case l.Outcome == nil:
	case l.Kind == RunEnded:
		r.Runs.Ended[l.Outcome.Code]++
	case l.Kind == Refusal:
		r.Refusals[l.Outcome.Code]++
	default:
		if r.begun[id]--; r.begun[id] <= 0 {
			delete(r.begun, id)
		}
		if l.Outcome.Code != "ok" {
			r.Failed[l.Outcome.Code]++
		}
	}
}

func (r *Report) finish() {
	for _, n := range r.begun {
		r.Open += n
	}
}
