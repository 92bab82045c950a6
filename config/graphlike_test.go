package config

import (
	"strings"
	"testing"
)

func TestLooksLikeGraph(t *testing.T) {
	const filler = "# a comment\n"
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"a graph file", "version: \"1.0\"\nserver: {name: g}\ntools: []\n", true},
		{"without a version", "server:\n  name: g\ntools:\n  - name: t\n", true},
		{"older names", "servers: {}\nnodes: []\n", true},
		{"quoted keys", "\"server\": {}\n'tools': []\n", true},
		{"misspelled tools", "version: 1\nserver: {}\ntolls: []\n", true},
		{"YAML that does not parse", "server: {name: g\ntools:\n\t- [", true},
		{"in braces", "{server: {name: g}, tools: []}\n", true},
		{"beyond what is read", "server: {}\n" + strings.Repeat(filler, MaxFileBytes/len(filler)) + "tools: []\n", false},
		{"empty", "", false},
		{"a list", "- server\n- tools\n", false},
		{"compose", "version: \"3\"\nservices: {}\n", false},
		{"OpenAPI", "openapi: 3.1.0\ninfo: {version: 1}\nservers: []\npaths: {}\n", false},
		{"one key twice", "version: 1\n---\nversion: 2\n", false},
		{"keys further in", "job:\n  server: a\n  tools: b\n", false},
		{"in a comment", "# server: a\n# tools: b\n", false},
		{"in braces, another", "{version: 3, services: {}}\n", false},
	} {
		if got := LooksLikeGraph([]byte(c.src)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
