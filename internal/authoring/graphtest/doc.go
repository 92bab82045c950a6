// Package graphtest tests graphs: it reads files of tests, runs their cases without any server,
// and reports how the results differ from the expectations.
//
// The input is a test file (X.test.yaml, which belongs to the graph file X.yaml) and the
// cassette beside it (X.cassette.json: recorded calls); the output is Results, coverage, and
// the test file with new expectations. A call of a graph is answered by the first of these: a
// mock of the case or of its file, the cassette, a server where Options.Connect gives a way to
// call one. A call without an answer fails its case.
//
// From the outside in: suite.go reads a file (case.go, expect.go, mock.go, with reader.go), run.go
// runs its cases, caller.go answers their calls (cassette.go), check.go compares.
//
// It must not know how a server is reached, what a terminal is, or that there is a
// command line. It owns no third-party module.
package graphtest
