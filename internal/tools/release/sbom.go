package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"toolgraph/docs"
)

// component is one module of an SBOM.
type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Licenses []license `json:"licenses,omitempty"`
	PURL     string    `json:"purl,omitempty"`
}

// license is an SPDX expression.
type license struct {
	Expression string `json:"expression"`
}

// writeSBOM writes the Go modules in an executable, which the executable itself lists, as CycloneDX 1.5, with the licences of
// the notices.
func writeSBOM(executable, document string) error {
	info, err := buildinfo.ReadFile(executable)
	if err != nil {
		return err
	}
	known := licenses(docs.Notices)
	var modules []component
	add := func(path, version, listed string) error {
		id := known[path+" "+listed]
		if id == "" {
			return fmt.Errorf("%s has no line for %s %s, which %s is linked with; run: make notices", noticesFile, path, version, executable)
		}
		modules = append(modules, component{"library", path, version, []license{{id}}, "pkg:golang/" + path + "@" + version})
		return nil
	}
	if err := add("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "-"); err != nil {
		return err
	}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		if err := add(dep.Path, dep.Version, dep.Version); err != nil {
			return err
		}
	}
	out, err := json.MarshalIndent(struct {
		Format     string         `json:"bomFormat"`
		Spec       string         `json:"specVersion"`
		Version    int            `json:"version"`
		Metadata   map[string]any `json:"metadata"`
		Components []component    `json:"components"`
	}{
		"CycloneDX", "1.5", 1,
		map[string]any{"component": component{
			Type: "application", Name: info.Main.Path, Version: cmp.Or(info.Main.Version, "(devel)"), Licenses: []license{{"MIT"}},
		}},
		modules,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(document, append(out, '\n'), 0o644)
}
