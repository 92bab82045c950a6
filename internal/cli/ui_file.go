package cli

import (
	"context"
	"errors"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/authoring"
	"toolgraph/internal/completion"
	"toolgraph/internal/debug/page"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/registry"
	"toolgraph/mcpclient"
)

// file returns what the page may do with the graph file. kit changes it; nil: the page may not.
func (f *uiFlags) file(kit *authoring.Toolkit, listed func() *mcpclient.Pool) page.File {
	file := page.File{
		Read: func() ([]byte, error) { return config.ReadFile(f.graph) },
		Check: func(ctx context.Context, src []byte, saved bool) (*page.Checked, error) {
			return f.checkText(ctx, src, saved, listed())
		},
	}
	if kit != nil {
		file.Save = func(ctx context.Context, text, read []byte, broken bool) error {
			err := kit.Save(ctx, text, read, broken)
			if errors.Is(err, authoring.ErrChanged) {
				return page.ErrChanged
			}
			return err
		}
	}
	return file
}

// checkText returns what toolgraph check reports of a text of the graph file, and what it knows of it. It
// starts no server and asks none. A text that is not saved reads no file that the saved one does not read.
func (f *uiFlags) checkText(ctx context.Context, src []byte, saved bool, pool *mcpclient.Pool) (*page.Checked, error) {
	opts := f.options()
	if !saved {
		read := f.files()
		opts.MayImport = func(path string) bool { return slices.Contains(read, path) }
	}
	p, err := project.Parse(ctx, f.graph, src, opts)
	var found config.Diagnostics
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	if found != nil {
		if p == nil {
			return &page.Checked{Found: found}, nil
		}
		return &page.Checked{Found: found, Project: p, Known: knownOf(p, nil, nil, pool)}, nil
	}
	found, offline, locked, err := checkOffline(ctx, p)
	if err != nil {
		return nil, err
	}
	return &page.Checked{Found: found, Project: p, Valid: true, Known: knownOf(p, offline, locked, pool)}, nil
}

// watched are the files with whose changes the page changes: the lock as well, for findings.
func (f *uiFlags) watched() []string {
	files, beside := f.files(), lock.Path(f.graph)
	if !slices.Contains(files, beside) {
		files = append(files, beside)
	}
	return files
}

// knownOf returns what completion knows of a file.
func knownOf(p *project.Project, offline *lock.Offline, locked *lock.Lock, pool *mcpclient.Pool) *completion.Known {
	known := &completion.Known{File: p.File, Graphs: p.Graphs, Tools: func(server string) []completion.Tool { return toolsOf(p.File, locked, pool, server) }}
	if offline != nil {
		known.Upstreams = offline
	}
	return known
}

// toolsOf returns the tools of a server as far as they are known without asking it: as it lists them while it
// runs, else as the lock and the registry have them.
func toolsOf(file *config.File, locked *lock.Lock, pool *mcpclient.Pool, server string) []completion.Tool {
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
	if pool != nil {
		for _, name := range pool.KnownTools(server) {
			if t, known := pool.Known(server, name); known {
				listed(t)
			}
		}
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
