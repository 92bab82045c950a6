// Package flows runs random graphs with every kind of node in the engine and in an interpreter
// that was written from the description of the language alone: retries, onError, forEach, parallel
// and graphs that call each other. Both must agree on every execution, by its address, and on the
// result, whatever maxParallel is and however long each call takes. The clock is virtual.
//
// The tests run a few hundred graphs. FLOWS_COUNT asks for more (make flows), and FLOWS_SEED and
// FLOWS_ONLY choose others or a single one.
package flows
