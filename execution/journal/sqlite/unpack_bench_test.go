package sqlite

import (
	"crypto/rand"
	"fmt"
	"testing"

	"toolgraph/execution/journal"
)

// BenchmarkUnpack is what moving a packed run to its row takes, in a store that has runs already.
func BenchmarkUnpack(b *testing.B) {
	for _, there := range []int{0, 100_000} {
		b.Run(fmt.Sprint(there), func(b *testing.B) {
			s := newDatabase(b.TempDir(), false)
			defer s.Close(true)
			packs := func(runs int) {
				for ; runs > 0; runs -= 500 {
					batch := make([]*journal.Pending, min(runs, 500))
					for i := range batch {
						batch[i] = ended(rand.Text())
						batch[i].Body = journal.Chunk{Body: make([]byte, 150), Sums: make([]byte, 16)}
					}
					if err := s.Write(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
				}
			}
			db, err := s.Open(b.Context(), true)
			if err != nil {
				b.Fatal(err)
			}
			packs(there)
			if err := s.unpack(b.Context(), db); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				packs(10000)
				b.StartTimer()
				if err := s.unpack(b.Context(), db); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10000, "µs/run")
		})
	}
}
