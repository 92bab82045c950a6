//go:build race

package jsonata

// raceDetector reports whether the tests run under the race detector.
const raceDetector = true
