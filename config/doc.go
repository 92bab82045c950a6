// Package config reads graph files: bytes go in, a [File] comes out, in which every
// string and value knows its place, or [Diagnostics] that name all mistakes at once.
//
// It knows what may stand in the YAML and nothing of what it means: whether ids refer
// to something, whether an expression compiles or a node can be reached is for package
// graph to say. It starts no servers and opens no file but the ones it is told to.
//
// The steps: read with caps (read.go), refuse what is not clean text (text_check.go),
// parse to nodes (tree.go), build items with caps on depth, keys, aliases and size
// (item*.go), then decode by the table of keys (keys*.go, decode*.go), turn older forms
// into the current one (older*.go), replace variables and note secrets (env.go, secret.go)
// and check single fields (check.go). Upgrade rewrites older forms in the text itself;
// Schema writes the table of keys as JSON Schema for editors.
//
// It owns the module gopkg.in/yaml.v3.
package config
