package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The person at the terminal is asked by each command that makes runs, and nothing of the question is on
// standard output. A yes makes the call; everything else does not.
func TestRunsAskAtTheTerminal(t *testing.T) {
	t.Parallel()
	const asks = "Toolgraph asks for node go of tool remove:\r\n  | Tool \"remove\" is about to call up.enter"
	const prompt, form = "Your answer? yes or no: ", "Toolgraph asks for node sure of tool tidy:\r\n  | Remove 12 files?\r\n"
	for _, c := range []struct {
		name  string
		args  []string
		keys  []string // each typed once the text before it has come: text, keys, …
		asks  string
		want  string // of standard output
		code  int
		calls int
	}{
		{"run", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "yes\n"}, asks, "2\n", 0, 1},
		{"neither yes nor no", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "\n", prompt, "sure\n", prompt, "y\n"}, asks, "2\n", 0, 1},
		{"declined", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "no\n"}, asks, "", 1, 0},
		{"closed", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "!cancel\n"}, asks, "", 1, 0},
		{"end of input", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "\x04"}, asks, "", 1, 0},
		{"ctrl-c", []string{"run", "$GRAPH", "remove", "n=1"}, []string{prompt, "\x03"}, asks, "", 130, 0},
		{"form", []string{"run", "$GRAPH", "tidy"}, []string{
			"Keep the newest (yes or no, required): ", "perhaps\n", "Keep the newest (yes or no, required): ", "yes\n", "name (text): ", "long\n", "name (text): ", "ann\n", "Send this answer? yes or no: ", "yes\n",
		}, form, "{\n  \"keepNewest\": true,\n  \"name\": \"ann\"\n}\n", 0, 1},
		{"form with --yes", []string{"run", "$GRAPH", "tidy", "--yes"}, []string{"Keep the newest (yes or no, required): ", "!no\n"}, form, "", 1, 0},
		{"debug", []string{"debug", "$GRAPH", "remove", "n=1"}, []string{"> ", "continue\n", prompt, "yes\n"}, asks, "2\n", 0, 1},
		{"inspect", []string{"inspect", "$GRAPH", "--allow-run", "run_tool", "tool=remove", `arguments={"n":1}`}, []string{prompt, "yes\n"}, asks, "*", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ledger := filepath.Join(t.TempDir(), "ledger")
			f := newGraphFile(t, strings.ReplaceAll(userGraph, "$LEDGER", "ledger="+ledger))
			args := append([]string(nil), c.args...)
			args[1] = f.path
			s, cmd, out := onScreen(t, append(args, "--no-history")...)
			seen := 0
			for i := 0; i < len(c.keys); i += 2 {
				eventually(t, c.keys[i], func() bool { return strings.Contains(s.text()[seen:], c.keys[i]) })
				seen = len(s.text())
				s.typed(c.keys[i+1])
			}
			err := cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("%v: exit code %d, want %d\n%s", err, code, c.code, s.text())
			}
			if got := out.String(); c.want != "*" && got != c.want {
				t.Errorf("got %q, want %q\n%s", got, c.want, s.text())
			}
			if !strings.Contains(s.text(), c.asks) {
				t.Errorf("the screen: %q", s.text())
			}
			raw, _ := os.ReadFile(ledger) // none when nothing was called
			if got := strings.Count(string(raw), "\n"); got != c.calls {
				t.Errorf("%d calls, want %d\n%s", got, c.calls, s.text())
			}
		})
	}
}
