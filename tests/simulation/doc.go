// Package simulation runs random graphs in the engine, one operation at a time: each journal
// write and each answer of an upstream server waits until a scheduler with a seed releases it,
// in virtual time. Processes crash, are cancelled and suspended, limits are reached and journals
// fail; then invariants of the engine are checked (invariants_test.go).
//
// The tests run 300 seeds; SIM=10000 runs more (make sim), and SEED=17 that one alone, with its
// trace.
package simulation
