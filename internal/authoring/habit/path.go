package habit

import (
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

var plainName = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pathText returns the expression that reads a place in a source.
func pathText(root string, steps ...any) string {
	path := root
	wasIndex := false
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			if wasIndex { // the second of two filters is one of what the first has found
				path = "(" + path + ")"
			}
			path += "[" + strconv.Itoa(step) + "]"
			wasIndex = true
			continue
		case string:
			path = fieldText(path, step)
		}
		wasIndex = false
	}
	return path
}

// fieldText returns the expression that reads a field of what a path has.
func fieldText(path, key string) string {
	if strings.ContainsAny(key, "`\n") || key == "" {
		return fmt.Sprintf("$lookup(%s, %s)", path, Quoted(key))
	}
	return path + "." + nameText(key)
}

// nameText returns a name as JSONata reads it in a path.
func nameText(key string) string {
	if plainName().MatchString(key) && !reserved[key] {
		return key
	}
	return "`" + key + "`"
}

// Identifier returns a name with the letters of a word that expressions read without quotes, or the other name when
// nothing is left.
func Identifier(word, other string) string {
	name := strings.Trim(notInNames().ReplaceAllString(wording.Head(word, MaxName), "_"), "_")
	switch {
	case name == "":
		return other
	case name[0] >= '0' && name[0] <= '9' || reserved[name]:
		return "_" + name
	}
	return name
}

var notInNames = wording.Pattern(`[^A-Za-z0-9_]+`)

// MaxName is the maximum length of an identifier, in bytes.
const MaxName = 64

// Names gives out names, each once.
type Names map[string]bool

// Unique returns the name, with _2, _3 … at its end when it is in use.
func (n Names) Unique(name string) string {
	free := name
	for i := 2; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

// Quoted returns a text as JSONata writes it.
func Quoted(text string) string { return string(value.AppendString(nil, text)) }

// reserved are the words that are no names of fields or steps.
var reserved = map[string]bool{"args": true, "and": true, "or": true, "in": true, "true": true, "false": true, "null": true, "function": true}
