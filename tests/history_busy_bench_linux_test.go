package tests

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// The cost of recording while 64 runs are in flight.
func BenchmarkHistoryBusy(b *testing.B) {
	p, err := project.Load(b.Context(), filepath.Join("testdata", "history.yaml"), config.Options{})
	if err != nil {
		b.Fatal(err)
	}
	g, err := p.Graph("nothing")
	if err != nil {
		b.Fatal(err)
	}
	for _, recorded := range []bool{false, true} {
		name := "off"
		if recorded {
			name = "on"
		}
		b.Run(name, func(b *testing.B) {
			var plugged []execution.Option
			if recorded {
				store, err := sqlite.Open(b.TempDir(), journal.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer store.Close()
				plugged = append(plugged, execution.WithJournal(store.Journal(p.File.Secrets, journal.About{File: p.File.Path})))
			}
			engine := execution.New(nil, plugged...)
			var n atomic.Int64
			var runs sync.WaitGroup
			began := cpu()
			b.ResetTimer()
			for range 64 {
				runs.Go(func() {
					for n.Add(1) <= int64(b.N) {
						args := value.NewObject([]string{"msg"}, []value.Value{"message"})
						if _, err := engine.Run(b.Context(), g, args); err != nil {
							b.Error(err)
						}
					}
				})
			}
			runs.Wait()
			b.ReportMetric(float64((cpu()-began).Nanoseconds())/1000/float64(b.N), "cpu-µs/run")
		})
	}
}

// cpu is the time that this process has used processors for.
func cpu() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
