// Package examplefile gives the tests of the example graphs to those that run them by
// other means than `toolgraph test`, such as a client on a served graph: a directory
// goes in, the cases of its test files come out, each of which can check a result, and
// the places that their strings name. It belongs to tests alone; the files are read by
// internal/authoring/graphtest.
package examplefile
