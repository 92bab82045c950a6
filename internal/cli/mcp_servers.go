package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime"
)

// serverFlags find servers by name: in the file of --mcp and the registries of the project and the
// user, or with --graph among those of a graph file.
type serverFlags struct {
	sessionFlags
	format string
}

func (f *serverFlags) registerServers(cmd *cobra.Command) {
	f.Register(cmd, "error")
	cmd.Flags().StringVarP(&f.Graph, "graph", "g", "", "look for servers in this graph `file` instead of the registries")
}

// found is a server that a name stands for.
type found struct {
	name   string
	file   string           // that defines it
	server *config.Upstream // with placeholders for the values of variables; nil when its entry has errors
	errors config.Diagnostics
	entry  *registry.Entry // nil: it is a server of the graph file
	locked *besideGraph    // nil: it is a server of a registry
}

// candidates returns the servers that may be named, without reading the environment. Of several with
// one name it returns the one that is used.
func (f *serverFlags) candidates(ctx context.Context) (servers []*found, err error) {
	if f.Graph != "" {
		p, err := project.Load(ctx, f.Graph, config.Options{ServersFile: f.Servers, AssumeEnv: true})
		if err != nil {
			return nil, err
		}
		locked := lockOfGraph(f.Graph)
		for _, u := range p.File.Servers {
			servers = append(servers, &found{name: u.Name.Value, file: cmp.Or(u.Name.Pos.File, f.Graph), server: u, locked: locked})
		}
		return servers, nil
	}
	for _, r := range f.registries() {
		entries, err := r.List()
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !slices.ContainsFunc(servers, func(s *found) bool { return s.name == e.Name }) {
				servers = append(servers, &found{name: e.Name, file: e.Path, server: e.Server, errors: e.Errors, entry: &e})
			}
		}
	}
	return servers, nil
}

// registries returns the registries that are looked through, in order.
func (f *serverFlags) registries() []registry.Registry {
	all := registry.All(".")
	if f.Servers != "" {
		all = append([]registry.Registry{{Path: f.Servers}}, all...)
	}
	return all
}

// tool returns the server and the tool of NAME.TOOL. The names of tools may have dots, and so may
// those of servers in a graph file.
func (f *serverFlags) tool(ctx context.Context, word string) (*found, string, error) {
	servers, err := f.candidates(ctx)
	if err != nil {
		return nil, "", err
	}
	var best *found
	for _, s := range servers {
		if tool, has := strings.CutPrefix(word, s.name+"."); has && tool != "" && (best == nil || len(s.name) > len(best.name)) {
			best = s
		}
	}
	if best != nil {
		return best, word[len(best.name)+1:], nil
	}
	name, tool, dotted := strings.Cut(word, ".")
	if s := named(servers, name); s != nil || !dotted || tool == "" {
		return nil, "", program.Usagef("%s names no tool, expected NAME.TOOL; the tools of a server: toolgraph mcp tools %s", wording.Quote(word), program.ShellWord(name))
	}
	return nil, "", f.unknownServer(servers, name)
}

func named(servers []*found, name string) *found {
	if i := slices.IndexFunc(servers, func(s *found) bool { return s.name == name }); i >= 0 {
		return servers[i]
	}
	return nil
}

func (f *serverFlags) unknownServer(servers []*found, name string) error {
	var names, places []string
	for _, s := range servers {
		names = append(names, s.name)
	}
	if f.Graph != "" {
		places = []string{f.Graph}
	} else {
		for _, r := range f.registries() {
			places = append(places, r.Path)
		}
	}
	hint := wording.Suggest(name, names)
	if hint == "" && f.Graph == "" {
		hint = "; add it: toolgraph mcp add, or toolgraph mcp import"
	}
	return program.Usagef("no server %s in %s%s", wording.Quote(name), wording.Or(places), hint)
}

// open loads the file of a server, with the values of variables, and a session for calls. The
// caller closes it.
func (f *serverFlags) open(ctx context.Context, std program.Streams, s *found) (*runtime.Loaded, error) {
	if s.entry == nil {
		return f.load(ctx, std)
	}
	file, err := s.entry.Load()
	if err != nil {
		return nil, err
	}
	return f.start(ctx, std, &project.Project{File: file})
}
