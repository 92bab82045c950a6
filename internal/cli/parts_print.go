package cli

import "log/slog"

// PrintJSON prints a value on standard output.
func (p Parts) PrintJSON(v any) error { return writeEscaped(p.std.out, v, "  ") }

// PrintTable prints rows on standard output, in columns.
func (p Parts) PrintTable(rows [][]string) error { return writeTable(p.std.out, rows) }

// Warnings returns a log that prints warnings and errors on standard error.
func (p Parts) Warnings() (*slog.Logger, error) { return new(session).logger(p.std, "warn", nil) }
