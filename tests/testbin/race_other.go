//go:build !race

package testbin

const raced = false
