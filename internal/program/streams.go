package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf16"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// Streams are the standard streams of one invocation.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool { return terminal.Is(stream) }

// Printf prints a line for the user on standard error.
func (s Streams) Printf(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) }

// PrintJSON prints a value on standard output.
func (s Streams) PrintJSON(v any) error { return WriteEscaped(s.Out, v, "  ") }

// PrintTable prints rows on standard output, in columns.
func (s Streams) PrintTable(rows [][]string) error { return WriteTable(s.Out, rows) }

// Warnings returns a log that prints warnings and errors on standard error.
func (s Streams) Warnings() (*slog.Logger, error) { return new(Session).Logger(s, "warn", nil) }

// AreStandard reports whether input and output are those of the process.
func (s Streams) AreStandard() bool {
	return s.In == io.Reader(os.Stdin) && s.Out == io.Writer(os.Stdout)
}

// Protocol returns standard output for an MCP server, see Guarded. The text says what is served.
func (s Streams) Protocol(format string, args ...any) (io.Writer, error) {
	return s.Guarded(format+"; waiting for an MCP client", args...)
}

// Guarded returns standard output for a protocol: anything else in the process that prints there prints
// to standard error. A user at a terminal sees the text, which says what is served and who is expected.
func (s Streams) Guarded(format string, args ...any) (io.Writer, error) {
	out := s.Out
	if out == io.Writer(os.Stdout) {
		var err error
		if out, err = server.GuardStdout(); err != nil {
			return nil, err
		}
	}
	if IsTerminal(s.In) {
		fmt.Fprintf(s.Err, "toolgraph: "+format+" on standard input (Ctrl-C ends)\n", args...)
	}
	return out, nil
}

// MaxArguments bounds what is read of standard input, in bytes: as much as a client may send.
const MaxArguments = 16 << 20

// ReadInput reads all of a stream, up to a number of bytes. It returns an error as soon as
// ctx ends; a read that blocks cannot be interrupted, so its goroutine then stays until the
// process ends.
func ReadInput(ctx context.Context, in io.Reader, most int64) ([]byte, error) {
	type input struct {
		src []byte
		err error
	}
	done := make(chan input, 1)
	go func() {
		src, err := io.ReadAll(io.LimitReader(in, most))
		done <- input{src, err}
	}()
	select {
	case read := <-done:
		return read.src, read.err
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while waiting for standard input: %w", context.Cause(ctx))
	}
}

// WriteTable writes rows in columns, as text for a terminal, where the last cells go on below when they are too long.
func WriteTable(w io.Writer, rows [][]string) error {
	return WriteRows(w, rows, terminal.Wrapping, nil)
}

// ListRows is WriteTable for a list below a header: on a terminal rows are fitted to its width, and
// cells are painted in the style of their word.
func ListRows(w io.Writer, rows [][]string, styleOf func(column int, text string) terminal.Style) error {
	return WriteRows(w, rows, terminal.Cutting, func(row, column int, text string) terminal.Style {
		if row == 0 {
			return terminal.Faint
		}
		return styleOf(column, text)
	})
}

// WriteRows is ListRows for rows whose styles depend on the row; fit is how they are fitted to the width of a terminal.
func WriteRows(w io.Writer, rows [][]string, fit terminal.Fitting, style func(row, column int, text string) terminal.Style) error {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = wording.OneLine(cell)
		}
	}
	if s := terminal.On(w); !s.Plain() {
		_, err := io.WriteString(w, s.Table(rows, fit, style))
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// PrintFailure prints why a command or a run failed.
func PrintFailure(w io.Writer, message string) {
	screen := terminal.On(w)
	fmt.Fprintf(w, "%s%s\n", screen.Paint(terminal.Bad, "toolgraph: "), screen.Carets(wording.Printable(message)))
}

// PrintLine prints a formatted line as text for a terminal.
func PrintLine(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, wording.Printable(fmt.Sprintf(format, args...)))
}

// EncodeJSON writes indented JSON.
func EncodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// WriteEscaped writes JSON in which characters that a terminal acts on, or hides, are escaped.
func WriteEscaped(w io.Writer, v any, indent string) error {
	var src bytes.Buffer
	enc := json.NewEncoder(&src)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(Escaped(src.Bytes()))
	return err
}

// Escaped is JSON in which hidden characters are written as escapes of the same meaning.
func Escaped(src []byte) []byte {
	if bytes.IndexFunc(src, wording.IsHidden) < 0 {
		return src
	}
	var out bytes.Buffer
	for _, r := range string(src) {
		if !wording.IsHidden(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}
