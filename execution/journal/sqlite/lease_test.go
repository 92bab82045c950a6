package sqlite

import (
	"os"
	"sync"
	"testing"

	"toolgraph/execution/journal"
)

// A lease that other processes look at while it is created exists in the end: none of them takes
// it for an abandoned one.
func TestLeaseIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	var looking sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				leases, _ := os.ReadDir(leaseDir(dir)) // there are none at first
				for _, l := range leases {
					if left, ok := abandonedLease(dir, l.Name()); ok {
						left.drop()
					}
				}
			}
		})
	}
	for range 300 {
		l, err := newLease(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !l.note("RUN", journal.NoteName{}, []byte(`{"event":{"run":"RUN","step":{}}}`)) {
			t.Error("not noted")
		}
		if _, err := os.Lstat(l.file.file.Name()); err != nil {
			t.Error(err)
		}
		l.release()
	}
	close(done)
	looking.Wait()
}
