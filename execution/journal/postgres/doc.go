// Package postgres keeps recorded runs in a Postgres database, which processes on several machines
// share. The input is a URL; the output is a journal.Store over that database. A process is alive while
// its row in the table processes has a recent beat, by the clock of the database; what it writes of a
// run is refused once the run has another owner.
//
// The package must not know what events mean, or which runs a client asks for: journal encodes, reads
// and lists them. It owns github.com/jackc/pgx.
package postgres
