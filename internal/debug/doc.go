// Package debug holds runs, steps through them and lets them be looked at: a graph and
// its arguments go in, a Session comes out, which takes commands and tells what happens.
//
// A Session is an execution.Gate and an execution.Observer. What it shows is folded from
// the events of its run, so that it never touches the run itself: an edit too goes
// through the run's journal. The Controller owns the goroutines of the runs and of the
// subscriptions, and Close waits for all of them.
//
// The package must not know who drives it: a terminal, a page, an agent. Values are
// shown as they are, secrets among them; the door that shows them redacts.
package debug
