//go:build !race

package expressions

// raceDetector tells whether the tests run under the race detector.
const raceDetector = false
