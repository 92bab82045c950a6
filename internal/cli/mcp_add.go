package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

type addFlags struct {
	url, kind, cwd string
	env, headers   []string
	project, force bool
}

func newMCPAdd(std program.Streams) *cobra.Command {
	flags := addFlags{}
	cmd := &cobra.Command{
		Use:   "add NAME (-- COMMAND ARG… | --url URL)",
		Short: "Add a server to a registry",
		Long: `Add a server to the registry of the user, or with --project to that of the project in this
directory. Everything after -- is the command that starts it. No server is started; run
toolgraph mcp sync NAME to ask it for its tools.

A registry stores no secrets: a value whose name looks like one, such as a token, has to be
${VAR}, which is replaced when the server is used. Write it in single quotes, so that the
shell does not replace it. --env NAME is short for --env 'NAME=${NAME}'.`,
		Example: `  toolgraph mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/notes
  toolgraph mcp add github --url https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer ${GITHUB_TOKEN}'
  toolgraph mcp add search --env SEARCH_API_KEY -- npx -y search-server
  toolgraph mcp add local --project --cwd . -- node server.js`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := flags.arguments(cmd, args)
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), std, name, command)
		},
	}
	cmd.Flags().StringVar(&flags.url, "url", "", "the address of an HTTP server")
	program.ChoiceFlag(cmd, &flags.kind, "type", "", "with --url: the transport", "streamableHttp", "sse")
	cmd.Flags().StringArrayVar(&flags.env, "env", nil, "`NAME=VALUE`, a variable for the command; can be repeated")
	cmd.Flags().StringArrayVar(&flags.headers, "header", nil, "`'NAME: VALUE'`, with --url: sent with each request; can be repeated")
	cmd.Flags().StringVar(&flags.cwd, "cwd", "", "`directory` in which the command is started (default that of toolgraph)")
	projectFlag(cmd, &flags.project)
	cmd.Flags().BoolVar(&flags.force, "force", false, "replace a server of the same name")
	return cmd
}

// projectFlag registers --project of commands that change a registry.
func projectFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVar(into, "project", false, "use the registry of the project in this directory, .toolgraph/servers.json, instead of the user's")
}

// registryFor returns the registry that a command changes.
func registryFor(project bool) (registry.Registry, error) {
	if project {
		return registry.OfProject("."), nil
	}
	return registry.OfUser()
}

// arguments returns the name and the command.
func (f *addFlags) arguments(cmd *cobra.Command, args []string) (name string, command []string, err error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	command = args[dash:]
	switch {
	case dash == 0:
		return "", nil, program.Usagef("add requires the name of a server before its command: %s", program.UsageOf(cmd))
	case dash > 1:
		return "", nil, program.Usagef("unexpected argument %q; write -- before the command: toolgraph mcp add %s -- %s", args[1], program.ShellWord(args[0]), program.ShellWord(args[1])+" …")
	case f.url == "" && len(command) == 0:
		return "", nil, program.Usagef("add requires the command that starts the server, after --, or --url: %s", program.UsageOf(cmd))
	case f.url != "" && len(command) > 0:
		return "", nil, program.Usagef("--url and a command exclude each other")
	}
	for _, flag := range []string{"env", "cwd"} {
		if f.url != "" && cmd.Flags().Changed(flag) {
			return "", nil, program.Usagef("--%s requires a command, and there is --url", flag)
		}
	}
	for _, flag := range []string{"header", "type"} {
		if f.url == "" && cmd.Flags().Changed(flag) {
			return "", nil, program.Usagef("--%s requires --url", flag)
		}
	}
	return args[0], command, nil
}

func (f *addFlags) run(ctx context.Context, std program.Streams, name string, command []string) error {
	to, err := registryFor(f.project)
	if err != nil {
		return err
	}
	def, err := f.definition(to, command)
	if err != nil {
		return err
	}
	err = to.Put(ctx, name, def, f.force)
	switch {
	case errors.Is(err, registry.ErrExists):
		return program.Usagef("%w; --force replaces it", err)
	case errors.Is(err, registry.ErrRefused):
		return program.Usagef("%s", err.Error()) // its findings are of a file that is not written
	case err != nil:
		return err
	}
	fmt.Fprintf(std.Err, "added %s to %s; to ask it for its tools: toolgraph mcp sync %s\n", name, wording.Printable(to.Path), name)
	if f.cwd == "" {
		for _, arg := range def.Args {
			if _, err := os.Stat(arg); err == nil && !filepath.IsAbs(arg) {
				fmt.Fprintf(std.Err, "note: %s is relative to the directory in which toolgraph runs; --cwd . fixes it to this one\n", wording.Printable(arg))
				break
			}
		}
	}
	return nil
}

// definition returns what the flags say about the server.
func (f *addFlags) definition(to registry.Registry, command []string) (registry.Definition, error) {
	def := registry.Definition{URL: f.url}
	if f.url != "" && f.kind != "streamableHttp" {
		def.Type = f.kind
	}
	var err error
	if len(command) > 0 {
		def.Command, def.Args = command[0], command[1:]
		if strings.ContainsAny(def.Command, `/\`) && !filepath.IsAbs(def.Command) { // found in PATH without a slash
			if def.Command, err = filepath.Abs(def.Command); err != nil {
				return def, err
			}
		}
	}
	if f.cwd != "" {
		if def.Cwd, err = f.directory(to); err != nil {
			return def, err
		}
	}
	if def.Env, err = pairsOf("env", f.env, "="); err != nil {
		return def, err
	}
	def.Headers, err = pairsOf("header", f.headers, ":")
	return def, err
}

// directory returns --cwd: absolute, but relative to the registry for a project, whose place may
// differ between machines.
func (f *addFlags) directory(to registry.Registry) (string, error) {
	if info, err := os.Stat(f.cwd); err != nil || !info.IsDir() {
		return "", program.Usagef("--cwd is %q, expected a directory that exists", f.cwd)
	}
	dir, err := filepath.Abs(f.cwd)
	if err != nil || to.Scope != registry.Project {
		return dir, err
	}
	base, err := filepath.Abs(filepath.Dir(to.Path))
	if err != nil {
		return "", err
	}
	return filepath.Rel(base, dir)
}

// pairsOf reads the values of a flag, each a name and a value.
func pairsOf(flag string, texts []string, separator string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, text := range texts {
		name, value, has := strings.Cut(text, separator)
		if separator == ":" {
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		switch _, twice := pairs[name]; {
		case twice:
			return nil, program.Usagef("--%s has %s twice", flag, wording.Quote(name))
		case name == "":
			return nil, program.Usagef("--%s has a value without a name, expected NAME%sVALUE", flag, separator)
		case !has && separator == ":":
			return nil, program.Usagef("--%s has no colon, expected 'NAME: VALUE'", flag) // its text may be a secret
		case !has:
			value = "${" + name + "}"
		}
		pairs[name] = value
	}
	return pairs, nil
}
