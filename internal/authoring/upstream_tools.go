package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// What a server writes of itself and its tools is for an agent to read, and by whom it
// was written nobody knows: it is told no longer than this, with hidden characters marked.
const (
	mostSaid        = 16 << 10 // characters of one description, or of instructions
	mostSummary     = 1000     // characters of a description in a list
	mostAnnotations = 4 << 10  // bytes of a tool's annotations in a list
	mostTools       = 2000     // tools in a list
)

// upstreamAbout is a server that graphs can call, without what must not be shown:
// variables and headers by their names alone.
type upstreamAbout struct {
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

// listMcpServers starts the servers, for they tell themselves what they are for. One
// that cannot be started is listed all the same.
func listMcpServers(ctx context.Context, k *Toolkit, v *view, _ arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	items := make([]upstreamAbout, len(file.Servers))
	for i, u := range file.Servers {
		items[i] = upstreamAbout{
			Name: u.Name.Value, Transport: u.Transport, Identity: u.Identity, Env: names(u.Env), Headers: names(u.Headers),
		}
	}
	pool, done, err := k.upstreams(v)
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
			said, err := pool.About(ctx, items[i].Name)
			if err != nil {
				items[i].Error = err.Error()
				return
			}
			items[i].Title, items[i].Version = lock.Shown(said.Title, mostSummary), lock.Shown(said.Version, mostSummary)
			items[i].Instructions = lock.Shown(said.Instructions, mostSaid)
		})
	}
	all.Wait()
	return listOf(items), nil
}

func names(settings []config.Setting) []string {
	var all []string
	for _, s := range settings {
		all = append(all, s.Name.Value)
	}
	return all
}

// upstreams is the pool of the file's servers, whatever else is wrong with the file.
func (k *Toolkit) upstreams(v *view) (pool *mcpclient.Pool, done func(), err error) {
	file, err := config.Parse(v.path, v.src, config.Options{ServersFile: v.servers})
	var found config.Diagnostics
	if errors.As(err, &found) {
		found = slices.DeleteFunc(slices.Clone(found), func(d config.Diagnostic) bool {
			return d.Code != "unset-variable" && d.Code != "bad-variable"
		})
	}
	if found.Err() != nil || file == nil {
		return nil, nil, errors.Join(found.Err(), err)
	}
	pool, done = k.lease(&project.Project{File: file})
	return pool, done, nil
}

// upstreamTool is a tool of a server in a list.
type upstreamTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Server      string          `json:"server"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// upstreamTools are tools of servers, and the servers that could not be asked.
type upstreamTools struct {
	Items  []upstreamTool `json:"items"`
	Errors []serverError  `json:"errors,omitempty"`
	Note   string         `json:"note,omitempty"` // what was left out
}

type serverError struct {
	Server  string `json:"server"`
	Message string `json:"message"`
}

func listMcpServerTools(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	var servers []string
	for _, u := range file.Servers {
		servers = append(servers, u.Name.Value)
	}
	if one := a.text("serverName"); one != "" {
		if !slices.Contains(servers, one) {
			return nil, noServer(servers, one)
		}
		servers = []string{one}
	}
	pool, done, err := k.upstreams(v)
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
	told := upstreamTools{Items: []upstreamTool{}}
	for i, server := range servers {
		if failed[i] != nil {
			told.Errors = append(told.Errors, serverError{Server: server, Message: failed[i].Error()})
		}
		for _, t := range offered[i] {
			told.Items = append(told.Items, summaryOf(server, t, v.secrets))
		}
	}
	if n := len(told.Items); n > mostTools {
		told.Items, told.Note = told.Items[:mostTools], fmt.Sprintf("there are %d tools, and the first %d are told; serverName asks for those of one server", n, mostTools)
	}
	return told, nil
}

func summaryOf(server string, t mcpclient.Tool, secrets *config.Secrets) upstreamTool {
	s := upstreamTool{Name: t.Name, Description: lock.Shown(secrets.Redact(t.Description), mostSummary), Server: server}
	if len(t.Annotations) <= mostAnnotations {
		s.Annotations = t.Annotations
	}
	return s
}

// toolDetails is the whole definition of a server's tool.
type toolDetails struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

func getMcpServerTool(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error) {
	file, err := v.file()
	if err != nil {
		return nil, err
	}
	server, name := a.text("serverName"), a.text("toolName")
	var servers []string
	for _, u := range file.Servers {
		servers = append(servers, u.Name.Value)
	}
	if !slices.Contains(servers, server) {
		return nil, noServer(servers, server)
	}
	pool, done, err := k.upstreams(v)
	if err != nil {
		return nil, err
	}
	defer done()
	tools, err := pool.ListTools(ctx, server)
	if err != nil {
		return nil, err
	}
	var offered []string
	for _, t := range tools {
		if t.Name == name {
			said := func(text string) string { return lock.Shown(v.secrets.Redact(text), mostSaid) } // whole, for half a secret is not recognised
			details := toolDetails{t.Name, said(t.Title), said(t.Description), t.InputSchema, t.OutputSchema, t.Annotations}
			if size := len(t.InputSchema) + len(t.OutputSchema) + len(t.Annotations); size > mostOutputs {
				return nil, fmt.Errorf("the schemas of tool %q of server %q have %d bytes, too many to be told", name, server, size)
			}
			if len(details.InputSchema) == 0 {
				details.InputSchema = json.RawMessage(`{"type":"object"}`)
			}
			return details, nil
		}
		offered = append(offered, t.Name)
	}
	return nil, missing(fmt.Sprintf("tool %q not found in server %q", name, server), name, offered, "listMcpServerTools tells what there is")
}

func noServer(servers []string, name string) error {
	if len(servers) == 0 {
		return fmt.Errorf("server %q not found: the graph file has no servers; the user can add one under mcpServers, or start the toolkit with -m and a file of servers", name)
	}
	return missing(fmt.Sprintf("server %q not found", name), name, servers, "listMcpServers tells what there is")
}

// missing is an error about a name that nothing has.
func missing(message, name string, known []string, hint string) error {
	if near := wording.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return errors.New(message + "; " + hint)
}
