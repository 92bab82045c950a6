// Package graphtest tests graphs: it reads files of tests, runs their cases without
// any server, and says how what came out differs from what was expected.
//
// In go a test file (X.test.yaml, which belongs to the graph file X.yaml) and the
// cassette beside it (X.cassette.json: calls that were recorded once); out come
// Results, coverage, and the test file with new expectations. A call of a graph is
// answered by the first of these: a mock of the case or of its file, the cassette, a
// server where the caller gave a way to reach one. A call that nothing answers fails
// its case by name.
//
// From the outside in: suite.go reads a file (decode*.go by reader.go), run.go runs
// its cases, caller.go answers their calls (mock.go, tape.go), check*.go compares.
//
// It must not know how a server is reached, what a terminal is, or that there is a
// command line. It owns no third-party module.
package graphtest
