// Package conformance holds the program to the Model Context Protocol's own
// conformance suite: over HTTP in both eras, and over stdio through a
// third-party bridge. The tools that the suite calls are graphs (testdata/graphs.yaml).
// Scenarios that no graph can satisfy are in the lists of expected failures, with their
// reasons. A scenario that fails or passes against its list fails the test.
//
// The tests install the suite from npm into the user's cache, so they run only where
// Node is and TOOLGRAPH_CLIENTS is 1.
package conformance
