package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// TakesGraph gives a command its graph file: as the argument FILE of its usage line, or
// with -g, or both when they are the same file. The command's Args and RunE get the
// arguments without FILE.
//
// A FILE that begins the usage line is the first argument, whatever its name. With -g, and
// after other arguments in the usage line, it is the argument that ends in .yaml or .yml.
// Without brackets in the usage line it is required.
func TakesGraph(cmd *cobra.Command, into *string) *cobra.Command {
	words := strings.Fields(cmd.Use)
	first := len(words) > 1 && strings.Trim(words[1], "[]") == "FILE"
	required := slices.Contains(words, "FILE")
	GraphFlag(cmd, into)
	check, run := cmd.Args, cmd.RunE
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		rest := slices.Clone(given)
		at := slices.IndexFunc(rest, isGraphFile)
		if first && at > 0 {
			at = -1
		}
		if first && len(rest) > 0 && !cmd.Flags().Changed("graph") {
			at = 0
		}
		if at >= 0 {
			if err := takeGraph(cmd, into, rest[at]); err != nil {
				return err
			}
			rest = slices.Delete(rest, at, at+1)
		}
		switch {
		case cmd.Flags().Changed("graph") && *into == "":
			return Usagef("-g is empty; name the graph file")
		case required && *into == "":
			return NeedsGraph(cmd)
		}
		if check != nil {
			if err := check(cmd, rest); err != nil && !first {
				return Usagef("%w; FILE is the argument that ends in .yaml or .yml; give a file with another name with -g", err)
			} else if err != nil {
				return err
			}
		}
		return run(cmd, rest)
	}
	return cmd
}

// takeGraph takes an argument as the graph file.
func takeGraph(cmd *cobra.Command, into *string, file string) error {
	if cmd.Flags().Changed("graph") {
		return sameAsFlag(*into, file)
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !isGraphFile(file) {
		return Usagef("graph file %q does not exist; usage: %s", file, UsageOf(cmd))
	}
	*into = file
	return nil
}

// TakesGraphs is takesGraph for a command whose arguments are all files: -g stands for one
// argument.
func TakesGraphs(cmd *cobra.Command) *cobra.Command {
	var file string
	GraphFlag(cmd, &file)
	check, run := cmd.Args, cmd.RunE
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if cmd.Flags().Changed("graph") {
			for _, path := range given {
				if err := sameAsFlag(file, path); err != nil {
					return err
				}
			}
			if file == "" {
				return Usagef("-g is empty; name the graph file")
			}
			given = []string{file}
		}
		if check != nil {
			if err := check(cmd, given); err != nil {
				return err
			}
		}
		return run(cmd, given)
	}
	return cmd
}

// GraphFlag registers -g of a command that has not registered one itself.
func GraphFlag(cmd *cobra.Command, into *string) {
	if cmd.Flags().Lookup("graph") == nil {
		cmd.Flags().StringVarP(into, "graph", "g", "", "graph `file`, instead of the argument FILE")
	}
}

// NeedsGraph returns the error of a command without a graph file.
func NeedsGraph(cmd *cobra.Command) error {
	return Usagef("%s requires a graph file: %s, or -g FILE", cmd.Name(), UsageOf(cmd))
}

// sameAsFlag rejects an argument that names another graph file than -g.
func sameAsFlag(flag, argument string) error {
	a, errA := filepath.Abs(flag)
	b, errB := filepath.Abs(argument)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if a != b {
		return Usagef("-g is %q and the argument is %q; give one graph file", flag, argument)
	}
	return nil
}

// isGraphFile reports whether an argument ends like a graph file; key=value never does.
func isGraphFile(argument string) bool {
	ext := filepath.Ext(argument)
	return (ext == ".yaml" || ext == ".yml") && !strings.Contains(argument, "=")
}

// UsageOf returns the usage line of a command without the flags.
func UsageOf(cmd *cobra.Command) string {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(cmd.CommandPath() + " " + arguments)
}
