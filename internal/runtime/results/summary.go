package results

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// summary describes a result that a client does not get.
type summary struct {
	Result
	limit int    // maxResultBytes
	uri   string // where the result can be read; "" when it could not be stored
}

const (
	// mostText is how many characters a summary has.
	mostText = 2000
	// mostBytes is how many bytes it has as JSON, so that an answer has less than 4 KB.
	mostBytes = 3000
)

// text returns the summary of a value without secrets.
func (s *summary) text(v value.Value) string {
	d := describe(v)
	out := &limited{}
	out.line(s.outcome())
	if s.uri == "" {
		out.line(fmt.Sprintf("It could not be stored: the run history does not have it, and it does not fit into the %d MiB that stay in memory. "+
			"Raise --history-max-value, or let the tool return less, and call it again.", mostMemory>>20))
	} else {
		uri := strconv.Quote(s.uri)
		out.line(fmt.Sprintf("It is stored. To read a part of it, call %s, for example with {\"uri\": %s, \"select\": %s}: select is a JSONata expression, "+
			"in which $ is the result. Without select, offset and limit page through its JSON, in characters.", ToolName, uri, value.AppendString(nil, d.path)))
	}
	out.line("")
	for _, line := range d.lines {
		out.line(line)
	}
	return out.String()
}

// notice returns the summary of a value without secrets, which has so many bytes, with a link to it.
func (s *summary) notice(v value.Value, bytes int) *server.Notice {
	notice := &server.Notice{Texts: []string{s.text(v)}, Failed: s.Typed}
	if s.uri != "" {
		notice.Link = &server.Resource{URI: s.uri, Name: "result of " + wording.Shorten(s.Tool), MIMEType: "application/json", Size: bytes}
	}
	return notice
}

// outcome says what has happened.
func (s *summary) outcome() string {
	size := fmt.Sprintf("the result of tool %s has %d bytes, and executionLimits.maxResultBytes is %d", wording.Quote(s.Tool), s.Bytes, s.limit)
	if !s.Typed {
		return "This is a summary: " + size + "."
	}
	return "limit: " + size + ". A summary does not fit the tool's outputSchema, so the call is reported as failed; " +
		"its run has finished, and need not be repeated to read the result."
}

// limited is a text of lines that ends with … where it would be too long.
type limited struct {
	strings.Builder
	runes, bytes int // bytes of JSON
	full         bool
}

func (l *limited) line(text string) {
	if l.Len() > 0 {
		text = "\n" + text
	}
	for _, r := range text {
		if l.full {
			return
		}
		bytes := value.Size(string(r)) - len(`""`)
		if l.runes+2 > mostText || l.bytes+bytes+len("…") > mostBytes {
			r, l.full = '…', true
		}
		l.WriteRune(r)
		l.runes++
		l.bytes += bytes
	}
}

// description is what a summary says of a value.
type description struct {
	path  string // an expression that reads an interesting part
	lines []string
}

// The numbers of things that are described.
const (
	mostKeys    = 16 // of an object
	mostSamples = 20 // items of a list whose shape is shown
	mostDepth   = 4
)

func describe(v value.Value) description {
	switch v := v.(type) {
	case []any:
		d := description{path: "$[0]", lines: []string{"The result is an " + typeOf(v) + "."}}
		if len(v) > 0 {
			d.lines = append(d.lines, "The first item: "+jsonOf(v[0]))
		}
		return d
	case value.Object:
		return describeObject(v)
	case string:
		return description{path: "$substring($, 0, 1000)", lines: []string{"The result is a " + typeOf(v) + ". It begins: " + jsonOf(v)}}
	}
	return description{path: "$", lines: []string{"The result is a " + typeOf(v) + ": " + jsonOf(v)}}
}

// describeObject lists the keys, then shows the beginning of the largest member.
func describeObject(o value.Object) description {
	keys := o.Keys()
	lines := []string{"The result is an object with " + wording.Count(len(keys), "key") + ":"}
	largest, most := "", -1
	for i, key := range keys {
		member, _ := o.Get(key)
		if size := value.Size(member); size > most {
			largest, most = key, size
		}
		if i < mostKeys {
			lines = append(lines, "- "+nameOf(key)+": "+typeOf(member))
		}
	}
	if more := len(keys) - mostKeys; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	if most < 0 {
		return description{path: "$", lines: lines}
	}
	member, _ := o.Get(largest)
	d := description{path: pathOf(largest), lines: lines}
	switch member := member.(type) {
	case []any:
		if len(member) > 0 {
			d.lines = append(d.lines, "The first item of "+nameOf(largest)+": "+jsonOf(member[0]))
		}
		if d.path != "$" {
			d.path += "[0]"
		}
	case string:
		d.lines = append(d.lines, nameOf(largest)+" begins: "+jsonOf(member))
		if d.path != "$" {
			d.path = "$substring(" + d.path + ", 0, 1000)"
		}
	default:
		d.lines = append(d.lines, nameOf(largest)+": "+jsonOf(member))
	}
	return d
}

// typeOf names the type of a value, with its length and the shape of what is in it.
func typeOf(v value.Value) string {
	is := shape.OfValue(sample(v, 0)).String()
	switch v := v.(type) {
	case []any:
		text := "array of " + wording.Count(len(v), "item")
		if items, ok := strings.CutPrefix(is, "array of "); ok {
			text += ", each " + items
		}
		return text
	case value.Object:
		return fmt.Sprintf("object with %s, %s", wording.Count(v.Len(), "key"), is)
	case string:
		return "string of " + wording.Count(utf8.RuneCountInString(v), "character")
	}
	return is
}

// sample returns a value with the first items and members of its lists and objects.
func sample(v value.Value, depth int) value.Value {
	switch v := v.(type) {
	case []any:
		items := make([]any, 0, mostSamples)
		for i := 0; i < len(v) && i < mostSamples && depth < mostDepth; i++ {
			items = append(items, sample(v[i], depth+1))
		}
		return items
	case value.Object:
		keys := v.Keys()[:min(v.Len(), mostSamples)]
		members := make([]value.Value, len(keys))
		for i, key := range keys {
			if member, _ := v.Get(key); depth < mostDepth {
				members[i] = sample(member, depth+1)
			} else {
				members[i] = value.Null
			}
		}
		return value.NewObject(keys, members)
	}
	return v
}

// jsonOf returns the beginning of the JSON of a value, as much of it as a summary can have.
func jsonOf(v value.Value) string {
	text, err := value.AppendMost(nil, nil, v, mostBytes)
	if err != nil && !errors.Is(err, value.ErrTooLong) {
		return "a value without a JSON form" // it was read from JSON
	}
	return wording.Truncate(string(text), mostBytes)
}

// isPlain reports whether an expression can read a key by its name alone.
func isPlain(key string) bool {
	other := func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	switch {
	case key == "", key == "and", key == "or", key == "in", key[0] >= '0' && key[0] <= '9':
		return false
	}
	return !strings.ContainsFunc(key, other)
}

// nameOf returns a key as a summary shows it.
func nameOf(key string) string {
	if isPlain(key) {
		return wording.Shorten(key)
	}
	return wording.Quote(key)
}

// pathOf returns an expression that reads a member of the result; "$" when none is simple.
func pathOf(key string) string {
	switch {
	case len(key) > 60 || strings.ContainsAny(key, "`\n\r\t"):
		return "$"
	case isPlain(key):
		return "$." + key
	}
	return "$.`" + key + "`"
}
