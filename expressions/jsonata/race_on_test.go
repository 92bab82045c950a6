//go:build race

package jsonata

// raceDetector tells whether the tests run under the race detector.
const raceDetector = true
