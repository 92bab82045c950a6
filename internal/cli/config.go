package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

func newConfig(std streams) *cobra.Command {
	var graphFile, servers, name string
	var hostNames []string
	for _, h := range hosts {
		hostNames = append(hostNames, h.name)
	}
	cmd := &cobra.Command{
		Use:   "config HOST FILE",
		Short: "Print the entry for a host's configuration",
		Long: `Print the entry that makes a host start this graph, with absolute paths, and tell on
standard error where it goes. The hosts are ` + strings.Join(hostNames, ", ") + `.`,
		Example:   "  toolgraph config claude-desktop graph.yaml",
		Args:      args(1, 1, "the name of a host and a graph file"),
		ValidArgs: hostNames,
		RunE: func(_ *cobra.Command, args []string) error {
			i := slices.IndexFunc(hosts, func(h host) bool { return h.name == args[0] })
			if i < 0 {
				return usagef("unknown host %q (known: %s)%s", args[0], strings.Join(hostNames, ", "), wording.Suggest(args[0], hostNames))
			}
			entry, err := newHostEntry(name, graphFile, servers)
			if err != nil {
				return err
			}
			text, err := hosts[i].snippet(entry)
			if err != nil {
				return err
			}
			fmt.Fprintln(std.err, hosts[i].where)
			_, err = fmt.Fprintln(std.out, text)
			return err
		},
	}
	cmd.Flags().StringVarP(&servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().StringVar(&name, "name", "", "the name of the entry; the graph file's server.name when left out")
	return takesGraph(cmd, &graphFile)
}

// newHostEntry is what a host needs to know: our own program, absolute paths, and the
// variables that the files ask for, to be filled in.
func newHostEntry(name, graphFile, servers string) (hostEntry, error) {
	var variables []string
	file, err := config.Load(graphFile, config.Options{
		ServersFile: servers, AssumeEnv: true,
		LookupEnv: func(variable string) (string, bool) {
			if !slices.Contains(variables, variable) {
				variables = append(variables, variable)
			}
			return "<" + variable + ">", true
		},
	})
	if err != nil {
		return hostEntry{}, err
	}
	if name == "" {
		name = file.Server.Name.Value
	}
	self, err := os.Executable()
	if err != nil {
		return hostEntry{}, err
	}
	entry := hostEntry{name: name, command: self, variables: variables}
	for _, f := range []struct{ flag, path string }{{"-g", graphFile}, {"-m", servers}} {
		if f.path == "" {
			continue
		}
		path, err := filepath.Abs(f.path)
		if err != nil {
			return hostEntry{}, err
		}
		entry.args = append(entry.args, f.flag, path)
	}
	return entry, nil
}
