package config

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// EncodeData writes data as YAML that ParseData reads back to the same: blocks for what
// has parts, short lists of scalars in one line, and texts quoted wherever a reader
// could take them for something else. What cannot be seen stands as an escape. Equal
// data gives equal bytes. A key beyond 1,000 bytes is written, and cannot be read again:
// YAML's parsers want the : of a key near its begin.
func EncodeData(d *Data) []byte {
	if isBlock(d) {
		return appendBlock(nil, d, 0)
	}
	return append(appendInline(nil, d), '\n')
}

// shortList is how long a list may be that is written in one line, in bytes.
const shortList = 80

// isBlock reports whether data takes lines of its own.
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
		case d.Kind == KindArray: // its first line goes on after the dash
			dst = append(dst, ' ')
			dst = append(dst, strings.TrimLeft(string(appendBlock(nil, item, indent+1)), " ")...)
		default:
			dst = appendBlock(append(dst, '\n'), item, indent+1)
		}
	}
	return dst
}

// appendInline appends what stands in one line.
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

// plainText is text that every reader takes for text when it is not quoted, in a list
// in one line too.
var plainText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$/][A-Za-z0-9_$./+-]*( [A-Za-z0-9_$./+(][A-Za-z0-9_$./+();'-]*)*$`)
})

// words are those that some reader of YAML takes for something else than text.
var words = map[string]bool{
	"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}

// appendYAMLText appends text, plain or in double quotes.
func appendYAMLText(dst []byte, text string) []byte {
	if plainText().MatchString(text) && !words[strings.ToLower(text)] {
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
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"): // no UTF-8
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
