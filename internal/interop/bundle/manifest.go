package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// manifestVersion is the newest one that hosts in use read; 0.4 adds only servers of type uv.
const manifestVersion = "0.3"

// Manifest is manifest.json of a bundle.
type Manifest struct {
	ManifestVersion  string             `json:"manifest_version"`
	Name             string             `json:"name"`
	DisplayName      string             `json:"display_name"`
	Version          string             `json:"version"`
	Description      string             `json:"description"`
	LongDescription  string             `json:"long_description,omitempty"`
	Author           Author             `json:"author"`
	Icon             string             `json:"icon,omitempty"`
	Server           Server             `json:"server"`
	Tools            []Tool             `json:"tools"`
	ToolsGenerated   bool               `json:"tools_generated,omitempty"` // the server has more tools than these
	PromptsGenerated bool               `json:"prompts_generated,omitempty"`
	UserConfig       map[string]Setting `json:"user_config,omitempty"`
	Compatibility    Compatibility      `json:"compatibility"`
}

// Author is who made a bundle.
type Author struct {
	Name string `json:"name"`
}

// Server says how a host starts the server.
type Server struct {
	Type       string  `json:"type"`
	EntryPoint string  `json:"entry_point"`
	Config     Command `json:"mcp_config"`
}

// Command is a command line with its environment. ${__dirname} is the unpacked bundle,
// ${user_config.NAME} what the user has filled in.
type Command struct {
	Command   string             `json:"command"`
	Args      []string           `json:"args,omitempty"`
	Env       map[string]string  `json:"env,omitempty"`
	Platforms map[string]Command `json:"platform_overrides,omitempty"`
}

// Tool is one tool of the server.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Setting is a text that the host asks the user for.
type Setting struct {
	Type        string  `json:"type"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Sensitive   bool    `json:"sensitive,omitempty"`
	Default     *string `json:"default,omitempty"`
}

// Compatibility says on which systems the bundle works: linux, darwin, win32.
type Compatibility struct {
	Platforms []string `json:"platforms"`
}

func (m Manifest) encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return out.Bytes(), err
}

// manifest describes the collected files.
func (k *packer) manifest(p *project.Project, variables map[string]Setting, b *Bundle) Manifest {
	server := p.File.Server
	m := Manifest{
		ManifestVersion: manifestVersion,
		Name:            server.Name.Value, DisplayName: k.title(), Version: server.Version.Value,
		Author:     Author{Name: cmp.Or(k.opts.Author, k.title())},
		Tools:      []Tool{},
		UserConfig: variables,
	}
	for _, g := range p.Listed() {
		m.Tools = append(m.Tools, Tool{Name: g.Tool.Name.Value, Description: g.Tool.Description.Value})
	}
	m.ToolsGenerated = p.Expose != nil && len(p.File.Expose) > 0
	m.PromptsGenerated = slices.ContainsFunc(p.File.Passes, func(of *config.Passed) bool { return of.Prompts })
	m.Description = describe(m.Tools, server.Instructions.Value)
	if len(b.Needs) > 0 {
		m.LongDescription = m.Description + "\n\nThis machine must have: " + strings.Join(b.Needs, "; ") + "."
	}
	if k.opts.Icon != "" {
		m.Icon = "icon.png"
	}
	start := Command{Args: []string{"serve", path.Join("${__dirname}/graph", k.own, path.Base(slashed(p.File.Path)))}, Env: map[string]string{}}
	if k.opts.AllowExec {
		start.Args = append(start.Args, "--allow-exec")
	}
	if k.opts.Locked {
		start.Args = append(start.Args, "--locked")
	}
	for name := range variables {
		start.Env[name] = "${user_config." + name + "}"
	}
	for i, binary := range b.Binaries {
		m.Compatibility.Platforms = append(m.Compatibility.Platforms, binary.Platform)
		command := "${__dirname}/" + binary.Name
		if i == 0 {
			start.Command, m.Server = command, Server{Type: "binary", EntryPoint: binary.Name}
			continue
		}
		if start.Platforms == nil {
			start.Platforms = map[string]Command{}
		}
		start.Platforms[binary.Platform] = Command{Command: command}
	}
	m.Server.Config = start
	return m
}

// describe returns what the server does, in a line.
func describe(tools []Tool, instructions string) string {
	text := instructions
	if text == "" && len(tools) == 1 {
		text = tools[0].Description
	}
	if text == "" {
		var names []string
		for _, t := range tools {
			names = append(names, t.Name)
		}
		text = "Tools: " + wording.List(names)
	}
	return wording.Truncate(strings.Join(strings.Fields(text), " "), 200)
}

func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
