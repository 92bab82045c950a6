package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// streams are the standard streams of one invocation.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func isTerminal(stream any) bool { return terminal.Is(stream) }

// areStandard reports whether input and output are those of the process.
func (s streams) areStandard() bool {
	return s.in == io.Reader(os.Stdin) && s.out == io.Writer(os.Stdout)
}

// protocol returns standard output for an MCP server, see guarded. The text says what is served.
func (s streams) protocol(format string, args ...any) (io.Writer, error) {
	return s.guarded(format+"; waiting for an MCP client", args...)
}

// guarded returns standard output for a protocol: anything else in the process that prints there prints
// to standard error. A user at a terminal sees the text, which says what is served and who is expected.
func (s streams) guarded(format string, args ...any) (io.Writer, error) {
	out := s.out
	if out == io.Writer(os.Stdout) {
		var err error
		if out, err = server.GuardStdout(); err != nil {
			return nil, err
		}
	}
	if isTerminal(s.in) {
		fmt.Fprintf(s.err, "toolgraph: "+format+" on standard input (Ctrl-C ends)\n", args...)
	}
	return out, nil
}

// maxArguments bounds what is read of standard input, in bytes: as much as a client may send.
const maxArguments = 16 << 20

// readInput reads all of a stream, up to a number of bytes. It returns an error as soon as
// ctx ends; a read that blocks cannot be interrupted, so its goroutine then stays until the
// process ends.
func readInput(ctx context.Context, in io.Reader, most int64) ([]byte, error) {
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

// writeTable writes rows in columns, as text for a terminal.
func writeTable(w io.Writer, rows [][]string) error {
	return writeRows(w, rows, false, nil)
}

// listRows is writeTable for a list below a header: on a terminal rows are fitted to its width, and
// cells are painted in the style of their word.
func listRows(w io.Writer, rows [][]string, styleOf func(column int, text string) terminal.Style) error {
	return writeRows(w, rows, true, func(row, column int, text string) terminal.Style {
		if row == 0 {
			return terminal.Faint
		}
		return styleOf(column, text)
	})
}

func writeRows(w io.Writer, rows [][]string, fit bool, style func(row, column int, text string) terminal.Style) error {
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

// printFailure prints why a command or a run failed.
func printFailure(w io.Writer, message string) {
	screen := terminal.On(w)
	fmt.Fprintf(w, "%s%s\n", screen.Paint(terminal.Bad, "toolgraph: "), screen.Carets(wording.Printable(message)))
}

// clearLine removes the line of progress from a terminal that has one.
func clearLine(w io.Writer) string {
	if terminal.On(w).Live() {
		return "\r\x1b[2K"
	}
	return ""
}

// printLine prints a formatted line as text for a terminal.
func printLine(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, wording.Printable(fmt.Sprintf(format, args...)))
}

// encodeJSON writes indented JSON.
func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeEscaped writes JSON in which characters that a terminal acts on, or hides, are escaped.
func writeEscaped(w io.Writer, v any, indent string) error {
	var src bytes.Buffer
	enc := json.NewEncoder(&src)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escaped(src.Bytes()))
	return err
}

// escaped is JSON in which hidden characters are written as escapes of the same meaning.
func escaped(src []byte) []byte {
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

// redactedJSON is a value as compact JSON without secrets.
func redactedJSON(v value.Value, secrets *config.Secrets) (json.RawMessage, error) {
	src, err := value.Encode(v)
	if err != nil {
		return nil, err
	}
	return secrets.RedactJSON(src), nil
}

// indentedJSON is JSON for people.
func indentedJSON(src []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, src, "", "  "); err != nil {
		return string(src)
	}
	return out.String()
}

// printValue writes a value as indented JSON. On a terminal hidden characters are escaped.
func printValue(w io.Writer, v value.Value, secrets *config.Secrets) error {
	src, err := redactedJSON(v, secrets)
	if err != nil {
		return err
	}
	if isTerminal(w) {
		src = escaped(src)
	}
	_, err = fmt.Fprintln(w, indentedJSON(src))
	return err
}

// printResult writes the result of a tool: as JSON, or a string as it is when the tool has
// result: text. A terminal gets no control characters.
func printResult(w io.Writer, tool *config.Tool, v value.Value, secrets *config.Secrets) error {
	text, isText := v.(string)
	if !isText || tool.Result != config.TextResult {
		return printValue(w, v, secrets)
	}
	text = secrets.Redact(text)
	if isTerminal(w) {
		text = wording.Printable(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// nothing stands for the value of a node that yielded no value.
const nothing = "nothing"

// outputShown is how many characters of an output a row has room for.
const outputShown = 72

// valueText is the beginning of a value as JSON, in one line.
func valueText(v value.Value, most int, secrets *config.Secrets) string {
	if v == nil {
		return nothing
	}
	redacted, err := redactedJSON(v, secrets) // before it is truncated: half a secret is not recognised
	if err != nil {
		return err.Error()
	}
	text := wording.OneLine(string(redacted))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", string([]rune(text)[:most]), len(redacted))
}

// shortened is one line of at most so many characters.
func shortened(text string, most int) string {
	line := []rune(wording.OneLine(text))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most]) + "…"
}

// milliseconds is a duration for people.
func milliseconds(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(10 * time.Millisecond).String()
}
