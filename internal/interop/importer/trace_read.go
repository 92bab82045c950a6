package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"toolgraph/expressions/value"
)

// readLines gives the entries of a file with one JSON object on each line to add.
func readLines(path string, src []byte, add func(entry) error) error {
	for number := 1; len(src) > 0; number++ {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		src = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := addEntry(path, number, 1, line, add); err != nil {
			return err
		}
	}
	return nil
}

// readObject gives the one entry of a file that is a single object, on several lines.
func readObject(path string, src []byte, add func(entry) error) error {
	start := len(src) - len(bytes.TrimLeft(src, " \t\r\n"))
	return addEntry(path, 1+bytes.Count(src[:start], []byte("\n")), columnAt(src, start), src[start:], add)
}

// readArray gives the entries of a JSON array to add.
func readArray(path string, src []byte, add func(entry) error) error {
	dec := json.NewDecoder(bytes.NewReader(src))
	at, line := 0, 1 // the place up to which lines are counted
	place := func(offset int) (int, int) {
		line += bytes.Count(src[at:offset], []byte("\n"))
		at = offset
		return line, columnAt(src, offset)
	}
	_, err := dec.Token()
	for err == nil && dec.More() {
		from := int(dec.InputOffset())
		from += len(src[from:]) - len(bytes.TrimLeft(src[from:], " \t\r\n,"))
		var raw json.RawMessage
		if err = dec.Decode(&raw); err == nil {
			line, column := place(from)
			if err := addEntry(path, line, column, raw, add); err != nil {
				return err
			}
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	end := int(dec.InputOffset())
	if err == nil && len(bytes.TrimSpace(src[end:])) > 0 {
		err = errors.New("found more after the list")
	}
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		end = max(end, int(syntax.Offset)-1)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		end, err = len(src), errors.New("the list does not end")
	}
	l, c := place(min(max(end, at), len(src)))
	return placed(path, l, c, "not JSON: %s", err)
}

// addEntry decodes an object of a trace and gives it to add.
func addEntry(path string, line, column int, raw []byte, add func(entry) error) error {
	v, err := value.Decode(raw)
	var broken *value.DecodeError
	if errors.As(err, &broken) {
		return placed(path, line, column+columnAt(raw, broken.Offset)-1, "not JSON: %s", broken.Message)
	}
	e := entry{path: path, line: line, column: column}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return e.errorf("found %s, expected an object of a trace", kindOf(v))
	}
	e.object = object
	return add(e)
}
