package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// patience is how long a server may take to start or to end: a guard against a hang.
const patience = 90 * time.Second

// shared is the server of this test process, and the database in which each test has a schema.
var shared sharing

type sharing struct {
	mu       sync.Mutex // guards what follows
	server   *Server    // nil: TOOLGRAPH_POSTGRES names one, or none is started
	database string     // its URL
	drop     func() error
	err      error
	skip     string
	started  bool
}

// Main runs the tests of a package that uses URL, stops the server and exits.
func Main(m interface{ Run() int }) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server of this test process, if it was started. It is for a package whose TestMain
// cannot be Main.
func Stop() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server != nil {
		shared.server.remove()
	} else if shared.drop != nil {
		if err := shared.drop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	shared.server, shared.database, shared.drop = nil, "", nil
}

var names atomic.Int64

// URL returns the URL of a schema that does not exist yet, in the database that all tests of the process share:
// another database for each would be most of what such a test costs. The test is skipped, with the reason, on a
// machine without Postgres. TOOLGRAPH_POSTGRES names a server to use instead of one of the test's own: a URL of a
// user who may create databases.
func URL(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", fmt.Sprintf("test_%d", names.Add(1)))
	u.RawQuery = query.Encode()
	return u.String()
}

// Database is URL with an empty database in place of a schema, dropped when the test has ended: for tests of the
// rights in a database and of the schema that is used unless the URL names one.
func Database(t testing.TB) string {
	t.Helper()
	return create(t, database(t))
}

// database returns the URL of the database that the tests of the process share.
func database(t testing.TB) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.started {
		shared.started = true
		shared.begin()
	}
	switch {
	case shared.skip != "":
		t.Skip(shared.skip)
	case shared.err != nil:
		t.Fatal(shared.err)
	case shared.database == "":
		t.Fatal("pgtest.Stop was called before this test")
	}
	return shared.database
}

// Start starts a server for one test, which may stop and start it, with settings such as
// "max_connections=5". It ends with the test. The test is skipped, with the reason, on a machine
// without Postgres.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	if why := missing(); why != "" {
		t.Skip(why)
	}
	s, err := start(settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.remove)
	return s
}

// URL returns the URL of an empty database on the server, which is dropped when the test has ended.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	return create(t, s.admin())
}

// Launch starts a server for a program that is no test, such as a measurement. The caller ends it with End. The
// error is also why there is none on this machine. fsync is off as for tests unless the settings say otherwise.
func Launch(settings ...string) (*Server, error) {
	if why := missing(); why != "" {
		return nil, errors.New(why)
	}
	return start(settings...)
}

// End ends a server of Launch and removes its data.
func (s *Server) End() { s.remove() }

// Create creates an empty database and returns its URL.
func (s *Server) Create(name string) (string, error) {
	u, err := url.Parse(s.admin())
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), execute(s.admin(), "CREATE DATABASE "+name)
}

// begin starts the server, and creates a database on one that runs already.
func (s *sharing) begin() {
	if running := os.Getenv("TOOLGRAPH_POSTGRES"); running != "" {
		s.database, s.drop, s.err = beside(running)
		return
	}
	if s.skip = missing(); s.skip != "" {
		return
	}
	if s.server, s.err = start(); s.err == nil {
		s.database = s.server.admin() // the database that each server has
	}
}

// create creates a database beside the one of a URL.
func create(t testing.TB, admin string) string {
	t.Helper()
	made, drop, err := beside(admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(); err != nil {
			t.Log(err) // the server of a test that has stopped it is gone
		}
	})
	return made
}

// beside creates a database beside the one of a URL.
func beside(admin string) (made string, drop func() error, err error) {
	u, err := url.Parse(admin)
	if err != nil {
		return "", nil, errors.New("TOOLGRAPH_POSTGRES is not a URL such as postgres://user@host/database")
	}
	name := fmt.Sprintf("toolgraph_test_%d_%d", os.Getpid(), names.Add(1))
	if err := execute(admin, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	u.Path = "/" + name
	return u.String(), func() error { return execute(admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") }, nil
}

// Load runs the statements of a dump in a database.
func Load(t testing.TB, place, dump string) {
	t.Helper()
	if err := execute(place, dump); err != nil {
		t.Fatal(err)
	}
}

// Number returns the number that a query gives in a database.
func Number(place, query string) (n float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := sql.Open("pgx", place)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return n, db.QueryRowContext(ctx, query).Scan(&n)
}

func execute(place, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := sql.Open("pgx", place)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}
