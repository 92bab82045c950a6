// Package flows runs random tools of nodes and of steps in the engine and in an interpreter
// that was written from the description of the language alone: retries, onError, forEach, parallel,
// steps with each, repeat and blocks, and tools that call each other. Both must agree on every execution,
// by its address, on the calls with their arguments and what comes before what, and on the
// result, whatever maxParallel is and however long each call takes. The clock is virtual.
//
// The tests run 200 programs, make random 2,200. FLOWS_COUNT asks for more (make flows), and FLOWS_SEED and
// FLOWS_ONLY choose others or a single one.
package flows
