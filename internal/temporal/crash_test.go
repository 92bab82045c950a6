package temporal

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// Of two workers one is killed in the middle of 40 runs of 10 calls. The other continues its runs:
// with onCrash: rerun all are right; with stop each is right or says that the outcome of a call is
// unknown, and no call is made twice.
func TestWorkerKilled(t *testing.T) {
	for _, test := range []killed{{"count", 2}, {"once", 1}} {
		t.Run(test.tool, func(t *testing.T) { places(t, test.run) })
	}
}

// killed is a test of a tool.
type killed struct {
	tool string
	most int // times that a call may be made
}

func (test killed) run(t *testing.T, p *place) {
	const runs, calls = 40, 10
	u := newUpstream(t)
	file := countingFile(t, u)
	dies := p.worker(t, file)
	p.worker(t, file)
	c := p.serve(t, file)
	ids := make([]string, runs)
	for i := range runs {
		ids[i] = c.call(test.tool, fmt.Sprintf(`{"id":"r%d","n":%d,"ms":30}`, i, calls))
	}
	u.until(t, "a third of the calls", func() bool { return u.all >= runs*calls/3 })
	dies.kill()
	right, unknown := 0, 0
	for i, id := range ids {
		got := c.wait(id)
		switch text := got.text(); {
		case text == fmt.Sprintf(`{"sum":%d,"id":"r%d"}`, calls, i):
			right++
		case test.most == 1 && strings.Contains(text, "and its outcome is unknown") && strings.Contains(text, "toolgraph resume"):
			unknown++
		default:
			t.Errorf("run %d: %s %s", i, got.Result, got.Error)
		}
	}
	t.Logf("%d right, %d with an unknown outcome, %d calls after the kill", right, unknown, u.all)
	if test.most == 2 && right != runs {
		t.Errorf("%d of %d runs are right", right, runs)
	}
	for i := range runs {
		for k := range calls {
			if n := u.count(fmt.Sprintf("r%d/%d", i, k)); n > test.most {
				t.Errorf("call %d of run %d was made %d times", k, i, n)
			}
		}
	}
}

// A worker that is stopped gives its runs back: calls in flight end, and the other worker continues
// at once, although it would wait long for a worker that is silent. Nothing is repeated or unknown.
func TestWorkerStopped(t *testing.T) {
	places(t, stopped)
}

func stopped(t *testing.T, p *place) {
	const runs, calls = 10, 8
	u := newUpstream(t)
	file := countingFile(t, u)
	stops := p.worker(t, file, "--silence", "120s")
	c := p.serve(t, file)
	ids := make([]string, runs)
	for i := range runs {
		ids[i] = c.call("once", fmt.Sprintf(`{"id":"s%d","n":%d,"ms":50}`, i, calls))
	}
	u.until(t, "a third of the calls", func() bool { return u.all >= runs*calls/3 })
	p.worker(t, file, "--silence", "120s")
	if err := stops.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if got := c.wait(id); got.text() != fmt.Sprintf(`{"sum":%d,"id":"s%d"}`, calls, i) {
			t.Errorf("run %d: %s %s", i, got.Result, got.Error)
		}
	}
	<-stops.exited
	if u.all != runs*calls {
		t.Errorf("%d calls, want %d", u.all, runs*calls)
	}
}
