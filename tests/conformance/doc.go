// Package conformance holds the program to the Model Context Protocol's own
// conformance suite: as a server over HTTP in both eras, and over stdio through a
// third-party bridge; as a client in both eras. The tools that the suite calls are graphs
// (testdata/graphs.yaml), and the client that it runs is this test's binary, which runs the commands of
// the program (client_test.go). Scenarios that cannot pass are in the lists of expected failures, with
// their reasons, which docs/conformance.md repeats. A scenario that fails or passes against its list
// fails the test.
//
// The tests install the suite from npm into the user's cache, so they run only where
// Node is and TOOLGRAPH_CLIENTS is 1.
package conformance
