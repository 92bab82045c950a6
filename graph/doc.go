// Package graph turns a config.File into graphs that can be run.
//
// In goes a file whose leaves are already checked; out come Graphs: one per tool,
// with every name resolved to a pointer, every expression and rule compiled, and
// every argument that is constant built once. Build also decides whether a graph
// makes sense at all and reports everything it finds, with places, at once. A
// Graph can be drawn (Mermaid, DOT, JSON) and has a hash of its meaning.
//
// A Graph never changes after Build and is safe for concurrent use. The package
// must not know how YAML is read, what happens during a run, or how a server is
// reached. It owns no third-party module.
package graph
