package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"toolgraph/execution/journal"
)

// migrations has N.sql, which takes a schema from version N-1 to N. A file is never changed once it was
// released: a new version is a new file.
//
//go:embed migrations/*.sql
var migrations embed.FS

// newest is the version of this program's schema.
const newest = 3

// expansions are additions that earlier programs ignore: tables, indexes, triggers, and columns with a default. They leave the
// version as it is, so that programs of this release and of the one before use a schema together. What they
// could not ignore is a migration, in a release after the one that no longer needs it. They are made in this
// order, each where it is missing, and never changed once released.
var expansions = []expansion{
	{"in_doubt", `CREATE INDEX in_doubt ON runs (seq) WHERE status = 'error' AND failure LIKE '{"code":"outcome-unknown",%'`}, // for Store.Census
	{"totals", totals},
	{"ended", `CREATE INDEX ended ON runs (server, tool, status, started, seq) WHERE status NOT IN ('running', 'interrupted', 'deleting')
		AND failure NOT LIKE '{"code":"outcome-unknown",%'`}, // for retention
	// Who deletes old runs, until when (microseconds since 1970), and what was deleted so far.
	{"upkeep.leader", `ALTER TABLE upkeep ADD COLUMN leader text NOT NULL DEFAULT '', ADD COLUMN leads bigint NOT NULL DEFAULT 0,
		ADD COLUMN deleted bigint NOT NULL DEFAULT 0, ADD COLUMN freed bigint NOT NULL DEFAULT 0`},

	// Of parked runs: the owner that has parked the run, when it is due, and what it waits for. They are found by their due times,
	// and the other interrupted runs without them.
	{"runs.parked", `ALTER TABLE runs ADD COLUMN parked text NOT NULL DEFAULT ''`},
	{"runs.due", `ALTER TABLE runs ADD COLUMN due bigint NOT NULL DEFAULT 0`},
	{"runs.rest", `ALTER TABLE runs ADD COLUMN rest text NOT NULL DEFAULT ''`},
	{"parked", `CREATE INDEX parked ON runs (due) WHERE status = 'interrupted' AND parked = owner`},
	{"adrift", `CREATE INDEX adrift ON runs (seq) WHERE status = 'interrupted' AND parked <> owner`},
}

type expansion struct {
	object string // its name; TABLE.COLUMN for a column
	create string
}

// migrateLock is the key of the lock under which a schema is created or changed.
const migrateLock = 1953460040

// querier is a connection, a transaction or a pool.
type querier interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// version returns the version of the schema; 0 when there is none.
func (d *database) version(ctx context.Context, from querier) (n int, err error) {
	var exists bool
	// to_regclass would remember what it found before this transaction had waited for another one.
	if err := from.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'version')`, d.schema).Scan(&exists); err != nil || !exists {
		return 0, err
	}
	d.created.Store(true)
	if err := from.QueryRow(ctx, `SELECT n FROM `+d.schema+`.version`).Scan(&n); err != nil {
		return 0, err
	}
	if n > newest {
		return n, fmt.Errorf("the runs there were recorded by a newer toolgraph (version %d, this one has %d); "+
			"update toolgraph, or name another place with --state", n, newest)
	}
	return n, nil
}

// missing returns the expansions that the schema has not.
func (d *database) missing(ctx context.Context, from querier) ([]expansion, error) {
	rows, err := from.Query(ctx, `SELECT relname::text FROM pg_class WHERE relnamespace = $1::regnamespace
		UNION ALL SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON a.attrelid = c.oid
			WHERE c.relnamespace = $1::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON t.tgrelid = c.oid WHERE c.relnamespace = $1::regnamespace`, d.schema)
	if err != nil {
		return nil, err
	}
	has, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return slices.DeleteFunc(slices.Clone(expansions), func(e expansion) bool { return slices.Contains(has, e.object) }), err
}

// isCurrent reports whether this program reads and writes the schema as it is, and its version.
func (d *database) isCurrent(ctx context.Context, from querier) (is bool, version int, err error) {
	version, err = d.version(ctx, from)
	if err != nil || version != newest {
		return false, version, err
	}
	missing, err := d.missing(ctx, from)
	return len(missing) == 0, version, err
}

// prepareMost bounds a change of the schema: an index, and counting, take a second for some hundred thousand runs.
const prepareMost = 10 * time.Minute

// prepare brings the schema to this version; without create, the error is ErrNoStore when there is none.
func (d *database) prepare(ctx context.Context, pool *pgxpool.Pool, create bool) error {
	look, seen := context.WithTimeout(ctx, statementMost)
	is, has, err := d.isCurrent(look, pool)
	seen()
	switch {
	case err != nil || is:
		return err
	case has == 0 && !create, d.readOnly:
		return journal.ErrNoStore
	}
	ctx, cancel := context.WithTimeout(ctx, prepareMost)
	defer cancel()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Another process that starts now waits here, and finds the new version then.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrateLock); err != nil {
			return err
		}
		is, has, err := d.isCurrent(ctx, tx)
		if err != nil || is {
			return err
		}
		return d.migrate(ctx, tx, has)
	})
}

func (d *database) migrate(ctx context.Context, tx pgx.Tx, has int) error {
	if has == 0 {
		var exists bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, d.schema).Scan(&exists); err != nil {
			return err
		}
		if !exists { // creating it needs more rights than using one that an administrator has created
			if _, err := tx.Exec(ctx, `CREATE SCHEMA `+d.schema); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE version (n bigint NOT NULL)`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO version VALUES (0)`); err != nil {
			return err
		}
	}
	for n := has + 1; n <= newest; n++ {
		text, err := migrations.ReadFile(fmt.Sprintf("migrations/%d.sql", n))
		if err != nil {
			return errors.Join(err, fmt.Errorf("version %d has no migration", n))
		}
		if _, err := tx.Exec(ctx, string(text)); err != nil {
			return err
		}
	}
	missing, err := d.missing(ctx, tx)
	if err != nil {
		return err
	}
	for _, e := range missing {
		if _, err := tx.Exec(ctx, e.create); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE version SET n = $1 WHERE n <> $1`, newest)
	return err
}

// CanCreate returns why the schema cannot be created, or nil.
func (d *database) CanCreate(ctx context.Context) error {
	conns, _, err := d.open(ctx, false)
	if !errors.Is(err, journal.ErrNoStore) {
		return d.Explain(err)
	}
	var can bool
	err = conns.QueryRow(ctx, `SELECT coalesce((SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1),
		has_database_privilege(current_database(), 'CREATE'))`, d.schema).Scan(&can)
	if err == nil && !can {
		err = &explained{text: d.place + ": the user may not create tables; " + d.grant(), err: errRights}
	}
	return d.Explain(err)
}

var errRights = errors.New("no right to create tables")

// grant is the remedy for a user without rights.
func (d *database) grant() string {
	if d.created.Load() {
		return "grant the user USAGE on the schema " + d.schema + ", and SELECT, INSERT, UPDATE and DELETE on its tables"
	}
	return "grant the user CREATE on the database, or make it the owner of the schema " + d.schema
}
