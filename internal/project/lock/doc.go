// Package lock pins the upstream tools that a graph file calls. In go the definitions that
// servers list; out comes graph.lock.yaml, which is committed beside the graph file. Later,
// the definitions that servers list then are compared with it.
//
// A pinned tool is identified by a hash over everything that could mislead a model or a
// person: its name, title, description, schemas, annotations, and the definition of its
// server in the graph file. Schemas are stored whole, for checks; texts are stored in the
// form that may be shown, truncated and with hidden characters marked. Secrets are never
// stored.
//
// It must not know how graphs are run or served, nor start servers: its callers pass the
// definitions. It owns no third-party module; config reads and writes the YAML.
package lock
