//go:build race

package cost

// Raced reports whether the race detector watches the tests: appending zeroes allocates them then.
const Raced = true
