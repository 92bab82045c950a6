package config

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxLines is how many lines a file may have: the YAML parser spends most on short ones.
const maxLines = 200_000

var byteOrderMark = []byte("\xef\xbb\xbf")

// cleanText takes the byte order mark off and checks that the rest is text that
// every reader takes for the same: UTF-8 without control characters, hidden direction
// changes and line ends that only some programs honour. One finding a kind is enough.
func cleanText(name string, data []byte) (*source, Diagnostics) {
	var found Diagnostics
	if len(data) > MaxFileBytes {
		return nil, tooLarge(name)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		found.Add(Pos{File: name, Line: 1, Column: 1}, "not-utf-8", "the file is UTF-16, expected UTF-8", "save it as UTF-8")
		return nil, found
	}
	src := newSource(name, bytes.TrimPrefix(data, byteOrderMark))
	if len(src.lines) > maxLines {
		found.Add(Pos{File: name, Line: maxLines, Column: 1}, "file-too-large",
			fmt.Sprintf("the file has %d lines, at most %d are allowed", len(src.lines), maxLines), "split it into several files")
		return src, found
	}
	seen := map[string]bool{}
	for i := 0; i < len(src.data); {
		c := src.data[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src.data[i:])
		code, message, hint := badRune(r, size, src.data[i:])
		if code != "" && !seen[message] {
			seen[message] = true
			found.Add(src.pos(i), code, message, hint)
		}
		if code == "not-utf-8" {
			break
		}
		i += size
	}
	return src, found
}

// badRune tells what is wrong with a character, if anything is.
func badRune(r rune, size int, rest []byte) (code, message, hint string) {
	const control = "control-character"
	switch {
	case r == utf8.RuneError && size <= 1:
		return "not-utf-8", fmt.Sprintf("the byte 0x%02X is not UTF-8", rest[0]), "save the file as UTF-8"
	case r == '\r':
		if len(rest) > 1 && rest[1] == '\n' {
			return "", "", ""
		}
		return control, "found a carriage return alone, expected line ends of \\n or \\r\\n", "save the file with \\n line ends"
	case r == 0:
		return control, "found a NUL character, expected text", "save the file as UTF-8 text"
	case r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff:
		return control, fmt.Sprintf("found the control character U+%04X", r), fmt.Sprintf(`remove it, or write "\u%04x" in double quotes`, r)
	case r == 0x2028 || r == 0x2029:
		return control, fmt.Sprintf("found the line separator U+%04X, which not every program takes for a line end", r),
			fmt.Sprintf(`write a plain line end, or "\u%04x" in double quotes`, r)
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return "hidden-character", fmt.Sprintf("found U+%04X, which changes the direction of text without being seen", r),
			fmt.Sprintf(`remove it, or write "\u%04x" in double quotes`, r)
	case r == 0xfeff:
		return "hidden-character", "found a byte order mark inside the file", "remove it"
	}
	return "", "", ""
}
