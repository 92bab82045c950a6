// Package conformance holds the program to the Model Context Protocol's own
// conformance suite: over HTTP in both eras, and over stdio through somebody else's
// bridge. The tools that the suite calls are graphs (testdata/graphs.yaml); what no
// graph can be, and why, stands in the lists of expected failures beside it, and a
// scenario that fails or passes against its list fails the test.
//
// The tests install the suite from npm into the user's cache, so they run only where
// Node is and TOOLGRAPH_CLIENTS is 1.
package conformance
