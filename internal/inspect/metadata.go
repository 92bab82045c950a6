package inspect

import (
	"context"
	"path/filepath"

	"toolgraph/config"
)

// Metadata is what a file says of itself.
type Metadata struct {
	File         string     `json:"file"` // absolute
	Version      string     `json:"version"`
	Name         string     `json:"name"`
	Title        string     `json:"title"`
	Instructions string     `json:"instructions,omitempty"`
	OlderForm    bool       `json:"olderForm,omitempty"` // toolgraph upgrade rewrites it
	Limits       Limits     `json:"executionLimits"`
	Servers      []Upstream `json:"mcpServers"`
	Tools        []string   `json:"tools"`
	Warnings     []Finding  `json:"warnings"`
	Toolgraph    string     `json:"toolgraph"` // the version of this program
}

// Limits bound one run.
type Limits struct {
	Executions  int   `json:"maxNodeExecutions"`
	Time        int64 `json:"maxExecutionTimeMs"`
	OutputBytes int   `json:"maxNodeOutputBytes"`
	HistBytes   int   `json:"maxHistoryBytes"`
}

// Upstream is a server that the graphs call, without its secrets.
type Upstream struct {
	Name      string           `json:"name"`
	Transport config.Transport `json:"type"`
	Identity  string           `json:"identity"`          // its command and arguments, or its URL; variables by name
	Settings  []string         `json:"settings"`          // the names of its env or headers
	Trusted   bool             `json:"trusted,omitempty"` // what it says of its tools is believed
}

// Finding is something that the author of the file should know.
type Finding struct {
	Severity string     `json:"severity"`
	Code     string     `json:"code"`
	Message  string     `json:"message"`
	Hint     string     `json:"hint,omitempty"`
	Pos      config.Pos `json:"pos,omitzero"`
}

// Metadata is what the file says of itself, and the warnings about it.
func (i *Inspector) Metadata(ctx context.Context) (*Metadata, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, err
	}
	f := p.File
	told := &Metadata{
		File: f.Path, Version: f.Server.Version.Value, Name: f.Server.Name.Value, Title: f.Server.Title.Value,
		Instructions: f.Server.Instructions.Value, OlderForm: f.Older, Toolgraph: i.Version,
		Servers: []Upstream{}, Tools: []string{}, Warnings: findings(p.Warnings),
		Limits: Limits{
			Executions: f.Limits.MaxNodeExecutions, Time: f.Limits.MaxExecutionTime.Milliseconds(),
			OutputBytes: f.Limits.MaxNodeOutputBytes, HistBytes: f.Limits.MaxHistoryBytes,
		},
	}
	if full, err := filepath.Abs(f.Path); err == nil {
		told.File = full
	}
	for _, u := range f.Servers {
		server := Upstream{Name: u.Name.Value, Transport: u.Transport, Identity: f.Secrets.Redact(u.Identity), Settings: []string{}, Trusted: u.Trusted}
		for _, s := range append(u.Env[:len(u.Env):len(u.Env)], u.Headers...) {
			server.Settings = append(server.Settings, s.Name.Value)
		}
		told.Servers = append(told.Servers, server)
	}
	for _, t := range f.Tools {
		told.Tools = append(told.Tools, t.Name.Value)
	}
	return told, nil
}

func findings(found config.Diagnostics) []Finding {
	told := make([]Finding, len(found))
	for n, d := range found {
		told[n] = Finding{Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint, Pos: d.Pos}
	}
	return told
}
