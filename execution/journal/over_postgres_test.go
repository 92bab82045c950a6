package journal_test

import (
	"maps"
	"sync"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// databases are the URLs in place of directories.
var databases sync.Map

func init() {
	journal.OpenPlace = func(t testing.TB, dir string, opts journal.Options) (*journal.Store, error) {
		url, known := databases.Load(dir)
		if !known {
			url = pgtest.URL(t)
			databases.Store(dir, url)
		}
		text, _ := url.(string)
		return postgres.Open(text, opts)
	}
}

// TestOverPostgres runs the tests of what a store does, whichever database it has, with Postgres.
func TestOverPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector's runs, which are short, have these tests over SQLite, and those of package postgres")
	}
	all := maps.Clone(journal.Tests)
	maps.Copy(all, map[string]func(*testing.T){
		"TestEventsComeBack": TestEventsComeBack, "TestS05KeptRuns": TestS05KeptRuns, "TestLongValues": TestLongValues,
		"TestList": TestList, "TestRetention": TestRetention, "TestLongRun": TestLongRun, "TestManyRuns": TestManyRuns,
		"TestFollowEnds":     TestFollowEnds,
		"TestUsageComesBack": TestUsageComesBack, "TestStats": TestStats, "TestStatsOfSome": TestStatsOfSome,
		"TestWait": TestWait, "TestOnce": TestOnce,
	})
	for name, test := range all {
		t.Run(name, test)
	}
}
