// Package debug runs graphs under control: a graph and its arguments go in, a Session
// comes out, which takes the commands of a debugger (pause, step, resume, breakpoints,
// edits) and shows what the run has done so far.
//
// A Session is an execution.Gate and an execution.Observer. It is folded from the events
// of its run and never touches the run itself: an edit goes through the run's journal
// like any other event. The Controller owns the goroutines of the runs, and Close waits
// for all of them.
//
// The package must not know who sends the commands: a terminal, a page, an agent. Values
// are not redacted; callers redact what they show.
package debug
