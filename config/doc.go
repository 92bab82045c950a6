// Package config reads graph files: bytes go in, and a [File] comes out, in which every text and
// value has its place, or [Diagnostics] with all mistakes at once.
//
// It knows which keys and values a graph file may have, and not what they mean: package graph
// checks references, expressions and the shape of graphs. It starts no servers and opens only
// the files that its caller names.
//
// The steps: read with a limit (load.go), reject unclean text (source.go), parse to YAML nodes
// (tree.go), build items with limits on depth, keys, aliases and size (item.go), then decode by
// the table of keys (keys.go, fields.go, decode*.go), report older forms (older.go), replace
// variables and collect secrets (env.go, secret*.go). Schema returns the table of keys as JSON
// Schema for editors.
//
// What edits a text leaves the rest of it as it is: all of it collects changes by the places of
// nodes (editor.go) and prints new parts in one way (write_yaml.go). Fixes and the older names use
// Patcher (patch.go), agents AddTool, Rewrite and Restructure (edit.go, rewrite.go, restructure.go);
// Upgrade moves older forms (upgrade*.go), Format writes a new file (format.go), Tidy puts lines in
// order (tidy.go).
//
// It owns the modules go.yaml.in/yaml/v4 and github.com/go-playground/validator/v10.
package config
