// Package servers tries the program with servers of npm, as a user would: lock, check and run a graph
// file that calls one tool of each. docs/servers.md has the results.
//
// The tests install the servers into the user's cache, so they run only where Node is and
// TOOLGRAPH_CLIENTS is 1. Calls are made without network, keys and browsers only, in a directory and with
// a home of their own.
package servers
