package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// oldest is the oldest major version of Postgres that is supported.
const oldest = 13

var errPooled = errors.New("a connection pooler there gives each transaction another session of the server, but toolgraph needs sessions of its own; " +
	"set pool_mode=session for this database (PgBouncer), or name the server itself with --state")

// greet prepares a new connection, and refuses those that would fail later, or harm others: settings of a
// session would change the sessions of other clients of a pooler.
func (d *database) greet(ctx context.Context, c *pgx.Conn) error {
	if err := tooOld(c.PgConn().ParameterStatus("server_version")); err != nil {
		return &explained{text: d.place + ": " + err.Error(), err: err}
	}
	if !d.sessions.Load() {
		if err := hasSession(ctx, c); err != nil {
			return &explained{text: d.place + ": " + oneLine(err), err: err}
		}
		d.sessions.Store(true)
	}
	_, err := c.Exec(ctx, fmt.Sprintf(settings, pgx.Identifier{d.schema}.Sanitize()))
	return err
}

// tooOld refuses a version of the server such as "15.18 (Debian 15.18-0+deb12u1)".
func tooOld(version string) error {
	digits, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(digits); err == nil && major < oldest { // others, such as 19beta1, are new
		return fmt.Errorf("the server is Postgres %s, expected %d or newer; update it, or name another one with --state", version, oldest)
	}
	return nil
}

// hasSession reports by errPooled that a connection is not one session of the server. The number of a
// session that the server has sent is not that of its process when there is a pooler between; then, while a
// second connection has a transaction, the first one may get another process.
func hasSession(ctx context.Context, c *pgx.Conn) error {
	before, err := processOf(ctx, c)
	if err != nil || before == c.PgConn().PID() {
		return err
	}
	other, err := pgx.ConnectConfig(ctx, c.Config())
	if err != nil {
		return err
	}
	defer other.Close(context.WithoutCancel(ctx)) // it is not used again
	if _, err := other.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	after, err := processOf(ctx, c)
	if err == nil && after != before {
		err = errPooled
	}
	return err
}

// processOf returns the number of the process of the server that serves a connection. It leaves no
// prepared statement there.
func processOf(ctx context.Context, c *pgx.Conn) (pid uint32, err error) {
	err = c.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}
