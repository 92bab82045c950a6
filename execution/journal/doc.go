// Package journal keeps the events of runs. Events go in one by one and come out as
// the list from which execution.Engine.Resume takes a run on, or as Runs and Steps for
// people to look at.
//
// Memory keeps them for as long as it lives; Store keeps them in a SQLite database that
// several processes share. What a Store is handed is encoded and written by one
// goroutine of its own, in batches, so that a run waits for the disk only where it has
// to. Secrets are redacted before anything reaches the disk.
//
// The package must not know what a graph means, who asks for a run, or where a user
// keeps state: it is told a directory. It owns modernc.org/sqlite.
package journal
