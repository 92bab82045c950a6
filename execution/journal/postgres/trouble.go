package postgres

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"toolgraph/execution/journal"
)

// Codes of errors (SQLSTATE) that are treated in a way of their own. The last two are of write_runs.
const (
	readOnly     = "25006"
	noRights     = "42501"
	noDatabase   = "3D000"
	diskFull     = "53100"
	tooMany      = "53300"
	noParameter  = "42704"
	notYet       = "57P03"
	takenForDead = "TG001"
	takenRun     = "TG002"
)

// codeOf returns the SQLSTATE of an error, empty when it has none.
func codeOf(err error) string {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}

// Trouble classifies an error. An answer of the server that is not known is taken for a lasting one, and
// no answer for one that may come.
func (d *database) Trouble(err error) journal.Trouble {
	code := codeOf(err)
	switch {
	case err == nil:
		return journal.NoTrouble
	case slices.Contains([]string{"40001", "40P01", "55P03", "57014"}, code): // serialization, deadlock, a lock or a statement took too long
		return journal.Locked
	case code == readOnly, code == takenForDead, // read-only: a failover
		strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "58"):
		return journal.Passing
	case code != "":
		return journal.Lasting
	}
	if isSilent(err) || errors.Is(err, errGone) {
		return journal.Passing
	}
	return journal.NoTrouble
}

// isSilent reports whether an error is of a server that did not answer.
func isSilent(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "unexpected message")
}

// Explain adds the place and the remedy to an error.
func (d *database) Explain(err error) error {
	if err == nil || errors.Is(err, journal.ErrNoStore) || errors.Is(err, journal.ErrClosed) || errors.Is(err, context.Canceled) {
		return err
	}
	code := codeOf(err)
	say := func(what, remedy string) error {
		return &explained{text: fmt.Sprintf("%s %s (%s); %s", d.place, what, oneLine(err), remedy), err: err}
	}
	switch {
	case errors.As(err, new(*explained)):
		return err
	case strings.HasPrefix(code, "28"):
		return say("refuses the user", "check the user and the password of --state, PGPASSWORD or ~/.pgpass")
	case code == noDatabase:
		return say("does not exist", "create the database, or name another one with --state")
	case code == noRights:
		return say("does not allow this", d.grant())
	case code == noParameter && errors.As(err, new(*pgconn.ConnectError)):
		return say("does not know a parameter of the URL", "correct the part of --state after the question mark")
	case code == diskFull:
		return say("has a full disk", "free some space, or delete runs with toolgraph runs rm")
	case code == tooMany:
		return say("has no connection left", "raise max_connections of the server, or lower pool_max_conns in the URL")
	case code == readOnly:
		return say("cannot be written", "name the primary server with --state (target_session_attrs=read-write selects it)")
	case d.Trouble(err) == journal.Locked:
		return say("is locked by another process", "try again")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return say("has a certificate that is not trusted", "name the file of its CA with sslrootcert, and the server as its certificate does")
	case code == notYet, code == "" && isSilent(err):
		return say("cannot be reached", "check that the server runs and the URL of --state is right")
	}
	return &explained{text: d.place + ": " + oneLine(err), err: err}
}

// explained is an error with its place, once.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// oneLine returns the text of an error. That of connecting has several lines: one for each address, and
// for each way to connect with it.
func oneLine(err error) string {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		err = connect.Unwrap()
	}
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' })
	return strings.Join(slices.Compact(lines), "; ")
}
