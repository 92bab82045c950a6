package main

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"strings"
)

//go:embed names.env
var namesFile string

// names are those under which releases are published; all are empty until publish-as has set them.
type names struct {
	module     string // the module's path: host/owner/toolgraph
	repository string // its address on the web, without a slash at its end
	npm        string // the package with the launcher; those with executables have its name and a system's
	image      string // registry/owner/name, without a tag
	tap        string // owner/repository of Homebrew
	bucket     string // owner/repository of Scoop
	mcp        string // in the MCP registry
}

// published reads the names of names.env.
func published() names { return parseNames(namesFile) }

func parseNames(text string) names {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			values[name] = value
		}
	}
	n := names{
		module: values["MODULE"], repository: values["REPOSITORY"], npm: values["NPM_PACKAGE"], image: values["IMAGE"], mcp: values["MCP_NAME"],
	}
	if values["TAP_OWNER"] != "" {
		n.tap = values["TAP_OWNER"] + "/" + values["TAP_NAME"]
	}
	if values["BUCKET_OWNER"] != "" {
		n.bucket = values["BUCKET_OWNER"] + "/" + values["BUCKET_NAME"]
	}
	return n
}

// fill writes the names into the text of names.env, whose other lines stay.
func (n names) fill(text string) string {
	tapOwner, tapName, _ := strings.Cut(n.tap, "/")
	bucketOwner, bucketName, _ := strings.Cut(n.bucket, "/")
	values := map[string]string{
		"MODULE": n.module, "REPOSITORY": n.repository, "NPM_PACKAGE": n.npm, "IMAGE": n.image, "MCP_NAME": n.mcp,
		"TAP_OWNER": tapOwner, "TAP_NAME": tapName, "BUCKET_OWNER": bucketOwner, "BUCKET_NAME": bucketName,
	}
	return regexp.MustCompile(`(?m)^([A-Z_]+)=.*$`).ReplaceAllStringFunc(text, func(line string) string {
		name, _, _ := strings.Cut(line, "=")
		return name + "=" + values[name]
	})
}

// modules are paths that the go command fetches. Lower case, because images and MCP names have no other.
var modules = regexp.MustCompile(`^([a-z0-9-]+(?:\.[a-z0-9-]+)+)/([a-z0-9][a-z0-9._-]*)/toolgraph$`)

// namesFor returns the names that follow from the module's path. Those in other replace them: NAME=VALUE with a name of
// names.env, TAP and BUCKET as owner/repository.
func namesFor(module string, other []string) (names, error) {
	m := modules.FindStringSubmatch(module)
	if m == nil {
		return names{}, fmt.Errorf("the module is %q, expected host/owner/toolgraph in lower case, such as github.com/acme/toolgraph", module)
	}
	host, owner := m[1], m[2]
	n := names{
		module: module, repository: "https://" + module, npm: "@" + owner + "/toolgraph", image: "ghcr.io/" + owner + "/toolgraph",
		tap: owner + "/homebrew-tap", bucket: owner + "/scoop-bucket", mcp: reverse(host) + "." + owner + "/toolgraph",
	}
	if host == "github.com" {
		n.mcp = "io.github." + owner + "/toolgraph" // what the registry gives to an account of GitHub
	}
	for _, setting := range other {
		name, value, _ := strings.Cut(setting, "=")
		at, known := map[string]*string{
			"REPOSITORY": &n.repository, "NPM_PACKAGE": &n.npm, "IMAGE": &n.image, "TAP": &n.tap, "BUCKET": &n.bucket, "MCP_NAME": &n.mcp,
		}[name]
		if !known {
			return names{}, fmt.Errorf("unknown name %q, expected REPOSITORY, NPM_PACKAGE, IMAGE, TAP, BUCKET or MCP_NAME", name)
		}
		*at = strings.TrimSuffix(value, "/")
	}
	for _, repository := range []string{n.tap, n.bucket} {
		if strings.Count(repository, "/") != 1 {
			return names{}, fmt.Errorf("a repository is %q, expected owner/name", repository)
		}
	}
	if !strings.HasPrefix(path.Base(n.tap), "homebrew-") {
		return names{}, fmt.Errorf("TAP is %q, expected owner/homebrew-name: brew looks for no other", n.tap)
	}
	return n, nil
}

// reverse returns the labels of a host in the reverse order.
func reverse(host string) string {
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".")
}
