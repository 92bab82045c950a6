// Package editor tests how an editor treats a graph file with the JSON Schema: it
// drives the YAML language server, which most editors use, without an editor. The
// tests skip where there is no Node, or the server cannot be had.
package editor
