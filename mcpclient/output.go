package mcpclient

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"toolgraph/expressions/value"
)

// result is a tool result, taken apart.
type result struct {
	value         value.Value // nil is nothing
	failed        bool        // isError; text and structured say why and there is no value
	text          string      // all its text
	structured    []byte      // of a failed result: structuredContent as compact JSON; nil when there is none
	inputRequired bool
	input         input // what is wanted, when it is
}

// readResult is the value of a call: structuredContent when there is one; else that of
// its one item, of a text the JSON that it is, or the text itself when it is none, of any
// other its content object, of a known type or not; of several items an array of these;
// of none nothing.
func readResult(raw []byte) (result, error) {
	var structured, content, isError, kind []byte
	var wanted input
	err := members(raw, func(name, value []byte) {
		switch string(name) {
		case "structuredContent":
			structured = value
		case "content":
			content = value
		case "isError":
			isError = value
		case "resultType":
			kind = value
		case "inputRequests":
			wanted.requests = value
		case "requestState":
			wanted.state = value
		}
	})
	if err != nil {
		return result{}, errors.New("it is no JSON object")
	}
	switch {
	case string(kind) == `"input_required"`:
		return result{inputRequired: true, input: wanted}, nil
	case string(isError) == "true":
		structured = structuredFailure(structured)
		return result{failed: true, text: failureText(content), structured: structured}, nil
	case structured != nil && !bytes.Equal(structured, []byte("null")):
		v, err := value.Decode(structured)
		if err != nil {
			return result{}, fmt.Errorf("structuredContent: %w", err)
		}
		return result{value: v}, nil
	}
	v, err := contentValue(content)
	return result{value: v}, err
}

// contentItems are the raw items of a content array, none when it is missing.
func contentItems(content []byte) ([][]byte, error) {
	if content == nil || bytes.Equal(content, []byte("null")) {
		return nil, nil
	}
	var items [][]byte
	if err := elements(content, func(item []byte) { items = append(items, item) }); err != nil {
		return nil, errors.New("content is no array")
	}
	return items, nil
}

// textOf is the text of a text item.
func textOf(item []byte) (string, bool) {
	var kind, raw []byte
	err := members(item, func(name, value []byte) {
		switch string(name) {
		case "type":
			kind = value
		case "text":
			raw = value
		}
	})
	if err != nil || string(kind) != `"text"` || raw == nil {
		return "", false
	}
	v, err := value.Decode(raw)
	if err != nil {
		return "", false
	}
	text, ok := v.(string)
	return text, ok
}

func contentValue(content []byte) (value.Value, error) {
	items, err := contentItems(content)
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(items))
	for i, item := range items {
		if text, ok := textOf(item); ok {
			values[i] = textValue(text)
			continue
		}
		if values[i], err = value.Decode(item); err != nil {
			return nil, fmt.Errorf("content %d: %w", i, err)
		}
	}
	switch len(values) {
	case 0:
		return nil, nil
	case 1:
		return values[0], nil
	}
	return values, nil
}

// textValue is the JSON that a text is, or the text.
func textValue(text string) value.Value {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(start[0])) {
		return text // spares prose the attempt
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return text
	}
	return v
}
