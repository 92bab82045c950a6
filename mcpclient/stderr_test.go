package mcpclient

import (
	"slices"
	"testing"
)

// A failure shows what the server wrote during its call, not what it wrote for an earlier call,
// which may have been another run's. The first call has what the server wrote when it started.
func TestStderrOfTheCall(t *testing.T) {
	p := pool(t, fake(t))
	mustCall(t, p, "echo", `{"message":"first"}`, `{"message":"first"}`)
	s := live(p)
	if _, err := callTool(p, "stderr", `{"message":"of an earlier call"}`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the line", func() bool { return s.stderr.mark() > 0 })
	if e := mustFail(t, p, "die", `{"code":3,"message":"of this call"}`, CodeServerExited); !slices.Equal(e.Stderr, []string{"of this call"}) {
		t.Errorf("%q", e.Stderr)
	}
	e := mustFail(t, p, "die", `{"code":4,"message":"again"}`, CodeServerExited)
	if !slices.Equal(e.Stderr, []string{"again"}) {
		t.Errorf("on a new process: %q", e.Stderr)
	}
}
