package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

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
	if program.IsTerminal(w) {
		src = program.Escaped(src)
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
	if program.IsTerminal(w) {
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
