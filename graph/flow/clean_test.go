package flow

import (
	"encoding/binary"
	"testing"
)

// What is remembered is bounded, and what was used last is remembered longest.
func TestCleanIsBounded(t *testing.T) {
	t.Parallel()
	c := new(Clean)
	key := func(n int) (k cleanKey) {
		binary.LittleEndian.PutUint64(k[:], uint64(n))
		return k
	}
	for n := range 3 * mostClean {
		c.add(key(n))
		if len(c.fresh)+len(c.old) > 2*mostClean {
			t.Fatalf("%d hashes are remembered after %d, want at most %d", len(c.fresh)+len(c.old), n+1, 2*mostClean)
		}
		if !c.has(key(0), true) {
			t.Fatalf("the first hash, which is used each time, is forgotten after %d others", n)
		}
	}
	if c.has(key(1), true) {
		t.Error("a hash that was never used again is remembered")
	}
	if c.has(key(0), false) {
		t.Error("a graph without a key is remembered")
	}
}
