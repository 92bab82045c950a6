package cli

import (
	"log/slog"

	"github.com/spf13/cobra"
)

// PrintJSON prints a value on standard output.
func (p Parts) PrintJSON(v any) error { return writeEscaped(p.std.out, v, "  ") }

// PrintTable prints rows on standard output, in columns.
func (p Parts) PrintTable(rows [][]string) error { return writeTable(p.std.out, rows) }

// Warnings returns a log that prints warnings and errors on standard error.
func (p Parts) Warnings() (*slog.Logger, error) { return new(sessionFlags).logger(p.std, "warn", nil) }

// FormatFlag registers --format and --json of a command that prints text or JSON.
func FormatFlag(cmd *cobra.Command, into *string) { formatFlag(cmd, into) }

// OnlyCommands makes a command reject anything but its subcommands.
func OnlyCommands(cmd *cobra.Command) *cobra.Command {
	onlyCommands(cmd)
	return cmd
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error { return noArgs(cmd, args) }
