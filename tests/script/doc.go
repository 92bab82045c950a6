// Package script runs the stories of the command line: what a user types, and what is printed.
package script
