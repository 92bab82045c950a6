package hostconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"toolgraph/config"
)

// readTOML returns the top level of a TOML file.
func readTOML(path string, src []byte) (*config.Data, error) {
	src = bytes.TrimPrefix(src, byteOrderMark)
	r := &tomlReader{places: map[string]config.Pos{}, cursor: newCursor(path, src)}
	if err := r.findPlaces(); err != nil {
		return nil, err
	}
	var root map[string]any
	if err := toml.Unmarshal(src, &root); err != nil {
		pos := config.Pos{File: path}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			pos.Line, pos.Column = bad.Position()
		}
		return nil, &placedError{pos, "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return r.data("", root, 0)
}

// tomlReader turns values of TOML into config.Data, with the places of their keys.
type tomlReader struct {
	*cursor
	places map[string]config.Pos // by path
	values int
}

// below returns the path of a key in a table.
func below(path, key string) string { return path + "\x00" + key }

// findPlaces records where each key of a table is. Keys inside of inline tables have the place of
// the table.
func (r *tomlReader) findPlaces() error {
	var parser unstable.Parser
	parser.Reset(r.src)
	table := ""
	for parser.NextExpression() {
		e := parser.Expression()
		if e.Kind == unstable.Comment {
			continue
		}
		path := ""
		if e.Kind == unstable.KeyValue {
			path = table
		}
		parts := 0
		for keys := e.Key(); keys.Next(); parts++ {
			pos := r.pos(int(keys.Node().Raw.Offset))
			if parts >= maxDepth {
				return &placedError{pos, fmt.Sprintf("found values nested more than %d deep", maxDepth)}
			}
			path = below(path, string(keys.Node().Data))
			if _, seen := r.places[path]; !seen {
				r.places[path] = pos
			}
		}
		if e.Kind != unstable.KeyValue {
			table = path
		}
	}
	return nil // what is wrong in the text is reported by Unmarshal
}

// data returns a value as config.Data; keys are in the order of their places.
func (r *tomlReader) data(path string, v any, depth int) (*config.Data, error) {
	pos, known := r.places[path]
	for up := path; !known && up != ""; pos, known = r.places[up] {
		up = up[:max(0, strings.LastIndexByte(up, 0))]
	}
	if pos.File = r.file; depth > maxDepth {
		return nil, &placedError{pos, fmt.Sprintf("found values nested more than %d deep", maxDepth)}
	}
	if r.values++; r.values > maxValues {
		return nil, &placedError{pos, fmt.Sprintf("found more than %d values in the file", maxValues)}
	}
	data := &config.Data{Pos: pos}
	add := func(path string, item any) error {
		d, err := r.data(path, item, depth+1)
		data.Items = append(data.Items, d)
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		data.Kind = config.KindObject
		for _, key := range r.inOrder(path, v) {
			at := below(path, key)
			data.Keys = append(data.Keys, config.Text{Value: key, Pos: r.places[at]})
			if err := add(at, v[key]); err != nil {
				return nil, err
			}
		}
	case []any:
		data.Kind = config.KindArray
		for _, item := range v {
			if err := add(path, item); err != nil {
				return nil, err
			}
		}
	case string:
		data.Scalar, data.Text = v, config.Text{Value: v, Pos: pos}
	case int64:
		data.Scalar = json.Number(strconv.FormatInt(v, 10))
	case bool, float64:
		data.Scalar = v
	default: // a date or a time
		data.Scalar = fmt.Sprint(v)
	}
	return data, nil
}

func (r *tomlReader) inOrder(path string, table map[string]any) []string {
	keys := slices.Sorted(maps.Keys(table))
	slices.SortStableFunc(keys, func(a, b string) int {
		p, q := r.places[below(path, a)], r.places[below(path, b)]
		if p.Line != q.Line {
			return p.Line - q.Line
		}
		return p.Column - q.Column
	})
	return keys
}
