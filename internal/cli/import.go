package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/importer"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

// importFlags are the flags that all importers have.
type importFlags struct {
	out, servers string
	force        bool
}

func newImport(std program.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Write a graph file from what another system has",
		Long: `Write a graph file from what another system has, with TODO comments where a decision is
left to the author, and check it. The graph is printed, or written to a file with -o;
an existing file is only overwritten with --force. The findings of the check are on
standard error; the exit code is 1 when the graph has errors.`,
		Example: `  toolgraph import agent-trace session.jsonl -o release.yaml --test
  toolgraph import context-pipe pipes.json -o pipes.yaml`,
	}
	program.OnlyCommands(cmd)
	cmd.AddCommand(newImportTrace(std), newImportPipe(std), newImportRun(std))
	return cmd
}

func (f *importFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`file` to write instead of standard output, which is -")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite existing files, and follow the symbolic link that -o names")
}

func newImportTrace(std program.Streams) *cobra.Command {
	flags, opts, calls := importFlags{}, importer.TraceOptions{}, callRange{}
	cmd := &cobra.Command{
		Use:   "agent-trace FILE",
		Short: "Write a graph from the tool calls of an agent",
		Long: `Write a graph that makes the calls of a trace: the session of Claude Code (JSON Lines
below ~/.claude/projects), or objects {server, tool, args, result}, as a JSON array or one
on each line. - is standard input.

The tool makes the successful calls of MCP tools in steps. Repetitions are folded into each,
values are traced to the answers that they came from, also inside texts, and one that was in
none is an argument. What the agent worked out itself is a TODO. Values whose names look
secret, such as token, and keys are never written.

With --test a test beside the graph repeats the trace on its recorded answers:
FILE.test.yaml and FILE.cassette.json, which toolgraph test runs without servers.`,
		Example: `  toolgraph import agent-trace session.jsonl -o release.yaml --test
  toolgraph import agent-trace session.jsonl --calls 3-14 --name release -m .mcp.json`,
		Args: program.Args(1, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Test && (flags.out == "" || flags.out == "-") {
				return program.Usagef("--test writes files beside the graph; name it with -o")
			}
			src, err := flags.read(cmd.Context(), std, args[0], importer.MaxTraceBytes)
			if err != nil {
				return err
			}
			opts.First, opts.Last, opts.ServersFile = calls.first, calls.last, flags.servers != ""
			file, err := importer.AgentTrace(cmd.Context(), args[0], src, opts)
			if err != nil {
				return err
			}
			return flags.write(cmd.Context(), std, file)
		},
	}
	flags.register(cmd)
	program.ServersFlag(cmd, &flags.servers)
	cmd.Flags().StringVar(&opts.Tool, "name", "trace", "`name` of the tool")
	cmd.Flags().BoolVar(&opts.Test, "test", false, "also write a test with the recorded answers beside the graph; requires -o")
	cmd.Flags().Var(&calls, "calls", "the calls to import, as FIRST-LAST, counted from 1; failed calls count")
	return cmd
}

func newImportPipe(std program.Streams) *cobra.Command {
	flags, global := importFlags{}, ""
	cmd := &cobra.Command{
		Use:   "context-pipe FILE",
		Short: "Write a graph from the pipes of Context Pipe",
		Long: `Write a graph file with a tool for each pipe of a pipes.json: {"input": TEXT} goes through
its nodes, MCP tools and programs, one after the other. Programs become a server of type
exec, which runs only with --allow-exec. --global adds the pipes and servers of the user's
own file; those of FILE go first. - is standard input.`,
		Example: `  toolgraph import context-pipe pipes.json -o pipes.yaml
  toolgraph import context-pipe pipes.json --global ~/.mcp-pipe.json -o pipes.yaml`,
		Args: program.Args(1, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := flags.read(cmd.Context(), std, args[0], importer.MaxPipesBytes)
			if err != nil {
				return err
			}
			var user *importer.Pipes
			if global != "" {
				user = &importer.Pipes{Path: global}
				if user.Src, err = flags.read(cmd.Context(), std, global, importer.MaxPipesBytes); err != nil {
					return err
				}
			}
			file, err := importer.ContextPipe(importer.Pipes{Path: args[0], Src: src}, user)
			if err != nil {
				return err
			}
			return flags.write(cmd.Context(), std, file)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&global, "global", "", "`file` with more pipes and servers, such as ~/.mcp-pipe.json")
	return cmd
}

// callRange is a flag such as 3-14, 3- or 7.
type callRange struct{ first, last int }

// Set reads the flag.
func (c *callRange) Set(text string) error {
	from, to, isRange := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	last := first
	var err2 error
	if isRange {
		last = 0
		if to != "" {
			if last, err2 = strconv.Atoi(to); last < first {
				err2 = cmp.Or(err2, strconv.ErrRange)
			}
		}
	}
	if err != nil || err2 != nil || first < 1 {
		return errors.New("expected numbers such as 3-14, 3- or 7")
	}
	c.first, c.last = first, last
	return nil
}

func (c *callRange) String() string {
	switch {
	case c.first == 0:
		return ""
	case c.last == 0:
		return fmt.Sprintf("%d-", c.first)
	}
	return fmt.Sprintf("%d-%d", c.first, c.last)
}

// Type names the kind of value in the help.
func (c *callRange) Type() string { return "range" }

// read returns the bytes of the file to import, or of standard input for -.
func (f *importFlags) read(ctx context.Context, std program.Streams, path string, most int64) ([]byte, error) {
	in := std.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a directory; name a file in it", path)
		}
		in = file
	}
	src, err := program.ReadInput(ctx, in, most+1)
	if err == nil && int64(len(src)) > most {
		err = fmt.Errorf("%s is larger than %s; import a part of it", path, sizeText(most))
	}
	return src, err
}

func sizeText(n int64) string {
	size := program.ByteSize(n)
	return size.String()
}

// write writes an imported file to where the flags say, and checks it.
func (f *importFlags) write(ctx context.Context, std program.Streams, file *importer.File) error {
	for _, warning := range file.Warnings {
		fmt.Fprintf(std.Err, "toolgraph: warning: %s\n", wording.Printable(warning))
	}
	if f.out == "" || f.out == "-" {
		if _, err := std.Out.Write(file.Graph); err != nil {
			return err
		}
		return f.check(ctx, std, "<stdout>", file.Graph)
	}
	name := strings.TrimSuffix(f.out, filepath.Ext(f.out))
	type output struct {
		path    string
		content []byte
		links   files.Links
	}
	outputs := []output{{f.out, file.Graph, files.AnyLinks}}
	if file.Test != nil {
		outputs = append(outputs, output{name + config.TestEnding, file.Test, files.NoLinks}, output{name + config.CassetteEnding, file.Cassette, files.NoLinks})
	}
	for _, o := range outputs {
		if _, err := os.Lstat(o.path); err == nil && !f.force {
			return fmt.Errorf("%s already exists; --force overwrites it", o.path)
		}
		if err := o.links.Check(o.path); err != nil {
			return err
		}
	}
	for _, o := range outputs {
		write := createFile
		if f.force {
			write = func(path string, content []byte) error { return files.Write(path, content, 0o644, o.links) }
		}
		if err := write(o.path, o.content); errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s already exists; --force overwrites it", o.path)
		} else if err != nil {
			return err
		}
		fmt.Fprintf(std.Err, "wrote %s\n", wording.Printable(o.path))
	}
	return f.check(ctx, std, f.out, file.Graph)
}

// check reports the findings of the graph that was written, and how many TODO comments it has.
func (f *importFlags) check(ctx context.Context, std program.Streams, path string, src []byte) error {
	p, err := project.Parse(ctx, path, src, config.Options{ServersFile: f.servers, AssumeEnv: true})
	var found config.Diagnostics
	switch {
	case errors.As(err, &found):
	case err != nil:
		return err
	default:
		if found, err = p.Check(ctx, nil); err != nil {
			return err
		}
	}
	program.PrintDiagnostics(std.Err, found)
	todo := ""
	if n := bytes.Count(src, []byte("# TODO")); n > 0 {
		todo = fmt.Sprintf("; %s to be decided (TODO)", wording.Count(n, "line"))
	}
	fmt.Fprintf(std.Err, "%s: %s%s\n", wording.Printable(path), summary(found), todo)
	if found.Err() != nil {
		return program.ErrReported
	}
	return nil
}
