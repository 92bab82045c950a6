package cli

import (
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
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
	listed, failed := lock.ListAll(ctx, pool, file.Servers)
	if failed != nil {
		failed = errors.New(wording.Printable(file.Secrets.Redact(failed.Error())))
	}
	return listed, failed
}
