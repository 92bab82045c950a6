package journal

import (
	"context"
	"database/sql"
	"errors"
)

// Database is a database of runs: what differs between SQLite and others. Everything else a Store
// does with statements that all of them understand, through database/sql: with the parameters $1,
// $2 and so on. Safe for concurrent use; Write is called by one goroutine.
type Database interface {
	// Place returns where the database is, without a password: a path or a URL.
	Place() string

	// Open returns the connections to the database. It is opened, and has the newest schema, with
	// the first use. The error is ErrNoStore when nothing was recorded there yet, unless create
	// is set: then the database is to be written.
	Open(ctx context.Context, create bool) (*sql.DB, error)

	// Process returns this process. The first call begins its claim to its runs: from then on,
	// until Close, Sweep does not take it for dead in any process. A process that was taken for
	// dead nevertheless, because it slept, has lost these runs, and has another name then.
	Process(ctx context.Context) (Process, error)

	// Write writes the unwritten parts of runs in one transaction, or nothing with an error. A run
	// is in a batch once. Write sets Seq of a run that has no row yet. It sets Taken of a run that
	// this process has lost, of which it writes nothing: an existing row must have this process
	// as its owner and the status running, and a new run must not exist. Runs become visible in
	// the order of Seq.
	Write(ctx context.Context, batch []*Pending) error

	// Sweep marks the runs of dead processes as interrupted, unless the database can only be read.
	// It is called before each reading, so it is cheap.
	Sweep(ctx context.Context) error

	// Watch calls look, and again when something about a topic may have changed, also by this
	// process, until ctx or the database ends, or look returns an error that lasts. It sweeps
	// from time to time. db is nil while nothing is recorded there.
	Watch(ctx context.Context, topic Topic, look func(ctx context.Context, db *sql.DB) error) error

	// Deleting sweeps, calls del with a database that can be written, and returns the space that
	// becomes free. When there is no space for deleting, it makes some and calls del again. The
	// number is that of all runs that were deleted.
	Deleting(ctx context.Context, del func(db *sql.DB) (int, error)) (int, error)

	// State sets the sizes of a database that exists.
	State(ctx context.Context, s *State) error

	// Trouble classifies an error.
	Trouble(err error) Trouble

	// Explain adds the place and the remedy to an error of the database. The error may be nil.
	Explain(err error) error

	// Close ends the claim of this process and closes the connections. Unless everything was
	// written, what is noted of its calls in flight stays for other processes.
	Close(everything bool) error
}

// Noter is a Database in which a call can be noted so that it survives the process, without a
// transaction. In others such a call waits until it is committed.
type Noter interface {
	// Note notes an attempt of a call and reports whether it has: a text of at most MaxNote bytes, which is a Note.
	Note(run string, name NoteName, text []byte) bool
	// Erase erases the notes of a run that erased selects.
	Erase(run string, erased func(NoteName) bool)
}

// Packer is a Database with runs that its table of totals does not count, until they are read or the next Sweep. They have ended.
type Packer interface {
	// SweepDead is Sweep for who reads only runs that have not ended, or no runs: it is cheap under load.
	SweepDead(ctx context.Context) error

	// Unpack gives some of the runs that this process has packed their rows, and reports whether there may be more. It is called by
	// the goroutine that writes.
	Unpack(ctx context.Context) (more bool, err error)

	// Packed returns how many there are, and about how many bytes they have.
	Packed(ctx context.Context, db *sql.DB) (runs, bytes int64, err error)
}

// Syncer is a Database whose Write does not wait for the disk.
type Syncer interface {
	// Sync returns when all that was written survives a crash of the database's server. The
	// error wraps ErrTaken when this process was taken for dead. It is called by the goroutine that
	// writes.
	Sync(ctx context.Context) error
}

// Registrar is a Database that does not insert and delete the row of a process in table processes.
type Registrar interface {
	Register(ctx context.Context, db *sql.DB, p Process) error
}

// Remote is a Database on a server.
type Remote interface {
	// CanCreate returns why the database cannot be created at its first use, or nil.
	CanCreate(ctx context.Context) error
}

// ErrNoStore is the error of a database in which no run was recorded yet.
var ErrNoStore = errors.New("no runs are recorded there yet")

// ErrClosed is the error of a store, or its database, that is used after Close.
var ErrClosed = errors.New("the store of runs is closed")

// Trouble is what an error of a database means for writing again.
type Trouble int

// The kinds of trouble.
const (
	NoTrouble Trouble = iota // the error is not one of the database
	Lasting                  // the database is damaged, or must not be used
	Passing                  // it may be over later: a full disk, a lost connection
	Locked                   // another process holds a lock for the moment
)

// Topic is what is watched in a database.
type Topic string

// Runs is the topic of the rows of runs.
const Runs Topic = "runs"

// Pending is what is to be written of a run.
type Pending struct {
	Row
	Body   Chunk   // the only chunk of a run that has begun and ended in this batch, which is a part of its row; else without a Body
	Chunks []Chunk // of other runs
	Spills []Spill

	Taken bool // set by Database.Write
}

// Row is the row of a run in table runs. Times are in microseconds since 1970; 0 for none.
type Row struct {
	Seq    int64 // 0: there is no row yet
	ID     string
	Tool   string
	Status Status
	File   string
	Server string
	Graph  string
	Args   string

	Started, Ended, Last int64

	Events int
	Counts
	Spilled int // values with a row of their own
	Bytes   int64
	Lost    int // events
	Durable bool
	Failure string // JSON, or empty
	Facts   string // JSON, or empty
	Sum     int64
}

// Counts are the numbers of records in the row of a run. Steps includes those before a record of
// the run's own frame that were lost.
type Counts struct{ Steps, Nested int }

// Chunk is a row of table chunks: the frames of consecutive events.
type Chunk struct {
	First  int // the number of its first event
	Before int // steps before it
	Body   []byte
	Sums   []byte // nil: of the first versions
}

// Spill is a row of table spills: a value of its own.
type Spill struct {
	ID   int
	Body []byte
	Sum  int64
}
