package hostconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

const (
	maxDepth  = 64      // of values inside values
	maxValues = 200_000 // in the parts of a file that are read
)

// cursor finds the places of offsets in a file. It is fast when they ascend.
type cursor struct {
	file         string
	src          []byte
	offset       int
	line, column int
}

func newCursor(file string, src []byte) *cursor {
	return &cursor{file: file, src: src, line: 1, column: 1}
}

func (c *cursor) pos(offset int) config.Pos {
	if offset < c.offset {
		c.offset, c.line, c.column = 0, 1, 1
	}
	for c.offset < min(offset, len(c.src)) {
		_, size := utf8.DecodeRune(c.src[c.offset:])
		c.column++
		if c.src[c.offset] == '\n' {
			c.line, c.column = c.line+1, 1
		}
		c.offset += size
	}
	return config.Pos{File: c.file, Line: c.line, Column: c.column}
}

// placedError is what is wrong at a place of a host's file.
type placedError struct {
	pos  config.Pos
	text string
}

func (e *placedError) Error() string { return e.pos.String() + ": " + e.text }

// jsonReader reads JSON with comments and trailing commas, as editors write it.
type jsonReader struct {
	*cursor
	dec    *json.Decoder
	values int
	spans  map[*config.Data]span  // where each value is; nil when that is not asked for
	keys   map[*config.Data][]int // where each key of an object begins, with spans
}

// span is a part of a file: the offsets of its first byte and of the byte after it.
type span struct{ from, to int }

// readJSON returns the top level of a file, an object of which only the wanted keys are read.
// Nothing of the file is in an error but keys and single characters.
func readJSON(path string, src []byte, wanted ...string) (*config.Data, error) {
	plain, _, bad := withoutComments(src)
	if bad >= 0 {
		return nil, &placedError{newCursor(path, src).pos(bad), "found a comment without its end"}
	}
	if len(bytes.TrimSpace(plain)) == 0 && len(bytes.TrimSpace(src)) > 0 { // there are only comments
		return &config.Data{Kind: config.KindObject, Pos: config.Pos{File: path, Line: 1, Column: 1}}, nil
	}
	return newJSONReader(path, plain).root(wanted)
}

// newJSONReader returns a reader of JSON without comments.
func newJSONReader(path string, plain []byte) *jsonReader {
	r := &jsonReader{cursor: newCursor(path, plain), dec: json.NewDecoder(bytes.NewReader(plain))}
	r.dec.UseNumber()
	return r
}

// root reads the object of a file, of which only the wanted keys are read.
func (r *jsonReader) root(wanted []string) (*config.Data, error) {
	data, err := r.value(0, wanted)
	if err != nil {
		return nil, err
	}
	if data.Kind != config.KindObject {
		return nil, &placedError{data.Pos, "found a value that is not an object; expected the JSON object of a configuration"}
	}
	at := r.next()
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &placedError{r.pos(at), "found text after the end of the JSON object"}
	}
	return data, nil
}

// next returns the offset of the next token.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,:"), r.src[at]) >= 0 {
		at++
	}
	return at
}

// token returns the next token and its place.
func (r *jsonReader) token() (json.Token, config.Pos, error) {
	pos := r.pos(r.next())
	token, err := r.dec.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, pos, &placedError{r.pos(len(r.src)), "the file ends inside a JSON value; it is empty or incomplete"}
	case err != nil:
		return nil, pos, &placedError{pos, "not valid JSON: " + err.Error()}
	}
	return token, pos, nil
}

// value reads a value. Of an object it reads only the wanted keys; without such, all.
func (r *jsonReader) value(depth int, wanted []string) (*config.Data, error) {
	from := r.next()
	token, pos, err := r.token()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > maxValues {
		return nil, &placedError{pos, fmt.Sprintf("found more than %d values in the servers of the file", maxValues)}
	}
	data := &config.Data{Pos: pos}
	switch token := token.(type) {
	case json.Delim:
		if depth++; depth > maxDepth {
			return nil, &placedError{pos, fmt.Sprintf("found values nested more than %d deep", maxDepth)}
		}
		data.Kind = config.KindArray
		if token == '{' {
			data.Kind = config.KindObject
		}
		if err := r.members(data, depth, wanted); err != nil {
			return nil, err
		}
	case string:
		data.Scalar, data.Text = token, config.Text{Value: token, Pos: pos}
	default:
		data.Scalar = token
	}
	if r.spans != nil {
		r.spans[data] = span{from, int(r.dec.InputOffset())}
	}
	return data, nil
}

// members reads an object or an array to its end.
func (r *jsonReader) members(data *config.Data, depth int, wanted []string) error {
	first := map[string]config.Pos{}
	for r.dec.More() {
		if data.Kind == config.KindObject {
			from := r.next()
			token, pos, err := r.token()
			if err != nil {
				return err
			}
			key, _ := token.(string) // the decoder accepts no other token here
			if len(wanted) > 0 && !slices.Contains(wanted, key) {
				if err := r.skip(); err != nil {
					return err
				}
				continue
			}
			if before, twice := first[key]; twice {
				return &placedError{pos, fmt.Sprintf("duplicate key %s (first defined on line %d)", wording.Quote(key), before.Line)}
			}
			first[key] = pos
			data.Keys = append(data.Keys, config.Text{Value: key, Pos: pos})
			if r.keys != nil {
				r.keys[data] = append(r.keys[data], from)
			}
		}
		item, err := r.value(depth, nil)
		if err != nil {
			return err
		}
		data.Items = append(data.Items, item)
	}
	_, _, err := r.token()
	return err
}

// skip reads a value that is not wanted.
func (r *jsonReader) skip() error {
	for depth := 0; ; {
		token, _, err := r.token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// withoutComments returns the text with spaces in the place of comments, of trailing commas and of
// a byte order mark, so that offsets stay. commas are the offsets of the trailing commas. bad is the
// offset of a comment that does not end, or -1.
func withoutComments(src []byte) (plain []byte, commas []int, bad int) {
	plain = bytes.Clone(src)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if plain[i] != '\n' {
				plain[i] = ' '
			}
		}
	}
	if bytes.HasPrefix(plain, []byte("\uFEFF")) {
		blank(0, len("\uFEFF"))
	}
	comma := -1 // the offset of a comma after which only spaces follow
	for i := 0; i < len(plain); i++ {
		end := -1 // of a comment
		switch c := plain[i]; {
		case c == '"':
			for i++; i < len(plain) && plain[i] != '"'; i++ {
				if plain[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && bytes.HasPrefix(plain[i:], []byte("//")):
			if end = bytes.IndexByte(plain[i:], '\n'); end < 0 {
				end = len(plain) - i
			}
		case c == '/' && bytes.HasPrefix(plain[i:], []byte("/*")):
			if end = bytes.Index(plain[i+2:], []byte("*/")); end < 0 {
				return plain, commas, i
			}
			end += len("/**/")
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				plain[comma] = ' '
				commas = append(commas, comma)
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		if end >= 0 {
			blank(i, i+end)
			i += end - 1
		}
	}
	return plain, commas, -1
}
