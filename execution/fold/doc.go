// Package fold shows what a run has done: the events of a run go in, in the order in which they
// happened, and its steps come out by frame and part, with what the expressions of each of them see.
// The run may be running, recorded or replayed.
//
// A History is computed from the events alone. It must not know who shows it, controls the run or
// records it. Values are not redacted; callers redact what they show.
package fold
