package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/program"
)

// allCommands returns the words of all commands, with those that cobra adds.
func allCommands(of *cobra.Command, words ...string) (all [][]string) {
	all = append(all, words)
	for _, c := range of.Commands() {
		all = append(all, allCommands(c, append(words[:len(words):len(words)], c.Name())...)...)
	}
	return all
}

// Help fits on 80 columns where it is no terminal that shows it. Examples and usage lines, which are copied, and words that
// cannot be broken may be longer.
func TestHelpFits(t *testing.T) {
	const columns = 80
	for _, words := range allCommands(newRoot(program.Streams{})) {
		var out bytes.Buffer
		if code := Run(context.Background(), append([]string{"help"}, words...), program.Streams{In: strings.NewReader(""), Out: &out, Err: &out}); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", words, code, out.String())
		}
		copied := false
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "Examples:" || line == "Usage:":
				copied = true
			case line == "":
				copied = false
			case !copied && terminal.Width(line) > columns && strings.Contains(strings.TrimSpace(line), " "):
				t.Errorf("%q: %d columns: %s", words, terminal.Width(line), line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%q: spaces at the end: %q", words, line)
			}
		}
	}
}
