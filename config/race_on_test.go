//go:build race

package config

// slowdown is how much longer than usual things may take.
const slowdown = 10
