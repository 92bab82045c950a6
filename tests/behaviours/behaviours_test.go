package behaviours

import (
	"fmt"
	"os"
	"testing"

	"toolgraph/execution/journal"
)

func TestMain(m *testing.M) {
	if _, asked := Asked(); asked {
		if err := Serve(open); err != nil {
			fmt.Fprintln(os.Stderr, "behaviours:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func open(state string) (*journal.Store, error) { return journal.Open(state, journal.Options{}) }

const page = "../../docs/behaviours.md"

func TestSQLite(t *testing.T) {
	dir := t.TempDir()
	store, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	Run(t, &Local{Title: "SQLite", Shown: store, State: dir}, page)
}
