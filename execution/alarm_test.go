package execution

import (
	"runtime"
	"testing"
	"time"
	"weak"
)

// A stopped timer of a clock does not hold the run, though the runtime may keep it until it would have ended.
func TestStoppedTimerHoldsNothing(t *testing.T) {
	for range 200 { // among so many the runtime keeps stopped ones
		defer time.AfterFunc(time.Hour, func() {}).Stop()
	}
	var held []weak.Pointer[[1 << 10]byte]
	for range 20 {
		values := new([1 << 10]byte)
		held = append(held, weak.Make(values))
		c := &clock{now: time.Now}
		c.run.working = 1
		stop := c.after(&c.run, "maxExecutionTime", time.Hour, func() { values[0]++ })
		c.after(&c.run, "timeout", time.Hour, func() { values[0]++ })
		stop()
		c.end()
	}
	runtime.GC()
	for i, p := range held {
		if p.Value() != nil {
			t.Fatalf("clock %d holds the values of its run", i)
		}
	}
}

// A timer that was stopped while it began to ring does nothing.
func TestAlarmRingsOnce(t *testing.T) {
	rung := make(chan struct{}, 2)
	a := newAlarm(0, func() { rung <- struct{}{} })
	<-rung
	a.stop()
	a.ring()
	if len(rung) > 0 {
		t.Error("a stopped alarm has rung")
	}
}
