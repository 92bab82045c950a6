package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

// What a server writes about itself and its tools is untrusted text for an agent: it is
// shown with hidden characters marked, and truncated to these lengths.
const (
	mostText        = 16 << 10 // characters of one description, or of instructions
	mostSummary     = 1000     // characters of a description in a list
	mostAnnotations = 4 << 10  // bytes of a tool's annotations in a list
	mostTools       = 2000     // tools in a list
)

// upstreamServer is a server that graphs can call, without secrets: of variables and
// headers only the names.
type upstreamServer struct {
	Name         string           `json:"name"`
	Title        string           `json:"title,omitempty"`
	Version      string           `json:"version,omitempty"`
	Instructions string           `json:"instructions,omitempty"`
	Transport    config.Transport `json:"transport"`
	Identity     string           `json:"identity,omitempty"` // its command and arguments, or its URL
	Env          []string         `json:"env,omitempty"`
	Headers      []string         `json:"headers,omitempty"`
	Error        string           `json:"error,omitempty"` // why it could not be started
}

// listMcpServers starts the servers, which describe themselves. One that cannot be started
// is listed with its error.
func (r *request) listMcpServers(ctx context.Context, file *config.File) (any, error) {
	items := make([]upstreamServer, len(file.Servers))
	for i, u := range file.Servers {
		items[i] = upstreamServer{
			Name: u.Name.Value, Transport: u.Transport, Identity: u.Identity, Env: settingNames(u.Env), Headers: settingNames(u.Headers),
		}
	}
	pool, done, err := r.pool()
	if err != nil {
		for i := range items {
			items[i].Error = "not started: " + err.Error()
		}
		return listOf(items), nil
	}
	defer done()
	var all sync.WaitGroup
	for i := range items {
		all.Go(func() {
			about, err := pool.About(ctx, items[i].Name)
			if err != nil {
				items[i].Error = err.Error()
				return
			}
			items[i].Title, items[i].Version = lock.Shown(about.Title, mostSummary), lock.Shown(about.Version, mostSummary)
			items[i].Instructions = lock.Shown(about.Instructions, mostText)
		})
	}
	all.Wait()
	return listOf(items), nil
}

func settingNames(settings []config.Setting) (names []string) {
	for _, s := range settings {
		names = append(names, s.Name.Value)
	}
	return names
}

// pool returns the pool of the file's servers, whatever other errors the file has.
func (r *request) pool() (pool *mcpclient.Pool, done func(), err error) {
	file, err := config.Parse(r.path, r.src, config.Options{ServersFile: r.servers, Registries: registry.Paths(r.path)})
	var found config.Diagnostics
	if errors.As(err, &found) {
		found = slices.DeleteFunc(slices.Clone(found), func(d config.Diagnostic) bool {
			return !slices.Contains([]string{"unset-variable", "bad-variable", "unknown-registry-server", "unsafe-registry"}, d.Code)
		})
	}
	if found.Err() != nil || file == nil {
		return nil, nil, errors.Join(found.Err(), err)
	}
	pool, done = r.lease(file)
	return pool, done, nil
}

// upstreamTool is a tool of a server in a list.
type upstreamTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Server      string          `json:"server"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// upstreamTools are tools of servers, and the servers that did not list theirs.
type upstreamTools struct {
	Items  []upstreamTool `json:"items"`
	Errors []serverError  `json:"errors,omitempty"`
	Note   string         `json:"note,omitempty"` // what was left out
}

type serverError struct {
	Server  string `json:"server"`
	Message string `json:"message"`
}

func (r *request) listMcpServerTools(ctx context.Context, file *config.File) (any, error) {
	servers, err := serverNames(file, r.Text("serverName"))
	if err != nil {
		return nil, err
	}
	pool, done, err := r.pool()
	if err != nil {
		return nil, err
	}
	defer done()
	offered, failed := make([][]mcpclient.Tool, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, server := range servers {
		all.Go(func() { offered[i], failed[i] = pool.ListTools(ctx, server) })
	}
	all.Wait()
	if len(servers) == 1 && failed[0] != nil {
		return nil, failed[0]
	}
	out := upstreamTools{Items: []upstreamTool{}}
	for i, server := range servers {
		if failed[i] != nil {
			out.Errors = append(out.Errors, serverError{Server: server, Message: failed[i].Error()})
		}
		for _, t := range offered[i] {
			item := upstreamTool{Name: t.Name, Description: lock.Shown(r.secrets.Redact(t.Description), mostSummary), Server: server}
			if len(t.Annotations) <= mostAnnotations {
				item.Annotations = t.Annotations
			}
			out.Items = append(out.Items, item)
		}
	}
	if n := len(out.Items); n > mostTools {
		out.Items = out.Items[:mostTools]
		out.Note = fmt.Sprintf("%d of %d tools are listed; give serverName to list those of one server", mostTools, n)
	}
	return out, nil
}

// upstreamDefinition is the whole definition of a server's tool.
type upstreamDefinition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

func (r *request) getMcpServerTool(ctx context.Context, file *config.File) (any, error) {
	server, name := r.Text("serverName"), r.Text("toolName")
	if _, err := serverNames(file, server); err != nil {
		return nil, err
	}
	pool, done, err := r.pool()
	if err != nil {
		return nil, err
	}
	defer done()
	tools, err := pool.ListTools(ctx, server)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range tools {
		if names = append(names, t.Name); t.Name != name {
			continue
		}
		if size := len(t.InputSchema) + len(t.OutputSchema) + len(t.Annotations); size > mostOutputs {
			return nil, fmt.Errorf("the schemas of tool %q of server %q have %d bytes, more than the %d that can be shown", name, server, size, mostOutputs)
		}
		if len(t.InputSchema) == 0 {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		// Texts are redacted before they are truncated: half a secret is not recognised.
		shown := func(text string) string { return lock.Shown(r.secrets.Redact(text), mostText) }
		return upstreamDefinition{t.Name, shown(t.Title), shown(t.Description), t.InputSchema, t.OutputSchema, t.Annotations}, nil
	}
	return nil, notFound(fmt.Sprintf("tool %q of server %q", name, server), name, names, "listMcpServerTools lists the tools")
}

// serverNames returns the name of the given server, or of all when it is "".
func serverNames(file *config.File, name string) ([]string, error) {
	var all []string
	for _, u := range file.Servers {
		all = append(all, u.Name.Value)
	}
	switch {
	case name == "":
		return all, nil
	case slices.Contains(all, name):
		return []string{name}, nil
	case len(all) == 0:
		return nil, fmt.Errorf("server %q not found: the graph file has no servers; "+
			"the user can add one under mcpServers, or start the toolkit with -m and a file of servers", name)
	}
	return nil, notFound(fmt.Sprintf("server %q", name), name, all, "listMcpServers lists the servers")
}
