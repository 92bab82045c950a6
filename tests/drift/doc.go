// Package drift runs toolgraph drift against a server that was changed after a run was recorded: testdata/changes.jsonl has
// changes that must be named, testdata/harmless.jsonl those for which nothing may be reported.
package drift
