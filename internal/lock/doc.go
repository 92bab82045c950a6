// Package lock pins the upstream tools that a graph file calls: what servers tell of
// them goes in, graph.lock.yaml comes out, beside the graph and to be committed with it;
// later, what a server tells then is compared with it.
//
// A pinned tool is known by a hash over everything that a model or a person could be
// led by: its name, title, description, schemas, annotations, and what the graph file
// names as its server. Schemas are kept whole, for checks; texts are kept as they may
// be shown, cut and with hidden characters marked. Secrets are kept nowhere.
//
// It must not know how graphs are run or served, nor start servers: it is given what
// they told. It owns no third-party module; YAML is read and written by config.
package lock
