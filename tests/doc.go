// Package tests sees the program as its users do: conversations over the wire, the examples, the README, and the
// rules of the house.
package tests
