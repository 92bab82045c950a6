package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

// registered is a server of a registry in the list.
type registered struct {
	Name      string         `json:"name"`
	Scope     registry.Scope `json:"scope"`
	File      string         `json:"file"`
	Server    string         `json:"server,omitempty"`    // its command or address
	Variables []string       `json:"variables,omitempty"` // that its entry reads
	Tools     *int           `json:"tools,omitempty"`     // when it was last synced
	Synced    *time.Time     `json:"synced,omitempty"`
	Hidden    bool           `json:"hidden,omitempty"` // the project has a server of the same name, which is used
	Error     string         `json:"error,omitempty"`
}

func newMCPList(std program.Streams) *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the servers of the project and the user",
		Long: `List the servers of the registry of the project in this directory and of the user's, in
the order in which a name is looked up. Values of variables are not read. No server is
started.`,
		Args: program.NoArgs, SuggestFor: []string{"ls"},
		RunE: func(*cobra.Command, []string) error {
			servers := []registered{}
			var failed error
			for _, r := range registry.All(".") {
				more, err := listRegistry(r, servers)
				servers, failed = append(servers, more...), errors.Join(failed, err)
			}
			return errors.Join(printServers(std, format, servers), failed)
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}

// listRegistry returns the servers of a registry; known are those that are looked up first.
func listRegistry(r registry.Registry, known []registered) ([]registered, error) {
	entries, err := r.List()
	if err != nil {
		return nil, err
	}
	var servers []registered
	for _, e := range entries {
		s := registered{Name: e.Name, Scope: e.Scope, File: e.Path}
		for _, first := range known {
			s.Hidden = s.Hidden || first.Name == e.Name
		}
		if e.Server == nil {
			s.Error = oneFinding(e.Errors)
			servers = append(servers, s)
			continue
		}
		s.Server, s.Variables = e.Server.Identity, e.Server.Variables
		synced, err := registry.StoredTools(e.Server)
		if err != nil {
			s.Error = err.Error()
		} else if synced != nil {
			count := len(synced.Tools)
			s.Tools, s.Synced = &count, &synced.At
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// oneFinding returns the first error of findings in one line.
func oneFinding(found config.Diagnostics) string {
	if len(found) == 0 {
		return "it has errors"
	}
	return found[0].String()
}

func printServers(std program.Streams, format string, servers []registered) error {
	if format == "json" {
		return program.EncodeJSON(std.Out, servers)
	}
	if len(servers) == 0 {
		fmt.Fprintln(std.Err, "toolgraph: no servers are registered; add one: toolgraph mcp add NAME -- COMMAND")
		return nil
	}
	var rows [][]string
	for _, s := range servers {
		state := "not synced"
		switch {
		case s.Error != "":
			state = s.Error
		case s.Synced != nil:
			state = fmt.Sprintf("%s, synced %s", wording.Count(*s.Tools, "tool"), s.Synced.Local().Format("2006-01-02 15:04"))
		}
		if s.Hidden {
			state += "; the project's server is used"
		}
		rows = append(rows, []string{s.Name, string(s.Scope), s.Server, state})
	}
	return program.WriteTable(std.Out, rows)
}

func newMCPRemove(std program.Streams) *cobra.Command {
	project := false
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a server from a registry",
		Long: `Remove a server from the registry of the user, or with --project from that of the project
in this directory.`,
		Args: program.Args(1, 1, "the name of a server"), SuggestFor: []string{"rm", "delete"},
		ValidArgsFunction: completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return removeServer(cmd.Context(), std, args[0], project)
		},
	}
	projectFlag(cmd, &project)
	return cmd
}

func removeServer(ctx context.Context, std program.Streams, name string, project bool) error {
	from, err := registryFor(project)
	if err != nil {
		return err
	}
	err = from.Remove(ctx, name)
	if errors.Is(err, registry.ErrUnknown) {
		if e, elsewhere := registry.Find(registry.All("."), name); elsewhere == nil && !project && e.Scope == registry.Project {
			return program.Usagef("%w; that of the project has it: toolgraph mcp remove %s --project", err, name)
		}
		return program.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	program.PrintLine(std.Err, "removed %s from %s", name, from.Path)
	return nil
}
