package debug

import (
	"toolgraph/execution"
	"toolgraph/execution/fold"
)

// PartState is what a part of an execution does, or how it has ended.
type PartState string

// The states of parts.
const (
	PartWaits  PartState = "waits"  // it has not begun
	PartRuns   PartState = "runs"   // it has begun
	PartPaused PartState = "paused" // the run is held before it or inside it
	PartEnded  PartState = "ended"
	PartFailed PartState = "failed"
)

// StateOf returns the state of a part of a run that is held before some steps and parts. Of one that is paused or runs,
// inside is where, as far inside as it is known.
func StateOf(h *fold.History, held []execution.Address, at execution.Address) (state PartState, inside execution.Address) {
	if rec, ended := h.Record(at); ended {
		if rec.Error != nil {
			return PartFailed, at
		}
		return PartEnded, at
	}
	for _, other := range held {
		if at.Covers(other) {
			return PartPaused, other
		}
	}
	flying := h.InFlight(at)
	if len(flying) == 0 {
		return PartWaits, at
	}
	return PartRuns, flying[len(flying)-1].Visit.At()
}

// HeldAt returns the addresses before which a run is held.
func (s State) HeldAt() (all []execution.Address) {
	for _, h := range s.Held {
		all = append(all, h.Visit.At())
	}
	return all
}
