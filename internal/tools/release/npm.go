package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/docs"
)

//go:embed npm/toolgraph.js
var launcher []byte

//go:embed npm/README.md
var packageReadme []byte

// packageJSON is the package.json of a package.
type packageJSON struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage,omitempty"`
	Repository   *repository       `json:"repository,omitempty"` // which npm compares with the workflow's when it verifies the provenance
	Bugs         string            `json:"bugs,omitempty"`
	MCPName      string            `json:"mcpName,omitempty"` // by which the MCP registry knows that the package is its owner's
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // an executable cannot start inside a zip file
	Publish      map[string]any    `json:"publishConfig"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// newPackage is what all packages have.
func newPackage(name, version string, n names) packageJSON {
	p := packageJSON{Name: name, Version: version, License: "MIT", Publish: map[string]any{"access": "public", "provenance": true}}
	if n.repository != "" {
		p.Homepage, p.Bugs = n.repository+"#readme", n.repository+"/issues"
		p.Repository = &repository{"git", "git+" + n.repository + ".git"}
	}
	return p
}

// npmNames are the names of systems and processors where npm has others than Go.
var npmNames = map[string]string{"windows": "win32", "amd64": "x64"}

func npmName(name string) string {
	if other := npmNames[name]; other != "" {
		return other
	}
	return name
}

// platformPackage is the name of the package with the executable of a target, which the launcher
// finds by the name of its own package.
func (t target) platformPackage(main string) string {
	return main + "-" + npmName(t.os) + "-" + npmName(t.arch)
}

// writePackages writes the main package, which has the launcher, and one package for each target,
// as directories below DIST/npm. The platform packages are published first. Names without a package stand for a release
// that is only tried.
func writePackages(dist, version string, n names) error {
	name := cmp.Or(n.npm, "toolgraph")
	version = strings.TrimPrefix(version, "v")
	root := filepath.Join(dist, "npm")
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	main := newPackage(name, version, n)
	main.Description, main.Bin, main.Files = "Turn a YAML file into MCP tools", map[string]string{"toolgraph": "toolgraph.js"}, []string{"toolgraph.js"}
	main.Engines, main.Optional, main.MCPName = map[string]string{"node": ">=18"}, map[string]string{}, n.mcp
	for _, t := range targets {
		binary, err := extract(filepath.Join(dist, t.archive(version)))
		if err != nil {
			return err
		}
		p := newPackage(t.platformPackage(name), version, n)
		p.Description = fmt.Sprintf("The executable of %s for %s/%s", name, t.os, t.arch)
		p.Files, p.OS, p.CPU, p.PreferUnplug = []string{t.executable(), noticesName}, []string{npmName(t.os)}, []string{npmName(t.arch)}, true
		main.Optional[p.Name] = version
		if err := p.write(filepath.Join(root, npmName(t.os)+"-"+npmName(t.arch)), t.executable(), binary, packageFile{noticesName, []byte(docs.Notices), 0o644}); err != nil {
			return err
		}
	}
	return main.write(filepath.Join(root, "main"), "toolgraph.js", launcher, packageFile{"README.md", bytes.ReplaceAll(packageReadme, []byte("PACKAGE"), []byte(name)), 0o644})
}

// noticesName is the name of the notices where there is no other file with licences.
const noticesName = "THIRD-PARTY-NOTICES.txt"

type packageFile struct {
	name string
	data []byte
	mode os.FileMode
}

// write writes a package whose program is called name, with more files.
func (p packageJSON) write(dir, name string, program []byte, more ...packageFile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	description, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range append(more, packageFile{"package.json", append(description, '\n'), 0o644}, packageFile{"LICENSE", license, 0o644}, packageFile{name, program, 0o755}) {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}
