package cost

import (
	"fmt"
	"testing"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

var kept [][]byte

func allocate(n, size int) func() {
	return func() {
		kept = kept[:0]
		for range n {
			kept = append(kept, make([]byte, size))
		}
	}
}

func TestLinear(t *testing.T) {
	Linear(t, 1000, func(n int) func() { return allocate(n, 1000) })
	for name, work := range map[string]func(n int) func(){
		"bytes":   func(n int) func() { return allocate(n, n) },
		"objects": func(n int) func() { return allocate(n*n/100, 1) },
	} {
		r := &recorder{TB: t}
		if Linear(r, 1000, work); r.failed == "" {
			t.Errorf("quadratic work in %s was not noticed", name)
		}
	}
}

func TestBelow(t *testing.T) {
	Below(t, 1<<20, allocate(1, 1<<19))
	r := &recorder{TB: t}
	if Below(r, 1<<20, allocate(1, 1<<21)); r.failed == "" {
		t.Error("2 MiB passed for less than 1 MiB")
	}
	calls := 0
	Below(t, 1<<20, func() { // something else allocates during the first two
		if calls++; calls <= 2 {
			allocate(1, 1<<21)()
		}
	})
	if calls != 3 {
		t.Errorf("measured %d times, want until it was below", calls)
	}
}
