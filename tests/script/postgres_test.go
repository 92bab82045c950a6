package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolgraph/tests/pgtest"
	"toolgraph/tests/testbin"
)

// overPostgres are the scripts about recorded runs: with the URL of a database in place of a directory
// they print the same.
var overPostgres = []string{"fork", "replay", "resume", "runs_nested"}

func TestScriptOverPostgres(t *testing.T) {
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	pgtest.URL(t) // skips
	dir := t.TempDir()
	for _, name := range overPostgres {
		text, err := os.ReadFile(filepath.Join("testdata", "stories", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("TOOLGRAPH_STATE=$WORK/state", "TOOLGRAPH_STATE=$DATABASE", "TOOLGRAPH_STATE=state", "TOOLGRAPH_STATE=$DATABASE").Replace(string(text))
		if changed == string(text) {
			t.Errorf("%s.txtar names no directory of recorded runs", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "postgres"))); err != nil {
		t.Fatal(err)
	}
	play(t, dir, func(env *testscript.Env) {
		env.Setenv("FAKESERVER", fake)
		env.Setenv("DATABASE", pgtest.URL(t))
	})
}
