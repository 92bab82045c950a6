// Package schema validates values with JSON Schema: it compiles schemas, adds the defaults
// that a value lacks, and says in plain words why a value does not fit. A validation is
// bounded in steps and in memory, and ends with its context.
//
// In go schemas, as parts of a graph file or as JSON from an upstream server, and values.
// Out come diagnostics with places, the schemas in the form that clients get, and
// problems. Schemas are never fetched.
//
// It must not know what a tool is, nor where the values come from.
//
// It owns github.com/santhosh-tekuri/jsonschema.
package schema
