package cli

import (
	"context"
	"errors"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/registry"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// listTools starts the servers of a graph file, asks for their tools and ends them. src is the text of the file.
// The error says which servers failed, without secrets; the lists of the others come with it.
func listTools(ctx context.Context, path string, src []byte, servers string) (map[string][]mcpclient.Tool, error) {
	file, err := config.Parse(path, src, config.Options{ServersFile: servers, Registries: registry.Paths(path)})
	if err != nil {
		return nil, err
	}
	pool := mcpclient.NewPool(file.Servers)
	defer pool.Close()
	var mu sync.Mutex
	var all sync.WaitGroup
	listed := map[string][]mcpclient.Tool{}
	var failed error
	for _, u := range file.Servers {
		all.Go(func() {
			tools, err := pool.ListTools(ctx, u.Name.Value)
			mu.Lock()
			defer mu.Unlock()
			if failed = errors.Join(failed, err); err == nil {
				listed[u.Name.Value] = tools
			}
		})
	}
	all.Wait()
	if failed != nil {
		failed = errors.New(wording.Printable(file.Secrets.Redact(failed.Error())))
	}
	return listed, failed
}
