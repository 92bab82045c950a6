// Package page drives the debugger's page in a browser, as a user does: by mouse and by keyboard, in wide and
// narrow windows, in both themes. Each testdata/*.test.mjs is a set of tests of one topic, written for node and
// playwright-core; testdata/lib.mjs starts the program and the browser for them.
//
// The tests need Node, npm and a Chromium, and are skipped with the reason without them.
package page
