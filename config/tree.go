package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v4"
)

// parseTree returns the root of a file's one document, or findings.
func parseTree(src *source) (*yaml.Node, Diagnostics) {
	var found Diagnostics
	dec := yaml.NewDecoder(bytes.NewReader(src.data))
	first, err := decodeNode(dec)
	if errors.Is(err, io.EOF) {
		found.Add(Pos{File: src.name, Line: 1, Column: 1}, "empty-file", "the file is empty, expected a mapping", "toolgraph init writes a file to start from")
		return nil, found
	}
	if err != nil {
		return nil, syntaxFinding(src, err)
	}
	second, err := decodeNode(dec)
	switch {
	case errors.Is(err, io.EOF):
		if len(first.Content) == 0 {
			return &yaml.Node{Kind: yaml.ScalarNode, Line: 1, Column: 1}, nil
		}
		return first.Content[0], nil
	case err != nil:
		return nil, syntaxFinding(src, err)
	}
	line := documentStart(src, second.Line)
	found.Add(Pos{File: src.name, Line: line, Column: 1}, "second-document",
		fmt.Sprintf("the file has a second document at line %d, expected one", line), "remove the line ---, or put the rest into a file of its own").Fixed(removeLine(src, line))
	return nil, found
}

// documentStart returns the line of the --- above a document's first line.
func documentStart(src *source, line int) int {
	for n := line; n > 1; n-- {
		if bytes.HasPrefix(src.line(n), []byte("---")) {
			return n
		}
	}
	return line
}

// decodeNode decodes a node; a panic of the parser becomes an error.
func decodeNode(dec *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, errors.New("yaml: the text cannot be read as YAML")
		}
	}()
	doc = new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// parserProblems are messages for errors of the parser, by a part of its text. None repeats text
// of the file.
var parserProblems = []struct{ problem, message, hint string }{
	{"mapping values are not allowed", "found a second \": \" in one value, or a key that is indented differently from its neighbours", "quote the value, or align the key"},
	{"did not find expected key", "found something else where \"key: value\" was expected", "check the indentation and the quotes here and in the lines above"},
	{"did not find expected '-' indicator", "found something that does not begin with \"- \" in a list", "check the indentation here and in the lines above"},
	{"did not find expected ',' or ']'", "found a list in [ ] that goes on without \",\" or \"]\"", "close the list"},
	{"did not find expected ',' or '}'", "found a mapping in { } that goes on without \",\" or \"}\"", "close the mapping, or quote the value: within { } one with [ ], { } or a comma in it, such as list[0].name, needs quotes"},
	{"did not find expected node content", "found nothing where a value was expected", "write a value"},
	{"could not find expected ':'", "found a line that is neither \"key: value\" nor part of the value above", "add \":\", or indent it"},
	{"found unexpected end of stream", "found the end of the file inside quotes", "close the quotes"},
	{"found unexpected document indicator", "found --- or ... inside quotes", "close the quotes"},
	{"unknown anchor", "found an alias (*name) without an anchor (&name) before it", "define the anchor above, or quote the text"},
	{"found character that cannot start any token", "found a character that no value can begin with", "quote the value"},
	{"found unknown escape character", "found an unknown escape after \\ in double quotes", "write \\\\ for a backslash, or use single quotes"},
	{"exceeded max depth", "found values nested too deep, at most 64 levels are allowed", ""},
	{"incompatible YAML", "found a %YAML line, expected none", "remove the line"},
	{"directive", "found a line that begins with %, which YAML takes for a directive", "quote the text"},
	{"found a tab", "found a tab in the indentation, expected spaces", "tabs are not allowed for indentation, write spaces"},
}

// syntaxFinding returns the finding for an error of the parser.
func syntaxFinding(src *source, err error) Diagnostics {
	problem, line := err.Error(), 1
	var failed *yaml.LoadError
	if errors.As(err, &failed) {
		problem = failed.Message
		line = min(max(failed.Mark.Line, 1), len(src.lines))
	}
	var found Diagnostics
	if strings.Contains(problem, "tab character") || strings.Contains(problem, "cannot start any token") {
		if at, ok := indentingTab(src, line-1); ok {
			found.Add(at, syntaxCode, "found a tab in the indentation, expected spaces", "tabs are not allowed for indentation, write spaces").Fixed(lineFixes(src, at.Line)...)
			return found
		}
	}
	code := syntaxCode
	message, hint := "the text cannot be read as YAML", "check the indentation and the quotes here and in the lines above"
	for _, w := range parserProblems {
		if strings.Contains(problem, w.problem) {
			message, hint = w.message, w.hint
			if w.problem == "exceeded max depth" {
				code = "too-deep"
			}
			break
		}
	}
	if at := brokenLine(src, line); at > 0 {
		line = at
	}
	text := src.line(line)
	indent := len(text) - len(bytes.TrimLeft(text, " \t"))
	if indent == len(text) {
		indent = 0
	}
	if missing := spaceHint(strings.TrimPrefix(strings.TrimSpace(string(text)), "- ")); missing != "" && code == syntaxCode {
		hint = missing
	}
	bad := found.Add(Pos{File: src.name, Line: line, Column: indent + 1}, code, message, hint)
	if code == syntaxCode {
		bad.Fixed(lineFixes(src, line)...)
	}
	return found
}

// brokenLine returns the line after the longest prefix of whole lines that can be parsed: the
// line from, the parser's own, is often that of the block around the error. Where a value in brackets or quotes has
// several lines, the line can be the one at which such a value begins. It returns 0 when the search would
// take too long.
func brokenLine(src *source, from int) int {
	const most = 8 << 20 // bytes read in all
	read := 0
	parses := func(lines int) bool {
		above := src.data[:src.lines[lines]]
		read += len(above)
		_, err := decodeNode(yaml.NewDecoder(bytes.NewReader(above)))
		return err == nil || errors.Is(err, io.EOF)
	}
	bad, step := from, 1
	if bad < len(src.lines) && parses(bad) {
		bad = len(src.lines)
	}
	good := bad - 1
	for ; good > 0 && !parses(good); step *= 2 {
		bad, good = good, max(good-step, 0)
	}
	for bad-good > 1 && read <= most {
		if middle := (good + bad) / 2; parses(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	if read > most {
		return 0
	}
	return good + 1
}

// indentingTab returns the first tab in an indentation, starting at a line.
func indentingTab(src *source, from int) (Pos, bool) {
	for n := max(from, 1); n <= len(src.lines); n++ {
		text := src.line(n)
		indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(indent) < len(text) {
			return Pos{File: src.name, Line: n, Column: tab + 1}, true
		}
	}
	return Pos{}, false
}

// jsonAsYAML replaces the escapes of JSON that the YAML parser does not know, \/ and pairs of
// surrogates. Text that is not JSON is returned unchanged. Columns after a replaced escape are
// too small by the difference.
func jsonAsYAML(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\/`)) && !bytes.Contains(data, []byte(`\u`)) || !json.Valid(data) {
		return data
	}
	var out bytes.Buffer
	for i := 0; i < len(data); {
		switch {
		case data[i] != '\\':
			out.WriteByte(data[i])
			i++
		case data[i+1] == '/': // valid JSON never ends in a backslash
			out.WriteByte('/')
			i += 2
		default:
			if r, ok := surrogates(data[i:]); ok {
				fmt.Fprintf(&out, `\U%08x`, r)
				i += 12
				continue
			}
			out.Write(data[i : i+2])
			i += 2
		}
	}
	return out.Bytes()
}

// surrogates returns the character of \uXXXX\uXXXX at the start of text.
func surrogates(text []byte) (rune, bool) {
	if len(text) < 12 || text[1] != 'u' || text[6] != '\\' || text[7] != 'u' {
		return 0, false
	}
	high, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	if err != nil {
		return 0, false
	}
	low, err := strconv.ParseUint(string(text[8:12]), 16, 32)
	if err != nil {
		return 0, false
	}
	r := utf16.DecodeRune(rune(high), rune(low))
	return r, r != '\ufffd'
}
