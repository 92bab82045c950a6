package postgres

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"toolgraph/internal/base/wording"
)

const (
	// connections is how many there are at the same time, unless the URL has pool_max_conns: the
	// writer's, the beat's, and some that read.
	connections = 8
	connectMost = 5 * time.Second // unless the URL has connect_timeout
	idleMost    = time.Minute     // of a connection that is not used
	// statementMost bounds what the writer waits for. A server that does not answer is like one that
	// refuses connections.
	statementMost = 15 * time.Second
	schemaName    = "toolgraph" // unless the URL has search_path
)

// settings of each session. A lock of another process is an error after a while, so that runs do not
// wait without end; a process that has lost its network does not hold locks for long.
const settings = `SET search_path TO %s; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30s';
	SET client_min_messages = warning; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`

// errURL has nothing of the URL, because it may have a password in any place.
var errURL = errors.New("the URL of the recorded runs cannot be read, expected postgres://USER@HOST:PORT/DATABASE; " +
	"write special characters, such as those of the password, as %40 (@), %3A (:), %2F (/), %3F (?), %23 (#) and %25 (%)")

var plainName = wording.Pattern(`^[a-z_][a-z0-9_]{0,62}$`)

// target is what a URL names.
type target struct {
	pool   *pgxpool.Config
	schema string
	place  string // the URL without what is secret
}

// parse reads a URL. Errors have no password.
func parse(text string) (target, error) {
	u, err := url.Parse(text)
	// A second @, or one without a user, is probably one of a password, the rest of which is then not a secret
	// any more: pgx takes it for the host, or for the database.
	if at := strings.Count(text, "@"); err != nil || at > 1 || u.User == nil && at > 0 || strings.Contains(text, "#") {
		return target{}, errURL
	}
	pool, err := pgxpool.ParseConfig(text)
	if err != nil { // of a URL that can be parsed it has no password
		return target{}, fmt.Errorf("the URL of the recorded runs is not valid: %w; expected postgres://USER@HOST:PORT/DATABASE", err)
	}
	conn := pool.ConnConfig
	schema := cmp.Or(conn.RuntimeParams["search_path"], schemaName)
	if !plainName().MatchString(schema) {
		return target{}, fmt.Errorf("search_path is %q, expected one name of lower-case letters, digits and _", schema)
	}
	delete(conn.RuntimeParams, "search_path") // it is set later: PgBouncer refuses it here
	if conn.RuntimeParams["application_name"] == "" {
		conn.RuntimeParams["application_name"] = "toolgraph"
	}
	query := u.Query()
	if !query.Has("pool_max_conns") {
		pool.MaxConns = connections
	}
	if !query.Has("pool_max_conn_idle_time") {
		pool.MaxConnIdleTime = idleMost
	}
	if !query.Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		conn.ConnectTimeout = connectMost
	}
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}, Control: boundSilence}
	conn.DialFunc = dialer.DialContext
	return target{pool: pool, schema: schema, place: placeOf(conn, schema)}, nil
}

// placeOf returns the URL as it is shown.
func placeOf(conn *pgx.ConnConfig, schema string) string {
	u := url.URL{Scheme: "postgres", User: url.User(conn.User), Path: "/" + conn.Database}
	query := url.Values{}
	if strings.HasPrefix(conn.Host, "/") {
		query.Set("host", conn.Host)
	} else {
		u.Host = net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port)))
	}
	if schema != schemaName {
		query.Set("search_path", schema)
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "%2F", "/")
	return u.String()
}

// cleaner makes connections whose parameters Postgres accepts: it refuses NUL bytes and invalid UTF-8,
// which paths of files may have. They are replaced by U+FFFD, as where they are stored.
type cleaner struct{ driver.Connector }

// Connect returns a connection of the pool.
func (c cleaner) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if pooled, ok := conn.(*stdlib.Conn); ok && err == nil {
		return cleanConn{pooled}, nil
	}
	return conn, err
}

type cleanConn struct{ *stdlib.Conn }

// CheckNamedValue cleans a parameter.
func (c cleanConn) CheckNamedValue(v *driver.NamedValue) error {
	if text, isText := v.Value.(string); isText {
		v.Value = clean(text)
	}
	return c.Conn.CheckNamedValue(v)
}

// clean returns a text that Postgres stores.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
