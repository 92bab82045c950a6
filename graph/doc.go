// Package graph turns a config.File into graphs that can be run.
//
// In goes a file whose single fields are checked. Out comes one Graph for each tool, with
// every name resolved to a pointer, every expression, rule and schema compiled, and every
// constant argument built once. Build reports all findings at once, with places. A Graph can
// be drawn (Mermaid, DOT, JSON) and has a hash of its meaning.
//
// A Graph never changes after Build and is safe for concurrent use. The package must not know
// how YAML is read, what happens during a run, or how a server is reached. It owns no
// third-party module.
package graph
