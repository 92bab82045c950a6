package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// migrations take a database from each version to the next. They are never changed once
// released: a new version is a new entry.
var migrations = []string{
	`CREATE TABLE runs (
		seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
		tool TEXT NOT NULL, status TEXT NOT NULL, file TEXT NOT NULL, server TEXT NOT NULL, graph TEXT NOT NULL,
		args TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL, last INTEGER NOT NULL,
		events INTEGER NOT NULL, steps INTEGER NOT NULL, spills INTEGER NOT NULL, bytes INTEGER NOT NULL,
		durable INTEGER NOT NULL, failure TEXT NOT NULL, owner TEXT NOT NULL);
	CREATE INDEX running ON runs (owner) WHERE status = 'running';
	CREATE TABLE chunks (run INTEGER NOT NULL, n INTEGER NOT NULL, step INTEGER NOT NULL, body BLOB NOT NULL,
		PRIMARY KEY (run, n)) WITHOUT ROWID;
	CREATE TABLE spills (run INTEGER NOT NULL, id INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, id));
	CREATE TABLE upkeep (pruned INTEGER NOT NULL);
	INSERT INTO upkeep VALUES (0);`,
	`ALTER TABLE runs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE runs ADD COLUMN resumed INTEGER NOT NULL DEFAULT 0;
	CREATE INDEX interrupted ON runs (file) WHERE status = 'interrupted';`,
	`ALTER TABLE runs ADD COLUMN sum INTEGER;
	ALTER TABLE chunks ADD COLUMN sums BLOB;
	ALTER TABLE spills ADD COLUMN sum INTEGER;`,
	// Since this version chunks have the frames of parts, called graphs and attempts.
	`ALTER TABLE runs ADD COLUMN nested INTEGER NOT NULL DEFAULT 0;`,
	// Since this version there are questions, answers and forks.
	``,
	// The chunk of a run that began and ended in one transaction.
	`ALTER TABLE runs ADD COLUMN body BLOB;
	ALTER TABLE runs ADD COLUMN sums BLOB;`,
	// Processes that others see, messages for them, and values that are referred to from elsewhere.
	`CREATE TABLE processes (name TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, address TEXT NOT NULL DEFAULT '',
		draining INTEGER NOT NULL DEFAULT 0, started INTEGER NOT NULL, beat INTEGER NOT NULL);
	CREATE TABLE mail (seq INTEGER PRIMARY KEY AUTOINCREMENT, process TEXT NOT NULL, run TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
	CREATE INDEX mail_of ON mail (process);
	CREATE TABLE payloads (run TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;`,
	// Runs that were recorded together, see packFrom.
	`CREATE TABLE packs (n INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, runs INTEGER NOT NULL, body BLOB NOT NULL);`,
	// The policy of the store, see Store.SetPolicy, and the time before which runs began that are beyond it.
	`ALTER TABLE upkeep ADD COLUMN policy TEXT NOT NULL DEFAULT '';
	ALTER TABLE upkeep ADD COLUMN old INTEGER NOT NULL DEFAULT 0;`,
	// Since this version the end of a run has what the run has used, and so has the column facts.
	``,
}

// An expansion is an addition that earlier programs ignore: a table, an index, a trigger, or a column with a default. It
// leaves the version as it is, so that programs of this release and of the one before use a database together.
// What they could not ignore is a migration, in a release after the one that no longer needs it.
type expansion struct {
	object string // its name; TABLE.COLUMN for a column
	create string
}

// expansions are made in this order, each where it is missing. Like migrations they are never changed once released.
var expansions = []expansion{
	{"runs.facts", `ALTER TABLE runs ADD COLUMN facts TEXT NOT NULL DEFAULT ''`},
	{"in_doubt", `CREATE INDEX in_doubt ON runs (seq) WHERE status = 'error' AND failure LIKE '{"code":"outcome-unknown",%'`}, // for Census
	{"totals", totals},
	{"ended", `CREATE INDEX ended ON runs (server, tool, status, started) WHERE ` + counted}, // for retention
	// Who deletes old runs, until when (microseconds since 1970), and what was deleted so far.
	{"upkeep.leader", `ALTER TABLE upkeep ADD COLUMN leader TEXT NOT NULL DEFAULT '';
	ALTER TABLE upkeep ADD COLUMN leads INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE upkeep ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE upkeep ADD COLUMN freed INTEGER NOT NULL DEFAULT 0;`},

	// Of parked runs: the owner that has parked the run, when it is due, and what it waits for. They are found by their due times,
	// and the other interrupted runs without them.
	{"runs.parked", `ALTER TABLE runs ADD COLUMN parked TEXT NOT NULL DEFAULT ''`},
	{"runs.due", `ALTER TABLE runs ADD COLUMN due INTEGER NOT NULL DEFAULT 0`},
	{"runs.rest", `ALTER TABLE runs ADD COLUMN rest TEXT NOT NULL DEFAULT ''`},
	{"parked", `CREATE INDEX parked ON runs (due) WHERE status = 'interrupted' AND parked = owner`},
	{"adrift", `CREATE INDEX adrift ON runs (seq) WHERE status = 'interrupted' AND parked <> owner`},
}

// counted selects the runs that retention may delete, as journal has it.
const counted = `status NOT IN ('running', 'interrupted', 'deleting') AND failure NOT LIKE '{"code":"outcome-unknown",%'`

// totals are the numbers and bytes of such runs. Triggers change them in the transaction that changes the run, also that of an
// earlier program.
const totals = `CREATE TABLE totals (server TEXT NOT NULL, tool TEXT NOT NULL, status TEXT NOT NULL, runs INTEGER NOT NULL, bytes INTEGER NOT NULL,
		PRIMARY KEY (server, tool, status)) WITHOUT ROWID;
	CREATE TRIGGER total_in AFTER INSERT ON runs WHEN ` + countedNew + ` BEGIN ` + addTotal + ` END;
	CREATE TRIGGER total_out AFTER DELETE ON runs WHEN ` + countedOld + ` BEGIN ` + takeTotal + ` END;
	CREATE TRIGGER total_old AFTER UPDATE OF server, tool, status, bytes, failure ON runs WHEN ` + countedOld + ` BEGIN ` + takeTotal + ` END;
	CREATE TRIGGER total_new AFTER UPDATE OF server, tool, status, bytes, failure ON runs WHEN ` + countedNew + ` BEGIN ` + addTotal + ` END;
	INSERT INTO totals SELECT server, tool, status, count(*), sum(bytes) FROM runs WHERE ` + counted + ` GROUP BY server, tool, status;`

const (
	countedNew = `new.status NOT IN ('running', 'interrupted', 'deleting') AND new.failure NOT LIKE '{"code":"outcome-unknown",%'`
	countedOld = `old.status NOT IN ('running', 'interrupted', 'deleting') AND old.failure NOT LIKE '{"code":"outcome-unknown",%'`
	addTotal   = `INSERT INTO totals VALUES (new.server, new.tool, new.status, 1, new.bytes)
		ON CONFLICT (server, tool, status) DO UPDATE SET runs = runs + 1, bytes = bytes + excluded.bytes;`
	takeTotal = `UPDATE totals SET runs = runs - 1, bytes = bytes - old.bytes WHERE server = old.server AND tool = old.tool AND status = old.status;`
)

// newest is the version that this program writes.
var newest = len(migrations)

// schema is what a database has.
type schema struct {
	version int
	missing []expansion // empty for another version than the newest
}

// reader is a database or a transaction.
type reader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func schemaOf(ctx context.Context, db reader) (s schema, err error) {
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&s.version); err != nil || s.version != newest {
		return s, err
	}
	s.missing, err = missingOf(ctx, db)
	return s, err
}

// missingOf returns the expansions that a database has not.
func missingOf(ctx context.Context, db reader) ([]expansion, error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_master
		UNION ALL SELECT t.name || '.' || c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	has := map[string]bool{}
	for rows.Next() {
		var object string
		if err := rows.Scan(&object); err != nil {
			return nil, err
		}
		has[object] = true
	}
	return slices.DeleteFunc(slices.Clone(expansions), func(e expansion) bool { return has[e.object] }), rows.Err()
}

// isCurrent reports whether this program reads and writes the database as it is.
func (s schema) isCurrent() bool {
	return s.version == newest && len(s.missing) == 0
}

// migrate brings the database to this version. It refuses a newer version, whose format is
// unknown.
func migrate(db *sql.DB) error {
	ctx := context.Background()
	if has, err := schemaOf(ctx, db); err != nil || has.isCurrent() {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // takes the lock, so that only one process migrates
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	has, err := schemaOf(ctx, tx)
	if err != nil || has.isCurrent() {
		return err
	}
	version := has.version
	if version < 0 {
		return versionError(version)
	}
	if version > newest {
		return fmt.Errorf("the runs there were recorded by a newer toolgraph (version %d, this one has %d); "+
			"update toolgraph, or name another place with --state", version, newest)
	}
	for _, step := range migrations[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	missing, err := missingOf(ctx, tx)
	if err != nil {
		return err
	}
	for _, e := range missing {
		if _, err := tx.ExecContext(ctx, e.create); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", newest)); err != nil {
		return err
	}
	return tx.Commit()
}

// versionError is a user_version that no toolgraph writes.
type versionError int

func (e versionError) Error() string {
	return fmt.Sprintf("its version is %d, expected 1 to %d", int(e), newest)
}
