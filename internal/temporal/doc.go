// Package temporal makes the runs of graph files on Temporal: a workflow for each run, whose id is
// that of the run, and in it one activity that makes the run, or resumes it where another worker
// stopped. In go a graph file and calls of MCP clients (serve), or tasks of a Temporal server
// (worker); out come answers, and runs in a store that all processes share.
//
// Temporal decides which worker has a run, and when another one continues it. What a run does, what
// is recorded of it, and what becomes of a call in flight is decided by execution, as in the
// product: a workflow knows nothing of steps, so it has no rule of determinism to obey and no limit
// to its history. Results never travel through Temporal.
//
// What operators do to a workflow is done to its run: it is cancelled, terminated with the reason, or resumed after a
// reset. The store has the last word about what was done, Temporal about who goes on.
//
// It is a module of its own, so that the product does not depend on Temporal's SDK.
package temporal
