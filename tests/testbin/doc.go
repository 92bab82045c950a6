// Package testbin builds a main package of the project for tests that need a real
// process: a package path goes in, the path of its executable comes out, built once
// for all packages that are tested. It belongs to tests alone and knows nothing of what it builds.
package testbin
