package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/wording"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noCommand refuses arguments of a command that has only subcommands: the first is none
// of them.
func noCommand(cmd *cobra.Command, args []string) error {
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
			return usagef("unknown command %q; did you mean %q?", word, c.Name())
		}
	}
	hint := wording.Suggest(word, names)
	if hint == "" && cmd.HasParent() {
		hint = "; the commands are " + strings.Join(names, ", ")
	}
	return usagef("unknown command %q%s", word, hint)
}

// noCommandFor is the error of a graph file that stands where a command is expected.
func noCommandFor(root *cobra.Command, args []string) error {
	file := shellWord(args[0])
	if len(args) > 1 {
		for _, c := range root.Commands() {
			if c.Name() == args[1] {
				return usagef("%q is a graph file, and the command comes first: toolgraph %s %s", args[0], c.Name(), file)
			}
		}
	}
	return usagef("%q is a graph file, and no command is given; to check it: toolgraph check %s; to serve it: toolgraph serve %s", args[0], file, file)
}

// onlyCommands makes a command one that has only subcommands.
func onlyCommands(cmd *cobra.Command) {
	cmd.Args = noCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmd.Help(); err != nil {
			return err
		}
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		return usagef("no command given, expected one of %s", strings.Join(names, ", "))
	}
}

// strictHelp makes the commands that cobra adds as strict as the others: an unknown
// command is a usage error, also where help for it is asked for. The function gives
// that error of --help, which has no way to return one.
func strictHelp(root *cobra.Command) (refused func() error) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			show := c.Run
			c.RunE = func(cmd *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err == nil && of.HasSubCommands() {
					err = noCommand(of, rest)
				}
				if err == nil {
					show(cmd, args)
				}
				return err
			}
		case "completion":
			onlyCommands(c)
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
	var unknown error
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() {
			if unknown = noCommand(cmd, cmd.Flags().Args()); unknown != nil {
				return
			}
		}
		show(cmd, args)
	})
	return func() error { return unknown }
}

// flagError makes a flag that is not understood a usage error.
func flagError(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	if cmd.HasSubCommands() { // the flag may be one of the command that is misspelled
		if misspelled := noCommand(cmd, cmd.Flags().Args()); misspelled != nil {
			return misspelled
		}
	}
	name := unknown.GetSpecifiedName()
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	if near := wording.Nearest(name, names); near != "" {
		return usagef("%w; did you mean --%s?", err, near)
	}
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.Flags().Lookup(name) != nil {
				return usagef("%w; a flag of a command comes after it, as in: toolgraph %s --%s", err, c.Name(), name)
			}
		}
	}
	return usageError{err}
}

var (
	noArgs    = args(0, 0, "no arguments")
	onlyGraph = args(0, 0, "a graph file and no other argument")
)

// args counts the positional arguments, apart from the graph file (most -1: any
// number); a wrong count is a usage error.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || (most >= 0 && len(args) > most) {
			return usagef("%s takes %s, and %s given", cmd.Name(), what, wasGiven(cmd.Flags().NArg()))
		}
		return nil
	}
}

func wasGiven(n int) string {
	switch n {
	case 0:
		return "nothing was"
	case 1:
		return "1 argument was"
	}
	return fmt.Sprintf("%d arguments were", n)
}
