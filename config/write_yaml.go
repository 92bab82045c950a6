package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolgraph/internal/base/wording"
)

// writer writes data as readable YAML: block style, small values on one line, and texts of
// several lines as block scalars.
type writer struct {
	out     strings.Builder
	newline string
	notes   map[*Data]string // comments above parts of new files; see Format
}

func (w *writer) text() string { return w.out.String() }

// widest is the maximum length of a line with a list or mapping in flow style.
const widest = 88

// blocks are the keys whose values are on one line only when they have no nested values.
var blocks = []string{"tools", "nodes", "conditions", "args", "transform", "properties", "inputSchema", "outputSchema", "schema"}

func (w *writer) line(indent int) {
	w.out.WriteString(w.newline + strings.Repeat(" ", indent))
}

// pair writes "key: value", without the indentation of the first line.
func (w *writer) pair(key string, d *Data, indent int, comment string) {
	w.out.WriteString(keyText(key) + ":")
	w.value(key, d, indent, comment)
}

// value writes the text after "key:".
func (w *writer) value(key string, d *Data, indent int, comment string) {
	if block, ok := literal(d); ok {
		w.out.WriteString(" " + block + comment)
		for _, line := range strings.Split(strings.TrimSuffix(d.Scalar.(string), "\n"), "\n") {
			w.out.WriteString(w.newline + indented(strings.Repeat(" ", indent+2), line))
		}
		return
	}
	if text := inline(d); isSmall(key, d) && !w.isNoted(d) && indent+len(key)+2+utf8.RuneCountInString(text) <= widest || d.isLeaf() {
		w.out.WriteString(" " + text + comment)
		return
	}
	w.out.WriteString(comment)
	w.line(indent + 2)
	if d.Kind == KindArray {
		w.list(d, indent+2)
		return
	}
	w.note(d.Items[0], indent+2)
	w.mapping(d, indent+2)
}

func (w *writer) mapping(d *Data, indent int) {
	for i, key := range d.Keys {
		if i > 0 {
			w.line(indent)
			w.note(d.Items[i], indent)
		}
		w.pair(key.Value, d.Items[i], indent, "")
	}
}

func (w *writer) list(d *Data, indent int) {
	for i, item := range d.Items {
		if i > 0 {
			w.line(indent)
		}
		w.noteItem(item, indent)
		w.item(item, indent)
	}
}

// item writes "- " and an item of a list with this indentation of its dashes.
func (w *writer) item(d *Data, indent int) {
	w.out.WriteString("-")
	small := isSmall("", d) && !isNamed(d) && !w.isNoted(d) && indent+utf8.RuneCountInString(inline(d)) <= widest
	if d.Kind == KindObject && len(d.Keys) > 0 && !small {
		w.out.WriteString(" ")
		w.mapping(d, indent+2)
		return
	}
	w.value("", d, indent, "")
}

// isNamed reports whether an item is a tool, a node or a condition.
func isNamed(d *Data) bool { return d.Get("id") != nil || d.Get("name") != nil || d.Get("next") != nil }

// isLeaf reports whether data has no parts.
func (d *Data) isLeaf() bool {
	return d.Kind == KindScalar || d.Kind == KindExpression || len(d.Items) == 0
}

// isSmall reports whether a list or mapping is readable on one line.
func isSmall(key string, d *Data) bool {
	depth := depthOf(d)
	if slices.Contains(blocks, key) && (depth > 1 || key == "args" && d.Kind != KindArray || key == "transform" || key == "nodes") {
		return false
	}
	return depth <= 3 && !hasLines(d)
}

func depthOf(d *Data) int {
	depth := 0
	for _, item := range d.Items {
		depth = max(depth, 1+depthOf(item))
	}
	return depth
}

func hasLines(d *Data) bool {
	return strings.Contains(d.textValue(), "\n") || slices.ContainsFunc(d.Items, hasLines)
}

// literal returns the header of a block scalar, | or |-; it is ok when a text needs one.
func literal(d *Data) (head string, ok bool) {
	text := d.textValue()
	if !strings.Contains(text, "\n") || strings.HasSuffix(text, "\n\n") || strings.ContainsAny(text[:1], " \t\n") {
		return "", false
	}
	body, ended := strings.CutSuffix(text, "\n")
	if strings.TrimRight(body, " \t") != body || strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && isHidden(r)
	}) {
		return "", false
	}
	if ended {
		return "|", true
	}
	return "|-", true
}

// inline returns data on one line.
func inline(d *Data) string {
	switch d.Kind {
	case KindObject:
		parts := make([]string, len(d.Keys))
		for i, key := range d.Keys {
			parts[i] = keyText(key.Value) + ": " + flowed(d.Items[i])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case KindArray:
		parts := make([]string, len(d.Items))
		for i, item := range d.Items {
			parts[i] = flowed(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case KindExpression:
		return "{expr: " + flowed(&Data{Scalar: d.Expr.Value}) + "}"
	case KindScalar:
	}
	switch v := d.Scalar.(type) {
	case string:
		if isPlain(v) {
			return v
		}
		return inQuotes(v)
	case json.Number:
		return string(v)
	}
	return string(d.JSON())
}

// flowed returns data for use inside { } or [ ], where more texts need quotes.
func flowed(d *Data) string {
	if text, isText := d.Scalar.(string); isText && strings.ContainsAny(text, ",[]{}?:") {
		return inQuotes(text)
	}
	return inline(d)
}

var (
	plainKey = wording.Pattern(`^[A-Za-z_$][A-Za-z0-9_.$/-]*$`)
	// wordOfYAML matches texts that some readers of YAML read as a boolean or null.
	wordOfYAML = wording.Pattern(`(?i)^(y|n|yes|no|on|off|true|false|null|~|<<|=)$`)
)

// keyText returns a key with quotes if it needs them.
func keyText(key string) string {
	if plainKey().MatchString(key) && !wordOfYAML().MatchString(key) {
		return key
	}
	return inQuotes(key)
}

// isPlain reports whether a text needs no quotes, for any reader of YAML.
func isPlain(s string) bool {
	if s == "" || strings.TrimSpace(s) != s || wordOfYAML().MatchString(s) || strings.HasSuffix(s, ":") {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.ContainsFunc(s, isHidden) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first) || strings.ContainsRune("_$/(", first)
}

// inQuotes returns a text in quotes: single ones when that saves escapes.
func inQuotes(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsFunc(s, isHidden) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return string(appendYAMLText(nil, s))
}

// isHidden reports whether a character must be written as an escape.
func isHidden(r rune) bool {
	return r != ' ' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Variation_Selector, r))
}

// EncodeData returns data as YAML from which ParseData returns the same: block style, short lists
// of scalars on one line, and quotes for every text that a reader could read as another value.
// Invisible characters are escaped. Equal data gives equal bytes. Limit: YAML parsers cannot read
// a key of more than 1,000 bytes.
func EncodeData(d *Data) []byte {
	if isBlock(d) {
		return appendBlock(nil, d, 0)
	}
	return append(appendInline(nil, d), '\n')
}

// shortList is the maximum length of a list on one line, in bytes.
const shortList = 80

// isBlock reports whether data needs lines of its own.
func isBlock(d *Data) bool {
	if d == nil || len(d.Items) == 0 {
		return false
	}
	switch d.Kind {
	case KindObject:
		return true
	case KindArray:
		for _, item := range d.Items {
			if item != nil && len(item.Items) > 0 {
				return true
			}
		}
		return len(appendInline(nil, d)) > shortList
	case KindScalar, KindExpression:
	}
	return false
}

// appendBlock appends an object or an array, each part on lines of its own.
func appendBlock(dst []byte, d *Data, indent int) []byte {
	margin := strings.Repeat("  ", indent)
	for i, item := range d.Items {
		dst = append(dst, margin...)
		if d.Kind == KindObject {
			dst = append(appendYAMLText(dst, d.Keys[i].Value), ':')
		} else {
			dst = append(dst, '-')
		}
		switch {
		case !isBlock(item):
			dst = append(appendInline(append(dst, ' '), item), '\n')
		case d.Kind == KindArray: // its first line continues after the dash
			dst = append(dst, ' ')
			dst = append(dst, strings.TrimLeft(string(appendBlock(nil, item, indent+1)), " ")...)
		default:
			dst = appendBlock(append(dst, '\n'), item, indent+1)
		}
	}
	return dst
}

// appendInline appends data on one line.
func appendInline(dst []byte, d *Data) []byte {
	switch {
	case d == nil:
		return append(dst, "null"...)
	case d.Kind == KindObject && len(d.Items) == 0:
		return append(dst, "{}"...)
	case d.Kind == KindArray:
		dst = append(dst, '[')
		for i, item := range d.Items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendInline(dst, item)
		}
		return append(dst, ']')
	case d.Kind == KindExpression:
		return append(appendYAMLText(append(dst, "{expr: "...), d.Expr.Value), '}')
	}
	if text, ok := d.Scalar.(string); ok {
		return appendYAMLText(dst, text)
	}
	return d.appendJSON(dst)
}

// plainText matches text that every reader reads as text without quotes, also in flow style.
var plainText = wording.Pattern(`^[A-Za-z_$/][A-Za-z0-9_$./+-]*( [A-Za-z0-9_$./+(][A-Za-z0-9_$./+();'-]*)*$`)

// words are texts that some readers of YAML read as another value.
var words = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
	}
})

// appendYAMLText appends text, plain or in double quotes.
func appendYAMLText(dst []byte, text string) []byte {
	if plainText().MatchString(text) && !words()[strings.ToLower(text)] {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"): // not UTF-8
			dst = append(dst, "\uFFFD"...)
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) && !unicode.Is(unicode.Variation_Selector, r):
			dst = utf8.AppendRune(dst, r)
		case r > 0xFFFF:
			dst = fmt.Appendf(dst, `\U%08X`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04X`, r)
		}
	}
	return append(dst, '"')
}
