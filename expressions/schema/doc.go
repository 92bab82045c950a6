// Package schema is JSON Schema: it compiles schemas, adds the defaults that a value
// lacks, and says in words for people how a value does not fit. A validation is bounded
// in steps and in memory, and ends with its context.
//
// In go schemas, as pieces of a graph file or as JSON that an upstream server has
// sent, and values; out come diagnostics with places, the schemas as clients may be
// shown them, and problems. Nothing is ever fetched.
//
// It must not know what a tool is, nor where the values come from.
//
// It owns github.com/santhosh-tekuri/jsonschema.
package schema
