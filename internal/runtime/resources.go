package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime/links"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// maxReaders is how many resources are read at the same time; others wait.
const maxReaders = 16

// readable are the resources that clients of a graph file can read: those of upstream servers that
// a result has named, and results that were too large.
type readable struct {
	current func() *Loaded
	readers chan struct{}
}

// newReadable returns nil when no result of the file can name a resource.
func (s *Session) newReadable(file *Loaded, current func() *Loaded) server.Resources {
	if !file.canNameResources() && !passesOf(file, "").any() {
		return nil
	}
	if s.links == nil {
		s.links = &links.Table{}
	}
	file.links = s.links
	return &readable{current: current, readers: make(chan struct{}, maxReaders)}
}

// canNameResources reports whether a listed or exposed tool may call a server that can have resources;
// programs have none.
func (l *Loaded) canNameResources() bool {
	speaks := map[string]bool{}
	for _, u := range l.File.Servers {
		speaks[u.Name.Value] = u.Transport != config.Exec
	}
	if l.Expose != nil {
		for _, u := range l.Expose.Servers() {
			if speaks[u.Name.Value] {
				return true
			}
		}
	}
	for _, g := range l.Served() {
		for _, call := range upstreamsOf(g) {
			if speaks[call.Server] {
				return true
			}
		}
	}
	return false
}

// originOf returns the server of a name as it is in the file; of servers that share a process, the
// one whose process it is.
func (l *Loaded) originOf(name string) (links.Origin, bool) {
	for _, u := range l.File.Servers {
		if u.Name.Value == name {
			return links.Origin{Server: cmp.Or(u.Shares, name), Identity: u.Identity}, true
		}
	}
	return links.Origin{}, false
}

// named remembers the resources that the value of a call names.
func (l *Loaded) named(serverName string, v value.Value) {
	if l.links == nil {
		return
	}
	if origin, known := l.originOf(serverName); known {
		l.links.Named(origin, v)
	}
}

// List returns those of servers whose resources are exposed; for others, results give the URIs that can be read.
func (r *readable) List(_ context.Context, cursor string) ([]server.Resource, string, error) {
	if cursor != "" {
		return nil, "", server.ErrNoCursor
	}
	_, _, resources, _ := r.current().offering.passedOn()
	return entriesOf(resources), "", nil
}

// Templates returns that of the results of recorded runs, then those of these servers.
func (r *readable) Templates() []server.Resource {
	l := r.current()
	_, _, _, templates := l.offering.passedOn()
	all := entriesOf(templates)
	if l.History != nil {
		all = slices.Insert(all, 0, resultTemplate())
	}
	return all
}

// resultTemplate is the template of the results of recorded runs.
func resultTemplate() server.Resource {
	return server.Resource{
		URI: results.Template, Name: "result", Title: "Result of a run", MIMEType: "application/json",
		Description: "What a tool returned: the result of a recorded run of this client, which toolgraph/run in _meta names.",
	}
}

func entriesOf(entries []expose.Entry) (all []server.Resource) {
	for _, e := range entries {
		all = append(all, server.Resource{URI: e.ID, Raw: e.JSON})
	}
	return all
}

// Given remembers a URI that a client gets.
func (r *readable) Given(subject, uri string) { r.current().links.Given(subject, uri) }

// Read returns the contents of a resource.
func (r *readable) Read(ctx context.Context, uri string) ([]server.Content, error) {
	select {
	case r.readers <- struct{}{}:
		defer func() { <-r.readers }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l := r.current()
	if results.IsURI(uri) {
		raw, err := l.large.Resource(ctx, l.resultsFile(), uri)
		if errors.Is(err, results.ErrUnknown) {
			return nil, fmt.Errorf("%w: %w", server.ErrNoResource, err)
		} else if err != nil {
			return nil, err
		}
		return []server.Content{{MIMEType: "application/json", Text: string(raw)}}, nil
	}
	if owner := l.offering.ownerOf(uri); owner != "" {
		return l.readUpstream(ctx, owner, uri)
	}
	origin, err := l.links.Origin(server.SubjectOf(ctx), uri)
	switch now, _ := l.originOf(origin.Server); {
	case errors.Is(err, links.ErrAmbiguous):
		return nil, fmt.Errorf("%w: %s was named by two servers, so it is not certain whose content it is; let only one of the tools return it",
			server.ErrNoResource, wording.Quote(uri))
	case err != nil, now != origin: // or its server has changed
		return nil, fmt.Errorf("%w: %s; only resources that a result of this process has named can be read: call the tool that returned the link again",
			server.ErrNoResource, wording.Quote(uri))
	}
	return l.readUpstream(ctx, origin.Server, uri)
}

// readUpstream asks an upstream server for a resource, with the audit log and what else is around
// calls.
func (l *Loaded) readUpstream(ctx context.Context, upstream, uri string) (contents []server.Content, err error) {
	args := value.NewObject([]string{"uri"}, []value.Value{uri})
	err = l.passCall(ctx, execution.Call{Server: upstream, Tool: "resources/read", Args: args}, func(ctx context.Context, c *execution.Call) error {
		given, err := l.Pool.ReadResource(ctx, upstream, uri, c.Meta)
		for _, c := range given {
			content := server.Content{URI: c.URI, MIMEType: c.MIMEType, Meta: c.Meta}
			if c.Binary() {
				content.Blob, content.Binary = c.Bytes(), true
			} else {
				content.Text = c.Bytes()
			}
			contents = append(contents, content)
		}
		return err
	})
	if errors.Is(err, mcpclient.ErrNoResource) {
		err = fmt.Errorf("%w: %w", server.ErrNoResource, err)
	}
	return contents, err
}
