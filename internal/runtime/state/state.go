// Package state opens the store of recorded runs at a place that the user names: a directory, or the
// URL of a Postgres database. It is the only package that knows both; it must not know what is recorded.
package state

import (
	"errors"
	"fmt"
	"strings"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/base/wording"
)

var (
	scheme = wording.Pattern(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	// nearURL matches what is meant as a URL and would be a strange directory: a slash is missing, or the
	// settings of a connection are written one after the other, as libpq allows it too.
	nearURL = wording.Pattern(`^postgres(ql)?:|^(host|hostaddr|port|user|dbname|service|password) *=`)
)

// IsURL reports whether a place is the URL of a database, not a directory.
func IsURL(place string) bool {
	return strings.Contains(place, "://") && scheme().MatchString(place)
}

// Open opens the store at a place. Nothing is read, written or connected before it is used.
func Open(place string, opts journal.Options) (*journal.Store, error) {
	if !strings.ContainsAny(place, ":=") {
		return sqlite.Open(place, opts)
	}
	found := scheme().FindStringSubmatch(place)
	switch {
	case found == nil && nearURL().MatchString(place):
		return nil, errors.New("--state or TOOLGRAPH_STATE is no URL of a database, expected a directory (./ before a name with a colon or =) or postgres://USER@HOST:PORT/DATABASE")
	case found == nil:
		return sqlite.Open(place, opts)
	case found[1] == "postgres", found[1] == "postgresql":
		return postgres.Open(place, opts)
	}
	return nil, fmt.Errorf("--state or TOOLGRAPH_STATE has the scheme %q, expected a directory or postgres://USER@HOST:PORT/DATABASE", found[1])
}
