package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// File is an imported graph file, and the files beside it.
type File struct {
	Graph    []byte   // YAML
	Test     []byte   // YAML of a test file for it; nil when it was not asked for
	Cassette []byte   // JSON of the test's recorded calls
	Warnings []string // what the graph does not do as its source did, one line each
}

// draft is a graph file that is being written.
type draft struct {
	notes    map[*config.Data]string
	warnings []string
}

func newDraft() *draft { return &draft{notes: map[*config.Data]string{}} }

// note adds a line to the comment above a part.
func (d *draft) note(part *config.Data, format string, args ...any) {
	if before := d.notes[part]; before != "" {
		d.notes[part] = before + "\n" + fmt.Sprintf(format, args...)
		return
	}
	d.notes[part] = fmt.Sprintf(format, args...)
}

func (d *draft) warn(format string, args ...any) {
	d.warnings = append(d.warnings, wording.OneLine(fmt.Sprintf(format, args...)))
}

// dataOf returns a value as data for a graph file.
func dataOf(v value.Value) *config.Data {
	switch v := v.(type) {
	case []any:
		list := config.NewList()
		for _, item := range v {
			list.Items = append(list.Items, dataOf(item))
		}
		return list
	case float64:
		if math.Abs(v) > value.MaxExact && math.Abs(v) < 1e21 { // a reader keeps the digits of an integer
			return &config.Data{Scalar: json.Number(value.NumberText(v))}
		}
		return &config.Data{Scalar: v}
	case string, bool, json.Number:
		return &config.Data{Scalar: v}
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return &config.Data{} // null
	}
	data := config.NewObject()
	for _, key := range object.Keys() {
		member, _ := object.Get(key)
		data.Set(key, dataOf(member))
	}
	return data
}

// names gives out names, each once.
type names map[string]bool

// unique returns the name, with _2, _3 … at its end when it is in use.
func (n names) unique(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

var notInNames = wording.Pattern(`[^A-Za-z0-9_]+`)

// maxName is the maximum length of an identifier, in bytes.
const maxName = 64

// identifier returns a name with the letters of a word that expressions read without quotes, or
// the other name when nothing is left.
func identifier(word, other string) string {
	name := strings.Trim(notInNames().ReplaceAllString(wording.Head(word, maxName), "_"), "_")
	switch {
	case name == "":
		return other
	case name[0] >= '0' && name[0] <= '9' || reserved[name]:
		return "_" + name
	}
	return name
}

// reserved are the words of JSONata that are no names of fields.
var reserved = map[string]bool{"and": true, "or": true, "in": true, "true": true, "false": true, "null": true, "function": true}

// placed returns an error at a line and column of an input, both from 1.
func placed(path string, line, column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", path, line, column, fmt.Sprintf(format, args...))
}

// fileName returns the last part of a path, for a comment.
func fileName(path string) string { return wording.Shorten(filepath.Base(path)) }
