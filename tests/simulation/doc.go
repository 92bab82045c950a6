// Package simulation runs random graphs in the engine, one operation at a time: each journal
// write and each answer of an upstream server waits until a scheduler with a seed releases it,
// in virtual time. Processes crash, are cancelled and suspended, limits are reached and journals
// fail; then invariants of the engine are checked (invariants_test.go).
//
// A fleet (fleet_*_test.go) is two or three processes with one history: runtime.Serve, with all that is below it down to the
// statements that package postgres sends, in a bubble of testing/synctest. Only what is outside of the processes is made here: the
// server of Postgres (pg_*_test.go), the servers that runs call, the clients, and the connections between them. The server reads what
// it is sent, the schema among it, and runs that SQL in a database of SQLite in memory, one statement at a time in an order of the seed.
// In a third of the schedules the first processes know the schema without its expansions, and later ones expand it meanwhile
// (fleet_earlier_test.go). Statements are slow, refused or lost, or their answers are; processes are killed, stopped, started with the next version of the
// graph file, frozen for longer than their leases, or read from a standby that gets nothing any more; the server is down, and
// loses what it had not written to its disk. The invariants say what must be so, and nothing of how it comes about: triggers of the database
// (pg_schema_test.go), the calls that arrive (fleet_upstream_test.go), the answers, and what is recorded in the end (fleet_check_test.go).
// make sim-mutants breaks the product in twelve ways, each of which must be found.
//
// Goroutines of a process run in an order of their own, and so a seed is nearly always the same schedule, and not always. What is drawn for a
// statement depends on the statement alone, so that little else changes.
//
// The same kinds of faults meet real databases in stores_*_test.go: each process has a journal.Store on
// SQLite, or on Postgres behind a network that is silent and cuts connections, in real time.
//
// The tests run 100 seeds, 25 of a fleet and 4 of each database; SIM=10000 runs more (make sim; a tenth on the databases), SIM_FROM=10001 others, and SEED=17 that one alone, with its
// trace.
package simulation
