package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// archives writes archives of all targets whose executables are a few bytes.
func archives(t *testing.T, version string) string {
	t.Helper()
	dist := t.TempDir()
	for _, of := range targets {
		var out bytes.Buffer
		name, data := of.base(version)+"/"+of.executable(), []byte("the executable for "+of.os)
		var err error
		if of.os == "windows" {
			w := zip.NewWriter(&out)
			part, bad := w.Create(name)
			if err = bad; err == nil {
				_, err = part.Write(data)
			}
			err = errors.Join(err, w.Close())
		} else {
			compressed := gzip.NewWriter(&out)
			w := tar.NewWriter(compressed)
			if err = w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(data))}); err == nil {
				_, err = w.Write(data)
			}
			err = errors.Join(err, w.Close(), compressed.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dist, of.archive(version)), out.String())
	}
	return dist
}

// packages reads the packages below a directory, by their directories.
func packages(t *testing.T, dist string) map[string]packageJSON {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist, "npm", "*", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]packageJSON{}
	for _, path := range found {
		var p packageJSON
		d := json.NewDecoder(strings.NewReader(read(t, path)))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all[filepath.Dir(path)] = p
	}
	return all
}

var (
	packageName = regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	semver      = regexp.MustCompile(`^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)
	gitAddress  = regexp.MustCompile(`^git\+https://[a-z0-9.-]+/[^/]+/[^/]+\.git$`)
	mcpName     = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`) // of the schema of server.json
	systems     = []string{"linux", "darwin", "win32"}                   // of process.platform
	processors  = []string{"x64", "arm64"}                               // of process.arch
)

// problems are what the registries of npm and of MCP refuse in a package, and what would break it.
func problems(dir string, p packageJSON, n names) (found []string) {
	report := func(wrong bool, format string, args ...any) {
		if wrong {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	report(!packageName.MatchString(p.Name) || len(p.Name) > 214, "the name is %q, expected lower case, at most 214 characters", p.Name)
	report(!semver.MatchString(p.Version), "the version is %q, expected MAJOR.MINOR.PATCH", p.Version)
	report(p.License != "MIT", "the license is %q, expected that of LICENSE as SPDX", p.License)
	report(p.Description == "", "there is no description")
	// npm publish --provenance compares the address with the workflow's, and fails without one (E422).
	if p.Repository == nil {
		report(true, "there is no repository, which --provenance needs")
	} else {
		report(p.Repository.Type != "git" || !gitAddress.MatchString(p.Repository.URL), "the repository is %+v, expected git+https://host/owner/name.git", *p.Repository)
		report(p.Repository.URL != "git+"+n.repository+".git", "the repository is %s, expected %s of the workflow", p.Repository.URL, n.repository)
	}
	report(p.Publish["access"] != "public", "publishConfig.access is %v: a scoped package is private without public", p.Publish["access"])
	report(p.Publish["provenance"] != true, "publishConfig.provenance is %v", p.Publish["provenance"])
	for _, name := range append(slices.Clone(p.Files), "LICENSE", "package.json") {
		_, err := os.Stat(filepath.Join(dir, name))
		report(err != nil, "the file %s is missing", name)
	}
	for _, name := range p.Bin {
		report(!slices.Contains(p.Files, name), "bin %s is not in files", name)
	}
	for _, name := range p.OS {
		report(!slices.Contains(systems, name), "os is %s", name)
	}
	for _, name := range p.CPU {
		report(!slices.Contains(processors, name), "cpu is %s", name)
	}
	for name, version := range p.Optional {
		report(version != p.Version || !strings.HasPrefix(name, p.Name+"-"), "the optional dependency %s has version %s, expected %s", name, version, p.Version)
	}
	if len(p.Bin) > 0 {
		report(!mcpName.MatchString(p.MCPName), "mcpName is %q, expected namespace/name", p.MCPName)
		report(p.MCPName != n.mcp, "mcpName is %q, expected %q: the MCP registry compares it with server.json", p.MCPName, n.mcp)
	}
	return found
}

// The packages are those that the registries take, and each has the notices of what is in its executable.
func TestPackagesFollowTheRulesOfRegistries(t *testing.T) {
	dist := archives(t, "1.2.3")
	t.Chdir(root)
	if err := writePackages(dist, "v1.2.3", acme); err != nil {
		t.Fatal(err)
	}
	all := packages(t, dist)
	if len(all) != len(targets)+1 {
		t.Errorf("there are %d packages, expected %d", len(all), len(targets)+1)
	}
	var published []string
	for dir, p := range all {
		for _, problem := range problems(dir, p, acme) {
			t.Errorf("%s: %s", p.Name, problem)
		}
		published = append(published, p.Name)
		if text, err := os.ReadFile(filepath.Join(dir, noticesName)); len(p.OS) > 0 && (err != nil || len(text) == 0) {
			t.Errorf("%s has no notices: %v", p.Name, err)
		}
	}
	if text := read(t, filepath.Join(dist, "npm", "main", "README.md")); !strings.Contains(text, "npx @acme/toolgraph init graph.yaml") {
		t.Errorf("the page of the package is\n%s", text)
	}
	slices.Sort(published)
	for name := range all[filepath.Join(dist, "npm", "main")].Optional {
		if !slices.Contains(published, name) {
			t.Errorf("the main package depends on %s, expected one of %v", name, published)
		}
	}
}

// Each rule finds what breaks it.
func TestTheRulesFindWhatIsWrong(t *testing.T) {
	dist := archives(t, "1.2.3")
	t.Chdir(root)
	if err := writePackages(dist, "1.2.3", acme); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(dist, "npm", "main")
	for want, spoil := range map[string]func(p *packageJSON){
		"the name is":             func(p *packageJSON) { p.Name = "Toolgraph" },
		"the version is":          func(p *packageJSON) { p.Version = "v1" },
		"there is no repository":  func(p *packageJSON) { p.Repository = nil },
		"of the workflow":         func(p *packageJSON) { p.Repository = &repository{"git", "git+https://github.com/other/toolgraph.git"} },
		"git+https://host":        func(p *packageJSON) { p.Repository = &repository{"git", "github.com/acme/toolgraph"} },
		"access is <nil>":         func(p *packageJSON) { p.Publish = map[string]any{"provenance": true} },
		"mcpName is":              func(p *packageJSON) { p.MCPName = "" },
		"the file none":           func(p *packageJSON) { p.Files = append(p.Files, "none") },
		"the optional dependency": func(p *packageJSON) { p.Optional = map[string]string{p.Name + "-linux-x64": "^1.2.3"} },
		"os is windows":           func(p *packageJSON) { p.OS = []string{"windows"} },
	} {
		p := packages(t, dist)[dir]
		spoil(&p)
		if found := problems(dir, p, acme); !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("the problems are %q, expected one with %q", found, want)
		}
	}
}

// A release that is published needs its names: without a repository, npm refuses the packages.
func TestWorkflowMeetsTheConditionsOfProvenance(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			RunsOn      string            `yaml:"runs-on"`
			Permissions map[string]string `yaml:"permissions"`
			Steps       []struct {
				Uses string            `yaml:"uses"`
				Run  string            `yaml:"run"`
				With map[string]string `yaml:"with"`
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(root, ".github", "workflows", "release.yml"))), &workflow); err != nil {
		t.Fatal(err)
	}
	var publishing []string
	for name, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if !strings.Contains(step.Run, "npm publish") {
				continue
			}
			publishing = append(publishing, name)
			if job.Permissions["id-token"] != "write" || !strings.HasPrefix(job.RunsOn, "ubuntu-") {
				t.Errorf("job %s publishes with %v on %s, expected id-token: write on a runner of GitHub", name, job.Permissions, job.RunsOn)
			}
			if strings.Count(step.Run, "npm publish") != strings.Count(step.Run, "--provenance") {
				t.Errorf("job %s publishes without --provenance", name)
			}
		}
	}
	if len(publishing) != 1 {
		t.Errorf("the jobs %v publish to npm, expected one", slices.Sorted(maps.Keys(workflow.Jobs)))
	}
	for _, step := range workflow.Jobs["npm"].Steps { // trusted publishing needs npm 11.5.1, which comes with Node 24
		if version := step.With["node-version"]; version != "" && version < "24" {
			t.Errorf("the job npm uses Node %s, expected 24 or newer", version)
		}
	}
}
