package program

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolgraph/internal/base/terminal"
)

// helpColumns is the width of help that is not for a terminal.
const helpColumns = 80

// fittedHelp returns show with its text fitted to the width of the terminal, or to 80 columns. Examples and usage lines, which
// are copied, stay as they are.
func fittedHelp(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		show(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, fitted(cmd, text.String(), cmp.Or(terminal.On(out).Columns(), helpColumns))) // as cobra prints it
	}
}

// fitted returns the help of a command with its parts fitted to a width.
func fitted(cmd *cobra.Command, text string, columns int) string {
	screen := terminal.Sized(columns, 0, false)
	replace := func(part, by string) {
		if part = strings.TrimSpace(part); part != "" {
			text = strings.Replace(text, part, strings.TrimSpace(by), 1)
		}
	}
	long := cmp.Or(cmd.Long, cmd.Short)
	replace(long, filled(screen, long))
	for _, c := range cmd.Commands() {
		line := fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name())
		replace(line+c.Short, screen.Wrap(line+c.Short, len(line)))
	}
	for _, flags := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
		replace(flags.FlagUsages(), flags.FlagUsagesWrapped(columns))
	}
	return text
}

// filled fills the lines of paragraphs anew. Indented lines stay as they are.
func filled(screen terminal.Screen, text string) string {
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		last := len(lines) - 1
		if i > 0 && line != "" && lines[last] != "" && line[0] != ' ' && lines[last][0] != ' ' {
			lines[last] += " " + line
		} else {
			lines = append(lines, line)
		}
	}
	return screen.Wrap(strings.Join(lines, "\n"), 0)
}
