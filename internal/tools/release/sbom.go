package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"strings"
)

// component is one module of an SBOM.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
}

// writeSBOM writes the Go modules in the executable of an archive, which the executable itself
// lists, as CycloneDX 1.5.
func writeSBOM(archive, document string) error {
	data, err := extract(archive)
	if err != nil {
		return err
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return err
	}
	module := func(path, version string) component {
		return component{"library", path, version, "pkg:golang/" + path + "@" + version}
	}
	modules := []component{module("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		modules = append(modules, module(dep.Path, dep.Version))
	}
	out, err := json.MarshalIndent(struct {
		Format     string         `json:"bomFormat"`
		Spec       string         `json:"specVersion"`
		Version    int            `json:"version"`
		Metadata   map[string]any `json:"metadata"`
		Components []component    `json:"components"`
	}{
		"CycloneDX", "1.5", 1,
		map[string]any{"component": component{Type: "application", Name: info.Main.Path, Version: cmp.Or(info.Main.Version, "(devel)")}},
		modules,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(document, append(out, '\n'), 0o644)
}
