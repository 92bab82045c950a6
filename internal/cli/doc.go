// Package cli is the command line: argv, environment and standard streams go in, an
// exit code comes out. Each subcommand is one file. It wires the other rooms
// together and decides nothing about graphs or runs. It owns cobra.
package cli
