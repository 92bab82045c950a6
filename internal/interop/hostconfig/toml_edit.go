package hostconfig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// tomlEditor changes values in the tables of a TOML file.
type tomlEditor struct {
	layout
	src   []byte
	lines []tomlLine
	edits []edit
}

// tomlLine is the header of a table, or a key and its value, which may be several lines.
type tomlLine struct {
	path     []string // of the table or the value
	isHeader bool
	span          // up to the end of its line, without the line end
	value    span // of a key
}

// tableDepth is how deep the entries of servers are: [mcp_servers.NAME]. What is deeper is written
// in one line.
const tableDepth = 2

// editTOML is the edit of tomlSyntax.
func editTOML(path string, src []byte, want *config.Data, _ []string) ([]byte, error) {
	old, err := readTOML(path, src)
	if err != nil {
		return nil, err
	}
	e := &tomlEditor{layout: layoutOf(src), src: src}
	e.findLines()
	e.change(nil, old, want)
	return apply(src, e.edits), nil
}

// findLines finds the expressions of the file, which is valid.
func (e *tomlEditor) findLines() {
	var parser unstable.Parser
	parser.Reset(e.src)
	var table []string
	for parser.NextExpression() {
		x := parser.Expression()
		line := tomlLine{isHeader: x.Kind != unstable.KeyValue}
		if !line.isHeader {
			line.path = slices.Clone(table)
		}
		end := 0
		for keys := x.Key(); keys.Next(); {
			raw := keys.Node().Raw
			if end == 0 {
				line.from = int(raw.Offset)
			}
			end = int(raw.Offset + raw.Length)
			line.path = append(line.path, string(keys.Node().Data))
		}
		if line.isHeader {
			table = line.path
		} else {
			equals := end + bytes.IndexByte(e.src[end:], '=') + 1
			line.value.from = equals + len(e.src[equals:]) - len(bytes.TrimLeft(e.src[equals:], " \t"))
			line.value.to = int(x.Raw.Offset + x.Raw.Length)
			end = line.value.to
		}
		line.from = bytes.LastIndexByte(e.src[:line.from], '\n') + 1
		line.to = len(e.src)
		if at := bytes.IndexByte(e.src[end:], '\n'); at >= 0 {
			line.to = end + len(bytes.TrimSuffix(e.src[end:end+at], []byte("\r")))
		}
		e.lines = append(e.lines, line)
	}
}

// change makes the table at a path another one.
func (e *tomlEditor) change(path []string, old, want *config.Data) {
	for i, key := range want.Keys {
		at, item := append(slices.Clone(path), key.Value), want.Items[i]
		switch before := old.Get(key.Value); {
		case before == nil:
			e.add(at, item)
		case same(before, item):
		case len(at) <= tableDepth && before.Kind == config.KindObject && item.Kind == config.KindObject:
			e.change(at, before, item)
		default:
			e.replace(at, item)
		}
	}
	for _, key := range old.Keys {
		if want.Get(key.Value) == nil {
			e.remove(append(slices.Clone(path), key.Value))
		}
	}
}

// add adds a value: a table at the end of the file, or a line at the end of its table.
func (e *tomlEditor) add(path []string, item *config.Data) {
	if len(path) > tableDepth {
		at := -1
		for _, line := range e.lines {
			if line.isHeader && slices.Equal(line.path, path[:tableDepth]) || !line.isHeader && slices.Equal(line.path[:len(line.path)-1], path[:tableDepth]) {
				at = line.to
			}
		}
		if at >= 0 { // else the table is written in one line, and stays as it is
			e.edits = append(e.edits, edit{span{at, at}, e.newline + tomlPair(path[tableDepth], item)})
		}
		return
	}
	if len(path) < tableDepth {
		for i, key := range item.Keys {
			e.add(append(slices.Clone(path), key.Value), item.Items[i])
		}
		return
	}
	text := ""
	if n := len(bytes.TrimSpace(e.src)); n > 0 {
		text = e.newline
		if e.src[len(e.src)-1] != '\n' {
			text += e.newline
		}
	}
	text += "[" + tomlKey(path[0]) + "." + tomlKey(path[1]) + "]" + e.newline
	for i, key := range item.Keys {
		text += tomlPair(key.Value, item.Items[i]) + e.newline
	}
	e.edits = append(e.edits, edit{span{len(e.src), len(e.src)}, text})
}

func (e *tomlEditor) replace(path []string, item *config.Data) {
	for _, line := range e.lines {
		if !line.isHeader && slices.Equal(line.path, path) {
			e.edits = append(e.edits, edit{line.value, tomlText(item)})
			return
		}
	}
	e.remove(path)
	e.add(path, item)
}

// remove removes the lines of what is at a path.
func (e *tomlEditor) remove(path []string) {
	for _, line := range e.lines {
		if len(line.path) >= len(path) && slices.Equal(line.path[:len(path)], path) {
			rest := e.src[line.to:]
			end := len(rest) - len(bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n")))
			e.edits = append(e.edits, edit{span{line.from, line.to + end}, ""})
		}
	}
}

func tomlPair(key string, item *config.Data) string { return tomlKey(key) + " = " + tomlText(item) }

var bareKey = wording.Pattern(`^[A-Za-z0-9_-]+$`)

func tomlKey(key string) string {
	if bareKey().MatchString(key) {
		return key
	}
	return quoted(key, true)
}

// tomlText returns a value in one line.
func tomlText(d *config.Data) string {
	var items []string
	switch d.Kind {
	case config.KindObject:
		for i, key := range d.Keys {
			items = append(items, tomlPair(key.Value, d.Items[i]))
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case config.KindArray:
		for _, item := range d.Items {
			items = append(items, tomlText(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case config.KindScalar, config.KindExpression:
	}
	if text, isText := d.Scalar.(string); isText {
		return quoted(text, true)
	}
	return fmt.Sprint(d.Scalar)
}
