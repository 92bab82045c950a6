package journal

import (
	"context"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
)

// onServer is a database whose server writes to its disk when a test says so.
type onServer struct {
	Database
	wrote  chan struct{} // after each Write
	disk   chan error    // what a Sync returns
	synced int
}

func (s *onServer) Write(ctx context.Context, batch []*Pending) error {
	err := s.Database.Write(ctx, batch)
	s.wrote <- struct{}{}
	return err
}

func (s *onServer) Sync(context.Context) error {
	s.synced++
	return <-s.disk
}

// Runs that wait for the disk at the same time wait for it once; who only reads does not wait for it.
func TestDiskIsShared(t *testing.T) {
	lite, err := NewSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const runs = 50
	data := &onServer{Database: lite, wrote: make(chan struct{}, 10), disk: make(chan error)}
	s := New(data, Options{})
	defer s.Close()
	j := s.Journal(nil, About{})
	var beginning sync.WaitGroup
	begin := func(id string) {
		beginning.Go(func() {
			e := execution.Event{Kind: execution.RunStarted, Run: id, Time: time.Now(), Start: &execution.Start{Tool: "t", Graph: "g"}, Sync: true}
			if err := j.Append(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
	begin("FIRST")
	<-data.wrote
	for i := range runs { // while the disk is busy
		begin("RUN" + string(rune('a'+i)))
	}
	for waiting := 0; waiting < runs; {
		s.writer.mu.Lock()
		waiting = s.writer.queue.awaited
		s.writer.mu.Unlock()
	}
	data.disk <- nil
	<-data.wrote
	data.disk <- nil
	beginning.Wait()
	if data.synced != 2 {
		t.Errorf("%d runs have waited for the disk %d times, want 2", runs+1, data.synced)
	}
	if r, err := s.Run(t.Context(), "FIRST"); err != nil || r.Status != Running || data.synced != 2 {
		t.Errorf("reading waits for the disk (%d): %+v, %v", data.synced, r, err)
	}
	flushed := make(chan error)
	go func() { flushed <- s.Flush(t.Context(), "FIRST") }()
	data.disk <- takenError("FIRST") // the process was taken for dead
	if err := <-flushed; err == nil {
		t.Error("a flush that the disk does not have")
	}
}
