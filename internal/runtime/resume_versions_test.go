package runtime

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
)

// A run goes on with the version of its file that began it, as long as that is one of the last.
func TestRunsOfEarlierVersions(t *testing.T) {
	first := sweepingGraph(t)
	s := sweep(t, first, t.TempDir())
	src, err := os.ReadFile(first.File.Path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(n int) {
		t.Helper()
		if err := os.WriteFile(first.File.Path, bytes.Replace(src, []byte("'1'"), fmt.Appendf(nil, "'%d'", n), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := project.Load(t.Context(), first.File.Path, config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.resumer.Use(p)
		if err != nil {
			t.Fatal(err)
		}
		s.resumer.use(l)
	}
	leave := func(run string) {
		t.Helper()
		other := openStore(t, s.state)
		s.begin(other, run, first.Graphs[0].Hash, nil)
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		s.again()
	}
	for n := 2; n <= mostVersions; n++ {
		change(n)
	}
	leave("EARLIER")
	if run := s.wait(); run != "EARLIER" {
		t.Errorf("%s was resumed", run)
	}
	change(mostVersions + 1)
	leave("TOOEARLY")
	for range 2 {
		s.again()
	}
	if len(s.ended) > 0 || s.log.count("its tool has changed") != 1 {
		t.Errorf("%d runs of a version that is not used any more were resumed", len(s.ended))
	}
}
