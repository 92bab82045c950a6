package tests

import (
	"regexp"
	"strings"
	"testing"
)

// A slow call is shown on a terminal all the while: with its time so far and what its server reports, also
// below the line that its server is being started.
func TestRunShowsASlowCall(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	f := newGraphFile(t, each(", args: ["+g.args()+"]", "report"))
	s, cmd, out := onScreen(t, "run", f.path, "report", "n=3", "message=a page", "--no-history")
	g.wait("reported", 1)
	line := regexp.MustCompile(`call: calling up report, [1-9][0-9]*s, 3/4 a page`)
	eventually(t, "the line is drawn again", func() bool { return line.MatchString(s.text()) })
	g.open()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, s.text())
	}
	used := regexp.MustCompile(`\r\x1b\[2Ktoolgraph: 1 call, [0-9]+ bytes in, [0-9]+ bytes out, about 0 tokens saved \(estimate\)\r\n$`)
	eventually(t, "the line is gone, and another one shows what the run has used", func() bool { return used.MatchString(s.text()) })
	if !strings.Contains(out.String(), "done") {
		t.Errorf("standard output: %q", out.String())
	}
}
