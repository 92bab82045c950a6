// Package journal records the events of runs. The input is events, one by one; the output is the
// list of events from which execution.Engine.Resume continues a run, or Runs and Steps for people.
//
// Memory records them in memory; Store records them in a Database that several processes share:
// package sqlite and package postgres have one each. One goroutine of a Store encodes and writes events,
// in batches, so that a run waits for the disk only where it must. Secrets are redacted before
// events reach the disk.
//
// The package must not know what a graph means, which client asks for a run, where the user's
// state is, or which database has it.
package journal
