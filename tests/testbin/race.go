//go:build race

package testbin

const raced = true // the race detector watches this process
