package adopt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

// Graph returns the graph file of the one entry.
func (a *Adoption) Graph() []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# The servers of %s, as toolgraph adopt %s has found them.\n", a.Host.Title, a.Host.Name)
	fmt.Fprintf(&out, "version: \"1.0\"\nserver: {name: %s, version: 1.0.0}\nmcpServers:\n", word("toolgraph-"+a.Host.Name))
	calls, all := []string{}, true
	for _, s := range a.Adopted() {
		fmt.Fprintf(&out, "  %s: {registry: true}\n", word(s.As))
		if s.server.Only == nil {
			calls = append(calls, s.As+".*")
		}
		for _, tool := range s.server.Only {
			calls = append(calls, s.As+"."+tool)
		}
		all = all && s.server.Only == nil
	}
	if all {
		calls = []string{"*"}
	}
	for i := range calls {
		calls[i] = word(calls[i])
	}
	fmt.Fprintf(&out, "plan:\n  calls: [%s]\n  flows: ask\nexpose:\n", strings.Join(calls, ", "))
	for _, s := range a.Adopted() {
		fmt.Fprintf(&out, "  - {server: %s, prompts: true, resources: true}\n", word(s.As))
	}
	return []byte(out.String())
}

// word is a text in YAML.
func word(text string) string {
	return strings.TrimSpace(string(config.EncodeData(&config.Data{Scalar: text, Text: config.Text{Value: text}})))
}

// LockPath is where the lock of the one entry belongs.
func (a *Adoption) LockPath() string { return lock.Path(a.place.graph()) }

// Try writes the graph file and a registry with the adopted servers alone into a directory, to be started from there. A
// server that no registry takes stays.
func (a *Adoption) Try(ctx context.Context, dir string) (graph string, registries []string, err error) {
	r := registry.Registry{Scope: registry.User, Path: filepath.Join(dir, "servers.json")}
	for _, s := range a.Adopted() {
		if err := r.Put(ctx, s.As, *s.server.Entry, true); err != nil {
			if ctx.Err() != nil {
				return "", nil, err
			}
			a.Stay(s.As, strings.ReplaceAll(err.Error(), r.Path, a.registry.Path))
		}
	}
	graph = filepath.Join(dir, filepath.Base(a.place.graph()))
	return graph, []string{r.Path}, write(graph, a.Graph())
}

// Offer keeps of the tools that a host uses of a server those that the server lists.
func (a *Adoption) Offer(as string, tools []mcpclient.Tool) {
	for i := range a.Servers {
		s := &a.Servers[i]
		if s.As == as && s.server.Only != nil {
			s.server.Only = slices.DeleteFunc(s.server.Only, func(only string) bool {
				stem, open := strings.CutSuffix(only, "*")
				return !slices.ContainsFunc(tools, func(t mcpclient.Tool) bool { return t.Name == only || open && strings.HasPrefix(t.Name, stem) })
			})
		}
	}
}

// write replaces a file of the adoption.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.Replace(path, content, 0o600)
}
