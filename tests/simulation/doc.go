// Package simulation runs random graphs in the engine, one operation at a time: each journal
// write and each answer of an upstream server waits until a scheduler with a seed releases it,
// in virtual time. Processes crash, are cancelled and suspended, limits are reached and journals
// fail; then invariants of the engine are checked (invariants_test.go).
//
// A fleet (fleet_*_test.go) is two or three processes on one journal, which is a model: processes are
// killed, drained, or sleep until their leases have expired; clocks drift; transactions and their
// acknowledgements, notifications and mail are lost or late; clients ask several processes for the
// run of one key, and answer and cancel at the wrong one. Its invariants are in fleet_check_test.go;
// TestFleetNeedsItsRules takes out each rule of the journal, and an invariant breaks.
//
// The same kinds of faults meet real databases in stores_*_test.go: each process has a journal.Store on
// SQLite, or on Postgres behind a network that is silent and cuts connections, in real time.
//
// The tests run 100 seeds, 50 of a fleet and 4 of each database; SIM=10000 runs more (make sim; a tenth on the databases), and SEED=17 that one alone, with its
// trace.
package simulation
