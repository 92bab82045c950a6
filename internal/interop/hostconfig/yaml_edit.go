package hostconfig

import (
	"bytes"
	"slices"
	"strings"

	"toolgraph/config"
)

// yamlEditor changes one entry of a block mapping, line by line, so that every byte outside of it stays,
// whatever it means in YAML.
type yamlEditor struct {
	layout
	path, key string
	src       []byte
	lines     []string // with their ends
}

// editYAML is the edit of yamlSyntax. The wanted key is that of the mapping of entries, of which one
// differs in want.
func editYAML(path string, src []byte, want *config.Data, wanted []string) ([]byte, error) {
	e := &yamlEditor{layout: layoutOf(src), path: path, key: wanted[0], src: src, lines: lines(src)}
	old, err := readYAML(path, src)
	if err != nil {
		return nil, err
	}
	entries, before := want.Get(e.key), old.Get(e.key)
	at := slices.IndexFunc(entries.Keys, func(key config.Text) bool { return !same(before.Get(key.Value), entries.Get(key.Value)) })
	var name string
	var entry *config.Data // nil: it is removed
	if at >= 0 {
		name, entry = entries.Keys[at].Value, entries.Items[at]
	} else if at = slices.IndexFunc(keysOf(before), func(key config.Text) bool { return entries.Get(key.Value) == nil }); at < 0 {
		return src, nil
	} else {
		name = before.Keys[at].Value
	}
	if first := old.Pos; len(old.Keys) > 0 && first.Line <= len(e.lines) && strings.HasPrefix(strings.TrimLeft(e.lines[first.Line-1], " -"), "{") {
		return nil, &placedError{first, "the file is written in { }, in which no entry is changed alone; write it with one key a line, without the outer { }, and run this again"}
	}
	if before == nil {
		return e.withKey(name, entry), nil
	}
	top := slices.IndexFunc(old.Keys, func(key config.Text) bool { return key.Value == e.key })
	return e.withEntry(old, old.Keys[top].Pos, before, name, entry)
}

// keysOf returns the keys of a mapping, which may be nil.
func keysOf(d *config.Data) []config.Text {
	if d == nil {
		return nil
	}
	return d.Keys
}

// withKey returns the file with the mapping at its end.
func (e *yamlEditor) withKey(name string, entry *config.Data) []byte {
	text := newObject().With(e.key, newObject().With(name, entry))
	body := e.src
	if len(body) > 0 && body[len(body)-1] != '\n' {
		body = slices.Concat(body, []byte(e.newline))
	}
	return slices.Concat(body, []byte(e.block(text, "")))
}

// withEntry returns the file with an entry in the mapping whose key is at a place: a new one is the first. Without an
// entry, the one of this name is removed.
func (e *yamlEditor) withEntry(root *config.Data, place config.Pos, before *config.Data, name string, entry *config.Data) ([]byte, error) {
	line := e.lines[place.Line-1]
	rest, found := strings.CutPrefix(strings.TrimLeft(strings.Trim(strings.TrimLeft(line, " "), "\"'"), " "), e.key)
	rest, colon := strings.CutPrefix(strings.TrimLeft(strings.TrimLeft(rest, "\"'"), " "), ":")
	value, _, _ := strings.Cut(" "+strings.TrimSpace(rest), " #")
	empty := len(before.Keys) == 0
	switch value = strings.TrimSpace(value); {
	case !found || !colon:
		return nil, &placedError{place, e.key + " is written in an unusual way; write " + e.key + ": on a line of its own, and run this again"}
	case value == "", empty && (value == "{}" || value == "~" || value == "null"):
	case value[0] == '*' || value[0] == '&' || value[0] == '!':
		return nil, &placedError{place, e.key + " is an alias, an anchor or has a tag, so that a change is not of one entry alone; write its entries out below it, one key a line, and run this again"}
	default:
		return nil, &placedError{place, e.key + " is written in { }, in which no entry is changed alone; write its entries below it, one key a line, and run this again"}
	}
	from := place.Line // the index of the line after that of the key
	if empty && value != "" {
		fresh := strings.Replace(line, value, "", 1)
		if at := strings.Index(line, ":"); at >= 0 {
			fresh = line[:at+1] + strings.Replace(line[at+1:], value, "", 1)
		}
		e.lines[place.Line-1] = strings.TrimRight(fresh, " \r\n") + e.newline
	} else if !strings.HasSuffix(line, "\n") {
		e.lines[place.Line-1] += e.newline
	}
	indent := indentOfLine(line) + e.unit
	for at := from; at < len(e.lines) && !empty; at++ {
		if isContent(e.lines[at]) {
			indent = indentOfLine(e.lines[at])
			break
		}
	}
	if before.Get(name) == nil {
		return e.spliced(from, from, e.block(newObject().With(name, entry), indent)), nil
	}
	return e.changed(root, place, before, name, entry, indent)
}

// changed returns the file with another value of an entry that it has, or without it.
func (e *yamlEditor) changed(root *config.Data, place config.Pos, before *config.Data, name string, entry *config.Data, indent string) ([]byte, error) {
	at := slices.IndexFunc(before.Keys, func(key config.Text) bool { return key.Value == name })
	own := before.Keys[at].Pos
	end := len(e.lines) // of the mapping
	for _, key := range root.Keys {
		if key.Pos.Line > place.Line {
			end = min(end, key.Pos.Line-1)
		}
	}
	if own.Line <= place.Line || own.Line > end || own.Column != len(indent)+1 {
		return nil, &placedError{place, "the entry comes from a merge key (<<) or an alias; write the entry out in " + e.key + ", or choose another name with --name"}
	}
	from, to := own.Line-1, own.Line
	for i := to; i < end; i++ {
		deeper := len(indentOfLine(e.lines[i])) > len(indent)
		if deeper && strings.TrimSpace(e.lines[i]) != "" {
			to = i + 1
		} else if isContent(e.lines[i]) {
			break
		}
	}
	if entry == nil {
		if len(before.Keys) == 1 {
			e.lines[place.Line-1] = strings.TrimRight(e.lines[place.Line-1], " \r\n") + " {}" + e.newline
		}
		return e.spliced(from, to, ""), nil
	}
	head := e.key + ":" + e.newline
	text, err := config.Rewrite(e.path, []byte(head+strings.Join(e.lines[from:to], "")), newObject().With(e.key, newObject().With(name, entry)))
	if err != nil || !bytes.HasPrefix(text, []byte(head)) {
		return nil, &placedError{own, "this entry is written in a way in which it cannot be changed (an alias, a merge key, or a text in a block | with +); remove the entry, and run this again"}
	}
	return e.spliced(from, to, string(text[len(head):])), nil
}

// spliced returns the file with a text in the place of some lines.
func (e *yamlEditor) spliced(from, to int, text string) []byte {
	if to < len(e.lines) && text != "" && !strings.HasSuffix(text, "\n") {
		text += e.newline
	}
	return []byte(strings.Join(e.lines[:from], "") + text + strings.Join(e.lines[to:], ""))
}

// block returns data as lines with an indentation.
func (e *yamlEditor) block(d *config.Data, indent string) string {
	var out strings.Builder
	for line := range strings.Lines(string(config.EncodeData(d))) {
		if text := strings.TrimRight(line, "\n"); text != "" {
			out.WriteString(indent + text)
		}
		out.WriteString(e.newline)
	}
	return out.String()
}

func indentOfLine(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// isContent reports whether a line is more than white space and a comment.
func isContent(line string) bool {
	text := strings.TrimSpace(line)
	return text != "" && text[0] != '#'
}
