package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"` // an executable cannot start inside a zip file
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
// as directories below DIST/npm. The platform packages are published first.
func writePackages(dist, version, name string) error {
	version = strings.TrimPrefix(version, "v")
	root := filepath.Join(dist, "npm")
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	main := packageJSON{
		Name: name, Version: version, License: "MIT",
		Description: "Turn a YAML file into MCP tools", Bin: map[string]string{"toolgraph": "toolgraph.js"},
		Files: []string{"toolgraph.js"}, Engines: map[string]string{"node": ">=18"}, Optional: map[string]string{},
	}
	for _, t := range targets {
		binary, err := extract(filepath.Join(dist, t.archive(version)))
		if err != nil {
			return err
		}
		p := packageJSON{
			Name: t.platformPackage(name), Version: version, License: "MIT",
			Description: fmt.Sprintf("The executable of %s for %s/%s", name, t.os, t.arch),
			Files:       []string{t.executable()}, OS: []string{npmName(t.os)}, CPU: []string{npmName(t.arch)}, PreferUnplug: true,
		}
		main.Optional[p.Name] = version
		if err := p.write(filepath.Join(root, npmName(t.os)+"-"+npmName(t.arch)), license, packed{t.executable(), 0o755}, binary); err != nil {
			return err
		}
	}
	dir := filepath.Join(root, "main")
	if err := main.write(dir, license, packed{"toolgraph.js", 0o755}, launcher); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), packageReadme, 0o644)
}

// write writes a package with one file.
func (p packageJSON) write(dir string, license []byte, file packed, data []byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	description, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
		mode os.FileMode
	}{{"package.json", append(description, '\n'), 0o644}, {"LICENSE", license, 0o644}, {file.path, data, file.mode}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}
