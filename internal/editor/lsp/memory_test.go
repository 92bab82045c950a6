package lsp

import "testing"

// The memory that waits to be collected is bounded: by four times what is in use, and from 8 MiB in use on by 32 MiB, or
// by as much as Go itself allows.
func TestGarbageIsBounded(t *testing.T) {
	for live := uint64(0); live < 1<<30; live += 256 << 10 {
		percent := gcPercent(live)
		if percent < usualGC || percent > mostGC {
			t.Fatalf("%d bytes in use: GOGC is %d, want %d to %d", live, percent, usualGC, mostGC)
		}
		if garbage := live * uint64(percent) / 100; garbage > max(spareMemory, live) {
			t.Fatalf("%d bytes in use: up to %d bytes of garbage, want at most %d", live, garbage, max(spareMemory, live))
		}
	}
	if few := gcPercent(4 << 20); few != mostGC {
		t.Errorf("4 MiB in use: GOGC is %d, want %d", few, mostGC)
	}
}
