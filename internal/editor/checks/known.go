package checks

import (
	"slices"

	"toolgraph/config"
	"toolgraph/internal/editor/completion"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

// knownOf returns what completion knows of a file.
func knownOf(c *Checked, also Beside) *completion.Known {
	file, locked := c.Project.File, c.Locked
	return &completion.Known{File: file, Graphs: c.Project.Graphs, Tools: func(server string) []completion.Tool { return toolsOf(file, locked, also, server) }}
}

// toolsOf returns the tools of a server as far as they are known without asking it: as it lists them while it
// runs, else as the lock and the registry have them.
func toolsOf(file *config.File, locked *lock.Lock, also Beside, server string) []completion.Tool {
	var tools []completion.Tool
	add := func(t completion.Tool) {
		if !slices.ContainsFunc(tools, func(known completion.Tool) bool { return known.Name == t.Name }) {
			t.Description = file.Secrets.Redact(t.Description)
			tools = append(tools, t)
		}
	}
	listed := func(t mcpclient.Tool) {
		add(completion.Tool{Name: t.Name, Description: t.Description, Input: t.InputSchema})
	}
	if pool := also.Running; pool != nil {
		for _, name := range pool.KnownTools(server) {
			if t, known := pool.Known(server, name); known {
				listed(t)
			}
		}
	}
	for _, t := range also.Listed[server] {
		listed(t)
	}
	if locked != nil {
		for _, e := range locked.Entries {
			if e.Server == server {
				add(completion.Tool{Name: e.Tool, Description: e.Description, Input: e.Input})
			}
		}
	}
	i := slices.IndexFunc(file.Servers, func(u *config.Upstream) bool { return u.Name.Value == server })
	if i < 0 {
		return tools
	}
	switch u := file.Servers[i]; {
	case u.Transport == config.Exec:
		for _, t := range mcpclient.Programs(u) {
			listed(t)
		}
	case u.Registry:
		if stored, err := registry.StoredTools(u); err == nil && stored != nil {
			for _, t := range stored.Tools {
				listed(t)
			}
		}
	}
	return tools
}
