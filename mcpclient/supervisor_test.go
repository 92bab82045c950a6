package mcpclient

import "testing"

// A supervisor that somebody killed is replaced at the next start, with the groups
// that live told again.
func TestSupervisorIsReplaced(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	p.keep.mu.Lock()
	first := p.keep.done
	_ = p.keep.pipe.Close() // as seen from there, we are dead: it ends the server too
	p.keep.mu.Unlock()
	<-first
	waitFor(t, "the server to be started again", func() bool {
		got, err := call(p, "inc", `{"n":1}`)
		return err == nil && got == "2"
	})
	p.keep.mu.Lock()
	defer p.keep.mu.Unlock()
	if p.keep.done == first || len(p.keep.groups) != 1 {
		t.Errorf("the supervisor was not replaced, or holds %v", p.keep.groups)
	}
}
