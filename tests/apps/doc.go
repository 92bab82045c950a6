// Package apps shows runs in a host with MCP Apps: a page of its own with the official host's side, AppBridge, in a
// browser. It reads the view from the server, puts it into a sandbox with the policy of the extension, and gives it what a
// call was given and answered. Each testdata/*.test.mjs is a set of tests of one topic.
//
// The tests need Node, npm and a Chromium, and are skipped with the reason without them.
package apps
