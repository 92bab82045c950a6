package tests

import (
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
	"toolgraph/tests/testbin"
)

// The cost of recording for a run: nothing but nodes, one call over stdio, a loop of 200
// steps; without a store, with one, and with one that waits for the disk.
func BenchmarkHistory(b *testing.B) {
	p, err := project.Load(b.Context(), filepath.Join("testdata", "history.yaml"), config.Options{})
	if err != nil {
		b.Fatal(err)
	}
	pool := mcpclient.NewPool(p.File.Servers, mcpclient.WithSelf("toolgraph", testbin.Build(b, "toolgraph")))
	defer pool.Close()
	for _, bench := range []struct{ tool, args string }{{"nothing", `{}`}, {"call", `{}`}, {"loop", `{"n": 97}`}} {
		g, err := p.Graph(bench.tool)
		if err != nil {
			b.Fatal(err)
		}
		args, err := value.Decode([]byte(bench.args))
		if err != nil {
			b.Fatal(err)
		}
		for _, kept := range []struct {
			name string
			opts *journal.Options
		}{{"off", nil}, {"on", &journal.Options{}}, {"durable", &journal.Options{Durable: true}}} {
			b.Run(bench.tool+"/"+kept.name, func(b *testing.B) {
				var plugged []execution.Option
				if kept.opts != nil {
					store, err := sqlite.Open(b.TempDir(), *kept.opts)
					if err != nil {
						b.Fatal(err)
					}
					defer store.Close()
					plugged = append(plugged, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: p.File.Path})))
				}
				engine := execution.New(pool, plugged...)
				for b.Loop() {
					if _, err := engine.Run(b.Context(), g, args); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
