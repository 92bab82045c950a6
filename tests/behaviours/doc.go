// Package behaviours is one list of what the engine promises (limits, failures, cancellations, parts, questions,
// crashes), and a driver that holds every place in which runs can be made to it: processes over SQLite, processes
// over Postgres, workers of Temporal.
//
// A behaviour is data: a graph, an upstream server that counts, what happens meanwhile, and what must hold
// afterwards. All runs of a place are made at the same time in one process. When those that need a crash have come
// to their event, the process is killed once, and the next process continues them. So a place takes seconds.
//
// What a place did is written into docs/behaviours.md by UPDATE_GOLDEN=1; without it a table that is out of date
// fails the test. BEHAVIOURS=regexp makes only some runs, and leaves the table alone.
//
//	behaviour.go   what a behaviour says        list_*.go    the behaviours, by topic
//	place.go       what a place has to do       local.go     processes over a store, and their program
//	drive.go       processes and their crashes  run.go       one run, step by step
//	check.go       what was recorded, against what must hold
//	upstream.go    the server that counts       table.go     the table
package behaviours
