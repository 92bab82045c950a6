package tests

import (
	"regexp"
	"strings"
	"testing"
)

// uncoloured is what was written to a screen without its colours.
func uncoloured(s *screen) string {
	return regexp.MustCompile(`\x1b\[[0-9]*m`).ReplaceAllString(s.text(), "")
}

// A slow call is shown on a terminal all the while: with its time so far and what its server reports, also
// below the line that its server is being started. At the end only what was done is left of it.
func TestRunShowsASlowCall(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	f := newGraphFile(t, each(", args: ["+g.args()+"]", "report"))
	s, cmd, out := onScreen(t, "run", f.path, "report", "n=3", "message=a page", "--no-history")
	g.wait("reported", 1)
	line := regexp.MustCompile(`1 call  up\.report  [1-9][0-9]*\.[0-9] s  3 of 4, a page`)
	eventually(t, "the line is drawn again", func() bool { return line.MatchString(uncoloured(s)) })
	g.open()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, s.text())
	}
	used := regexp.MustCompile(`\r\x1b\[[12]A(?:\x1b\[K|\x1b\[1[AB])*(?:ok       1 call  [^\r\n]*\r\n)?toolgraph: 1 call, [0-9]+ bytes in, [0-9]+ bytes out, about 0 tokens saved \(estimate\)\r\n$`)
	eventually(t, "the line is gone, and another one shows what the run has used", func() bool { return used.MatchString(uncoloured(s)) })
	if !strings.Contains(out.String(), "done") {
		t.Errorf("standard output: %q", out.String())
	}
}
