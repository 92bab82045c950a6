package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// History is the steps of a run in the order of their addresses, in which they are shown: what is
// below a step comes before it. It has no values; Steps reads those that are wanted. It takes one
// pass over the run and about 100 bytes a step. Not safe for concurrent use.
type History struct {
	run      *stretch
	places   []place
	branches map[execution.Address][]string // of parallels and of blocks of steps, in file order
	blocks   map[execution.Address]bool     // those of branches that are blocks of steps
	parts    map[execution.Address][]int    // places of the parts that outputs are made of, once they were looked up
}

// place is a step without its values.
type place struct {
	at      execution.Address
	event   int
	kind    config.NodeType
	failed  bool
	handled bool
	nothing bool
	parts   int    // of Record.Parts
	value   stored // without its JSON; the bytes of ofParts are known once sized
	sized   bool
}

// Below are the steps below a step: those of its parts, and of the frames of called graphs.
type Below struct {
	Steps   int `json:"steps"`             // all
	Parts   int `json:"parts,omitempty"`   // parts of the step itself that have ended
	Failed  int `json:"failed,omitempty"`  // of these parts
	Handled int `json:"handled,omitempty"` // of these parts, by onError
}

// History reads the order of a run's steps.
func (s *Store) History(ctx context.Context, id string) (*History, error) {
	run, err := s.stretch(ctx, id)
	if err != nil {
		return nil, err
	}
	h := &History{run: run, branches: map[execution.Address][]string{}, blocks: map[execution.Address]bool{}, parts: map[execution.Address][]int{}}
	err = run.walk(ctx, position{}, func(f frame) (bool, error) {
		if r := f.event.Record; r != nil {
			p := place{
				at: r.At(), event: f.n, kind: r.NodeType, failed: r.Error != nil, handled: r.Handled != nil,
				nothing: f.value.kind == noValue && r.Nothing(), parts: r.Parts, value: f.value,
			}
			p.value.json = nil
			h.places = append(h.places, p)
		}
		if f.event.Parts != nil && f.event.Parts.Branches != nil {
			at := f.event.At()
			h.branches[at], h.blocks[at] = f.event.Parts.Branches, f.event.Step.NodeID == config.StepsID
		}
		return true, nil
	})
	slices.SortFunc(h.places, func(a, b place) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.event, b.event)) })
	return h, err
}

// Len returns how many steps there are.
func (h *History) Len() int { return len(h.places) }

// At returns the address of a step by its place.
func (h *History) At(i int) execution.Address { return h.places[i].at }

// IsMade reports whether the output of a step is made of its parts.
func (h *History) IsMade(i int) bool { return h.places[i].parts > 0 }

// Names returns the branches of a parallel, or the steps of a block, in file order; nil for other steps.
func (h *History) Names(at execution.Address) []string { return h.branches[at] }

// IsBlock reports whether the steps of a tool, or of a block, are below a step.
func (h *History) IsBlock(at execution.Address) bool { return h.blocks[at] }

// Find returns the place of a step, or the place that it would have.
func (h *History) Find(at execution.Address) (i int, ok bool) {
	return slices.BinarySearchFunc(h.places, at, func(p place, at execution.Address) int { return p.at.Compare(at) })
}

// First returns the place of the first step below an address; below a step are all places from
// there up to its own.
func (h *History) First(at execution.Address) int {
	end, _ := h.Find(at)
	return sort.Search(end, func(i int) bool { return at.Contains(h.places[i].at) })
}

// Below counts what is below an address.
func (h *History) Below(at execution.Address) Below {
	end, _ := h.Find(at)
	first := h.First(at)
	below := Below{Steps: end - first}
	for _, p := range h.places[first:end] {
		if at == "" || p.at.Outer() != at {
			continue
		}
		below.Parts++
		if p.failed {
			below.Failed++
		}
		if p.handled {
			below.Handled++
		}
	}
	return below
}

// Steps returns the steps at places, and of each output the first most bytes (0: all).
func (h *History) Steps(ctx context.Context, places []int, most int) ([]Step, error) {
	wanted := map[int]int{} // event → bytes
	for _, i := range places {
		wanted[h.places[i].event] = onlyRecord
		h.want(i, wholeOr(most), wanted)
	}
	read, err := h.read(ctx, wanted)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(places))
	for n, i := range places {
		steps[n].Record = read[h.places[i].event].Record
		if steps[n].Output, err = h.output(i, wholeOr(most), read); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

const (
	onlyRecord = 1       // of an event, hardly any byte of the value
	wholeValue = 1 << 62 // of an event, all bytes of the value
)

func wholeOr(most int) int { return cmp.Or(most, wholeValue) }

// want adds the events that have the first most bytes of an output.
func (h *History) want(i, most int, wanted map[int]int) {
	p := &h.places[i]
	if p.value.kind != ofParts {
		wanted[p.event] = max(wanted[p.event], most)
		return
	}
	for _, part := range h.partsOf(p.value.of, i) {
		if most <= 0 {
			return
		}
		h.want(part, most, wanted)
		most -= h.size(part)
	}
}

// partsOf returns the places of the parts that the output of a step is made of, in the order of the
// output, nil when one was lost. The output is that of place i.
func (h *History) partsOf(step execution.Address, i int) []int {
	maker, ok := h.Find(step)
	if !ok || h.places[maker].event > h.places[i].event {
		return nil
	}
	if _, known := h.parts[step]; !known {
		h.parts[step] = h.findParts(step, h.places[maker].parts)
	}
	return h.parts[step]
}

func (h *History) findParts(step execution.Address, count int) []int {
	names := h.branches[step]
	if names == nil {
		names = make([]string, min(count, len(h.places)))
		for n := range names {
			names[n] = strconv.Itoa(n)
		}
	}
	if len(names) != count {
		return nil
	}
	parts := make([]int, count)
	for n, name := range names {
		var ok bool
		if parts[n], ok = h.Find(step + execution.Address("."+name)); !ok {
			return nil
		}
	}
	return parts
}

// isObject reports whether the output of a step that is made of its parts is an object.
func (h *History) isObject(step execution.Address) bool { return h.branches[step] != nil }

// size returns the length of an output as JSON.
func (h *History) size(i int) int {
	p := &h.places[i]
	switch {
	case p.value.kind == noValue:
		return len("null")
	case p.value.kind == tooLarge:
		return len((&Gap{Reason: TooLarge, Bytes: p.value.bytes, Limit: p.value.limit}).note())
	case p.value.kind != ofParts || p.sized:
		return p.value.bytes
	}
	parts := h.partsOf(p.value.of, i)
	size := len("[]")
	if parts == nil {
		size = len((&Gap{Reason: Unwritten}).note())
	}
	n := 0
	for _, part := range parts {
		key := h.key(p.value.of, part)
		if key == nil && h.isObject(p.value.of) {
			continue
		}
		if n++; n > 1 {
			size++
		}
		size += len(key) + h.size(part)
	}
	p.value.bytes, p.sized = size, true
	return size
}

// key returns what is before the output of a part in an object, nil when the object does not have
// it, or for a list.
func (h *History) key(step execution.Address, part int) []byte {
	if !h.isObject(step) || h.places[part].nothing {
		return nil
	}
	text, err := json.Marshal(h.places[part].at.Name())
	if err != nil {
		return nil // this does not happen
	}
	return append(text, ':')
}

// output returns the first most bytes of an output.
func (h *History) output(i, most int, read map[int]Step) (Recorded, error) {
	p := &h.places[i]
	if p.value.kind != ofParts {
		out := read[p.event].Output
		if len(out.JSON) > most { // another step wanted more
			out.JSON, out.Truncated = wording.Head(out.JSON, most), true
		}
		return out, nil
	}
	parts := h.partsOf(p.value.of, i)
	if parts == nil {
		gap := &Gap{Reason: Unwritten}
		return Recorded{JSON: gap.note(), Bytes: h.size(i), Gap: gap}, nil
	}
	out := Recorded{Bytes: h.size(i)}
	isObject := h.isObject(p.value.of)
	brackets := "[]"
	if isObject {
		brackets = "{}"
	}
	text := []byte{brackets[0]}
	for _, part := range parts {
		if len(text) > most {
			break
		}
		key := h.key(p.value.of, part)
		if isObject && key == nil {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, key...)
		value, err := h.output(part, max(1, most-len(text)), read)
		if err != nil {
			return out, err
		}
		if value.Gap != nil && value.Gap.Reason == Redacted {
			out.Gap = value.Gap
		}
		if value.JSON == nil {
			value.JSON = []byte("null")
		}
		text = append(text, value.JSON...)
	}
	text = append(text, brackets[1])
	out.JSON = wording.Head(text, min(most, out.Bytes))
	out.Truncated = len(out.JSON) < out.Bytes
	return out, nil
}

// apart is how far apart two events are that are read in one go: a chunk has no more.
const apart = chunkEvents

// read reads events with the first bytes of their values.
func (h *History) read(ctx context.Context, wanted map[int]int) (map[int]Step, error) {
	events := make([]int, 0, len(wanted))
	for event := range wanted {
		events = append(events, event)
	}
	slices.Sort(events)
	read := make(map[int]Step, len(events))
	for len(events) > 0 {
		err := h.run.walk(ctx, atEvent(events[0]), func(f frame) (bool, error) {
			if f.n < events[0] {
				return true, nil
			}
			step, err := f.recordedStep(wanted[f.n])
			if err != nil {
				return false, err
			}
			read[f.n] = step
			events = events[1:]
			return len(events) > 0 && events[0]-f.n <= apart, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return read, nil
}
