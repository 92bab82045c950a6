package value

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits are what a Meter allows; 0 is no limit.
type Limits struct {
	Steps int           // about one operator, part of a value, or 256 bytes of text each
	Bytes int           // of all values that are made
	Time  time.Duration // from the meter's first look at the clock
	Heap  uint64        // bytes by which the live heap of the process may grow
}

// Meter counts the work that one goroutine does on values, and ends it at a limit or with its
// context. Values may share parts: one that takes a kilobyte of memory may have 2^60 parts when it
// is walked, so every function that walks a value of an evaluation is charged to a meter. A step is
// bounded work, well below a millisecond.
//
// An error of Spend, Read, Make and Items is final: it is a *LimitError, or the context's Err, and
// all later calls return it too.
type Meter struct {
	ctx      context.Context
	limits   *Limits
	outer    *Meter // whose clock and heap count, nil for its own
	left     int    // steps until the next look; below 0 after the end
	span     int    // what left was at the last look
	looked   int    // steps until the last look
	bytes    int
	deadline time.Duration // by the clock of the process; 0 until the first look
	heap     heapWatch
	cause    error // why it has ended, nil while it goes on
}

// stepsPerLook is the number of steps between two looks at the context and the clock.
const stepsPerLook = 256

// began is when the clock of the process began: a duration takes a third of the room of a time.
var began = time.Now()

// NewMeter returns a meter that ends with ctx. The limits must not change.
func NewMeter(ctx context.Context, limits *Limits) *Meter {
	m := MakeMeter(ctx, limits)
	return &m
}

// MakeMeter is NewMeter for a field of a struct, without an allocation. A meter in use must not be
// copied.
func MakeMeter(ctx context.Context, limits *Limits) Meter {
	m := Meter{ctx: ctx, limits: limits}
	m.span = m.next()
	m.left = m.span
	return m
}

// Until returns a meter without limits, which ends with ctx.
func Until(ctx context.Context) *Meter {
	return &Meter{ctx: ctx, limits: &noLimits, span: stepsPerLook, left: stepsPerLook}
}

var noLimits Limits

// Within returns a meter for a part of the work of outer: it has limits of its own for steps and
// bytes, and its time and growth of the heap are counted from the beginning of outer, with those of
// all other such parts. Outer must not be used meanwhile.
func Within(outer *Meter, limits *Limits) Meter {
	m := MakeMeter(outer.ctx, limits)
	m.outer = outer
	return m
}

// next returns how many steps may pass until the next look.
func (m *Meter) next() int {
	if most := m.limits.Steps; most > 0 {
		return min(stepsPerLook, most-m.looked)
	}
	return stepsPerLook
}

// Spend counts steps, before the work.
func (m *Meter) Spend(steps int) error {
	if m.left -= steps; m.left >= 0 {
		return nil
	}
	return m.look()
}

// Read counts the steps of looking at so many bytes of text.
func (m *Meter) Read(bytes int) error { return m.Spend(bytes >> 8) }

// Items counts the steps of looking at so many items of an array or fields of an object, without
// what is in them.
func (m *Meter) Items(n int) error { return m.Spend(n >> 3) }

// Make counts so many bytes of a value about to be made, and the steps of writing them.
func (m *Meter) Make(bytes int) error {
	if m.bytes += bytes; m.limits.Bytes > 0 && m.bytes > m.limits.Bytes && m.cause == nil {
		m.end(&LimitError{What: OfBytes, Limits: m.limits})
	}
	return m.Spend(bytes >> 8)
}

// Steps returns how many steps were counted.
func (m *Meter) Steps() int {
	if m.cause != nil {
		return m.looked
	}
	return m.looked + m.span - m.left
}

// Bytes returns how many bytes were made.
func (m *Meter) Bytes() int { return m.bytes }

// Context returns the context with which the meter ends.
func (m *Meter) Context() context.Context { return m.ctx }

// Cause returns why the meter has ended; nil while it goes on.
func (m *Meter) Cause() error { return m.cause }

// Cancelled returns the context's cause if the meter ended with its context, else nil.
func (m *Meter) Cancelled() error {
	var limit *LimitError
	if m.cause == nil || errors.As(m.cause, &limit) {
		return nil
	}
	return context.Cause(m.ctx)
}

// look checks the limits and the context.
func (m *Meter) look() error {
	if m.cause != nil {
		m.left = -1
		return m.cause
	}
	m.looked += m.span - m.left
	if cause := m.check(); cause != nil {
		m.end(cause)
		return cause
	}
	m.span = m.next()
	m.left = m.span
	return nil
}

// Look checks the limits and the context at once, whatever has been counted: before or after work
// of unknown length.
func (m *Meter) Look() error { return m.look() }

func (m *Meter) check() error {
	if m.limits.Steps > 0 && m.looked > m.limits.Steps {
		return &LimitError{What: OfSteps, Limits: m.limits}
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if m.limits.Time == 0 && m.limits.Heap == 0 {
		return nil
	}
	of := m
	if m.outer != nil {
		of = m.outer
	}
	now := time.Since(began)
	switch {
	case of.deadline == 0:
		of.deadline = now + m.limits.Time
		of.heap.start(now)
	case m.limits.Time > 0 && now > of.deadline:
		return &LimitError{What: OfTime, Limits: m.limits}
	case m.limits.Heap > 0 && of.heap.due(now) && of.heap.exceeds(now, m.limits.Heap):
		return &LimitError{What: OfHeap, Limits: m.limits}
	}
	return nil
}

func (m *Meter) end(cause error) {
	m.cause, m.left = cause, -1
}

// Resource is what a limit is of.
type Resource int

// The resources that a Meter counts.
const (
	OfSteps Resource = iota
	OfBytes
	OfTime
	OfHeap
)

// LimitError says which limit of a meter was exceeded.
type LimitError struct {
	What Resource
	*Limits
}

func (e *LimitError) Error() string {
	switch e.What {
	case OfBytes:
		return fmt.Sprintf("the work makes more than %d bytes of values; make it build less at once", e.Bytes)
	case OfTime:
		return fmt.Sprintf("the work took longer than %v; make it do less, or split it over several nodes", e.Time)
	case OfHeap:
		return fmt.Sprintf("the work took more than %d MiB of memory; make it build less at once", e.Heap>>20)
	case OfSteps:
	}
	return fmt.Sprintf("the work takes more than %d steps; make it do less, or split it over several nodes", e.Steps)
}
