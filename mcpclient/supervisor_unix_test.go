//go:build unix

package mcpclient

import (
	"os/exec"
	"testing"
)

// A supervisor that was killed is replaced at the next start, and gets the groups that
// live again.
func TestSupervisorIsReplaced(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "inc", `{"n":1}`, `2`)
	p.keep.mu.Lock()
	first := p.keep.done
	_ = p.keep.pipe.Close() // for the supervisor, this process is dead: it ends the server too
	p.keep.mu.Unlock()
	<-first
	waitFor(t, "the server to be started again", func() bool {
		got, err := callTool(p, "inc", `{"n":1}`)
		return err == nil && got == "2"
	})
	p.keep.mu.Lock()
	defer p.keep.mu.Unlock()
	if p.keep.done == first || len(p.keep.groups) != 1 {
		t.Errorf("the supervisor was not replaced, or holds %v", p.keep.groups)
	}
}

// A container may have no shell: servers start there too.
func TestServersStartWithoutASupervisor(t *testing.T) {
	p := pool(t, fake(t))
	p.keep.command = func() *exec.Cmd { return &exec.Cmd{Path: t.TempDir() + "/sh"} }
	mustCall(t, p, "inc", `{"n":1}`, `2`)
}
