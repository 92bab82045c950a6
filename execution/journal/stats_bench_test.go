package journal_test

import (
	"fmt"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// BenchmarkStats adds the figures of 100,000 runs.
func BenchmarkStats(b *testing.B) {
	const runs = 100_000
	s := open(b, journal.Options{})
	j := s.Journal(nil, journal.About{File: "/x/graph.yaml"})
	for i := range runs {
		used := &execution.Used{
			Calls: 3, BytesIn: 10_000 + i, BytesOut: 100, Chain: []string{"files.search", fmt.Sprintf("files.read%d", i%50)},
			Servers: []execution.ServerUse{{Server: "files", Calls: 2, BytesIn: 1000}, {Server: "web", Calls: 1, BytesIn: 9000 + i}},
		}
		for _, e := range usedRun(fmt.Sprintf("RUN%09d", i), "tool", began.Add(time.Duration(i)*time.Second), i%1000, used, nil) {
			if err := j.Append(b.Context(), e); err != nil {
				b.Fatal(err)
			}
		}
	}
	if _, err := s.Run(b.Context(), "last"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		got, err := s.Stats(b.Context(), journal.StatsQuery{By: journal.Groupings})
		if err != nil || got.Total.Runs != runs {
			b.Fatal(got, err)
		}
	}
}
