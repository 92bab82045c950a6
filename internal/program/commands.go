package program

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
)

// ShellWord returns a word as it is typed in a shell: quoted if it has special characters.
func ShellWord(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`$&|;<>()*?[]#!\\{}~", r) }) {
		return wording.Printable(word)
	}
	return "'" + strings.ReplaceAll(wording.Printable(word), "'", `'\''`) + "'"
}

// PrintCommand prints on a terminal a command of toolgraph that helps after a failure. It has a line of its own, without
// anything else, so that it can be copied.
func PrintCommand(w io.Writer, words ...string) {
	if !terminal.On(w).Live() {
		return
	}
	line := "toolgraph"
	for _, word := range words {
		line += " " + ShellWord(word)
	}
	fmt.Fprintln(w, line)
}

// NoCommand rejects the arguments of a command that has only subcommands.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasParent() && isGraphFile(args[0]) {
		return noCommandFor(cmd, args)
	}
	word := args[0]
	var names []string
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() && c.Name() != "help" {
			continue
		}
		if names = append(names, c.Name()); slices.Contains(c.SuggestFor, word) {
			return Usagef("unknown command %q; did you mean %q?", word, c.Name())
		}
	}
	hint := wording.Suggest(word, names)
	if hint == "" && cmd.HasParent() {
		hint = "; the commands are " + strings.Join(names, ", ")
	}
	return Usagef("unknown command %q%s", word, hint)
}

// noCommandFor returns the error for a graph file in the place of a command.
func noCommandFor(root *cobra.Command, args []string) error {
	file := ShellWord(args[0])
	if len(args) > 1 {
		for _, c := range root.Commands() {
			if c.Name() == args[1] {
				return Usagef("%q is a graph file; the command comes first: toolgraph %s %s", args[0], c.Name(), file)
			}
		}
	}
	return Usagef("%q is a graph file, expected a command; to check it: toolgraph check %s; to serve it: toolgraph serve %s", args[0], file, file)
}

// OnlyCommands makes a command reject anything but subcommands.
func OnlyCommands(cmd *cobra.Command) *cobra.Command {
	cmd.Args = NoCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmd.Help(); err != nil {
			return err
		}
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		return Usagef("no command given, expected one of %s", strings.Join(names, ", "))
	}
	return cmd
}

// strictHelp makes the commands that cobra adds as strict as the others: an unknown command is a
// usage error, also for help. The returned function gives the error of --help, which cannot
// return it.
func strictHelp(root *cobra.Command) (helpError func() error) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			show := c.Run
			c.RunE = func(cmd *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err == nil && of.HasSubCommands() {
					err = NoCommand(of, rest)
				}
				if err == nil {
					show(cmd, args)
				}
				return err
			}
		case "completion":
			OnlyCommands(c)
			for _, shell := range c.Commands() {
				shell.Args = NoArgs
			}
		}
	}
	var unknown error
	show := fittedHelp(root.HelpFunc())
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() {
			if unknown = NoCommand(cmd, cmd.Flags().Args()); unknown != nil {
				return
			}
		}
		show(cmd, args)
	})
	return func() error { return unknown }
}

// Commands without arguments.
var (
	NoArgs    = Args(0, 0, "no arguments")
	OnlyGraph = Args(0, 0, "a graph file and no other argument")
)

// Args checks the number of arguments without the graph file; most -1 is any number.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || (most >= 0 && len(args) > most) {
			return Usagef("%s takes %s, got %s", cmd.Name(), what, wording.Count(cmd.Flags().NArg(), "argument"))
		}
		return nil
	}
}
