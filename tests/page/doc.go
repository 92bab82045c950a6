// Package page drives the debugger's page in a browser, as a user does: by mouse and by keyboard, in wide and
// narrow windows, in both themes. Each testdata/*.test.mjs is a set of tests of one topic, written for node and
// playwright-core; testdata/lib.mjs starts the program and the browser for them.
//
// Several tests take a picture of the documentation on their way (testdata/pictures.mjs); films.test.mjs and stills.test.mjs are made for
// that alone. testdata/shown has the texts that each picture shows, and a test fails when the product shows others: make pictures.
//
// The tests need Node, npm and a Chromium, and are skipped with the reason without them.
package page
