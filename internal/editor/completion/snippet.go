package completion

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolgraph/internal/base/wording"
)

// keyOrder is the order of keys in snippets; other keys come between the two parts, by name.
var (
	firstKeys = []string{"id", "name", "type", "command", "url", "server", "tool", "each", "as", "call", "message", "transform", "conditions", "branches", "rule", "args"}
	lastKeys  = []string{"return", "next"}
)

// snippets are the candidates that write several keys at once: those that the schemas of an empty item have.
func (c *cursor) snippets(all []schema) []Candidate {
	of, dash := c.of, ""
	inline := of.column < 0 && of.parent != nil && c.insideBrackets() || !c.begun()
	if of.kind == mapping && slices.ContainsFunc(of.items, func(i *item) bool { return !strings.Contains(i.key, mark) }) {
		return nil // it has keys
	}
	if of.kind != mapping && !inline {
		for _, s := range all {
			if items := schemaOf(s["items"]); items != nil { // an item that has no dash
				all, dash = expand(language(), items, &item{}), "- "
				break
			}
		}
	}
	var out []Candidate
	for _, s := range all {
		list, _ := s["defaultSnippets"].([]any)
		for _, one := range list {
			body, _ := schemaOf(one)["body"].(map[string]any)
			r := renderer{c: c}
			if inline && (len(body) != 1 || c.inKey) {
				continue
			}
			r.value(body, "", c.lineColumn()+len(dash), inline)
			out = append(out, c.snippet(text(schemaOf(one)["label"]), text(schemaOf(one)["description"]), dash+r.String()))
		}
	}
	return out
}

// snippet makes a candidate of a text with stops.
func (c *cursor) snippet(label, doc, body string) Candidate {
	insert := strings.ReplaceAll(withoutStops(body), "\n", "\n"+strings.Repeat(" ", c.indentation()))
	return Candidate{Label: label, Kind: "snippet", Doc: doc, Insert: insert, Snippet: body, Rank: -1}
}

// indentation is the number of spaces at the beginning of the cursor's line.
func (c *cursor) indentation() int {
	line := c.src[strings.LastIndexByte(c.src[:c.offset], '\n')+1:]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// lineColumn is the column at which a candidate begins, without the indentation of its line.
func (c *cursor) lineColumn() int {
	line := c.src[strings.LastIndexByte(c.src[:c.offset], '\n')+1 : c.offset-len(c.prefix)]
	return max(len(line)-c.indentation(), 0)
}

// insideBrackets reports whether the item at the cursor is in brackets.
func (c *cursor) insideBrackets() bool {
	for at := c.of; at != nil && at.parent != nil; at = at.parent {
		if from := min(at.from, c.offset); from < len(c.src) && (c.src[from] == '{' || c.src[from] == '[') && at.kind != scalar {
			return true
		}
	}
	return false
}

// renderer writes the body of a snippet as YAML.
type renderer struct {
	strings.Builder

	c *cursor
}

// value writes a value behind its key; column is that of the keys of a mapping, beyond the line's indentation.
func (r *renderer) value(v any, key string, column int, inline bool) {
	switch v := v.(type) {
	case map[string]any:
		if inline {
			r.WriteString("{")
		}
		for i, name := range sortedKeys(v) {
			switch {
			case i > 0 && inline:
				r.WriteString(", ")
			case i > 0:
				r.WriteString("\n" + strings.Repeat(" ", column))
			}
			r.WriteString(quotedKey(name) + ":")
			r.below(v[name], name, column, inline)
		}
		if inline {
			r.WriteString("}")
		}
	case []any:
		if inline {
			r.WriteString("[")
		}
		for i, part := range v {
			switch {
			case !inline:
				r.WriteString("\n" + strings.Repeat(" ", column) + "- ")
			case i > 0:
				r.WriteString(", ")
			}
			r.value(part, key, column+2, inline)
		}
		if inline {
			r.WriteString("]")
		}
	case string:
		r.WriteString(r.scalar(v, key))
	default:
		raw, _ := json.Marshal(v)
		r.Write(raw)
	}
}

// below writes the value of a key: in brackets when it is a rule or has no mapping in it.
func (r *renderer) below(v any, key string, column int, inline bool) {
	if !inline && key != "rule" && hasMapping(v) {
		if _, isList := v.([]any); !isList {
			r.WriteString("\n" + strings.Repeat(" ", column+2))
		}
		r.value(v, key, column+2, false)
		return
	}
	r.WriteString(" ")
	r.value(v, key, column, true)
}

// hasMapping reports whether a mapping or a list has a mapping in it.
func hasMapping(v any) bool {
	isMapping := func(v any) bool { return schemaOf(v) != nil }
	if list, isList := v.([]any); isList {
		return slices.ContainsFunc(list, isMapping)
	}
	for _, part := range schemaOf(v) {
		if isMapping(part) {
			return true
		}
	}
	return false
}

func sortedKeys(v map[string]any) []string {
	rank := func(key string) int {
		if i := slices.Index(firstKeys, key); i >= 0 {
			return i
		}
		return len(firstKeys) + slices.Index(lastKeys, key)
	}
	return slices.SortedFunc(maps.Keys(v), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
}

// stop is a place of a snippet: its number and the text that it begins with.
var stop = wording.Pattern(`\$\{(\d+):((?:[^}\\]|\\.)*)\}`)

// scalar writes a string, in quotes where YAML needs them. A stop for a name has the known names.
func (r *renderer) scalar(v, key string) string {
	if in := stop().FindStringSubmatch(v); in != nil && in[0] == v {
		if names := r.c.choices(key); len(names) > 0 {
			return "${" + in[1] + "|" + strings.Join(names, ",") + "|}"
		}
		if key == "id" {
			return "${" + in[1] + ":" + r.c.unusedID(in[2]) + "}"
		}
	}
	if plain := withoutStops(v); scalarText(plain) == plain {
		return v
	}
	return "'" + v + "'"
}

// mostChoices bounds the choices of a stop.
const mostChoices = 40

// choices are the names that the value of a key of a new node can be.
func (c *cursor) choices(key string) []string {
	var of []Candidate
	switch key {
	case "server":
		of = c.servers()
	case "next":
		of = c.nodes(func(kind string) bool { return kind != "entry" })
	}
	var names []string
	for _, n := range of {
		if plainText(n.Label) && len(names) < mostChoices {
			names = append(names, n.Label)
		}
	}
	return names
}

// unusedID returns an id that no node of the tool has, and no step.
func (c *cursor) unusedID(id string) string {
	used := stepIDs(c.tool.get("steps"))
	for _, n := range c.nodes(func(string) bool { return true }) {
		used = append(used, n.Label)
	}
	for i := 2; slices.Contains(used, id); i++ {
		id = strings.TrimRight(id, "0123456789") + strconv.Itoa(i)
	}
	return id
}

var choice = wording.Pattern(`\$\{\d+\|([^,|}]*)[^}]*\|\}`)

// withoutStops returns the text of a snippet as a client without snippets writes it.
func withoutStops(snippet string) string {
	snippet = choice().ReplaceAllString(snippet, "$1")
	snippet = stop().ReplaceAllString(snippet, "$2")
	snippet = emptyStop().ReplaceAllString(snippet, "")
	return unescaper.Replace(snippet)
}

var (
	emptyStop = wording.Pattern(`\$\{\d+\}|\$\d`)
	unescaper = strings.NewReplacer(`\$`, "$", `\}`, "}", `\\`, `\`)
	escaper   = strings.NewReplacer("$", `\$`, "}", `\}`, `\`, `\\`)
)

// escaped returns a text as a snippet writes it.
func escaped(text string) string { return escaper.Replace(text) }

func quotedKey(key string) string {
	if plain := withoutStops(key); plainText(plain) {
		return key
	}
	return `"` + key + `"`
}

// scalarText returns a string as YAML writes it, in brackets as well.
func scalarText(s string) string {
	if plainText(s) || strings.HasPrefix(s, "$.") && strings.Trim(s[2:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.") == "" {
		return s
	}
	if strings.HasPrefix(s, "https://") && len(s) == len("https://") {
		return s
	}
	raw, _ := json.Marshal(s)
	return string(raw)
}
