// Package graphs runs random graphs in this process and beside a reference: jsonata and
// json-logic-js on node, with the rules of docs/language.md around them
// (the folder reference). Each difference is shrunk to one expression or rule and the records
// that it read, and either has a named kind in kinds_test.go or fails the test.
//
// The tests run only where Node is and TOOLGRAPH_GRAPHS is 1 (make graphs).
// GRAPHS_SEED and GRAPHS_COUNT choose other graphs, and GRAPHS_REPORT names a file that
// gets the differences.
package graphs
