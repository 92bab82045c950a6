package completion

import (
	"strings"
	"unicode/utf8"
)

// maxOpen bounds how many brackets may be open at once.
const maxOpen = 60

// quoted reads a text in quotes, up to most, and returns the byte behind it. One that is not closed
// ends with its line.
func (o *outline) quoted(at, most int) (text string, behind int) {
	quote := o.src[at]
	var b strings.Builder
	for i := at + 1; i < most; i++ {
		o.steps++
		c := o.src[i]
		switch {
		case c == quote && quote == '\'' && i+1 < most && o.src[i+1] == '\'':
			i++
		case c == quote:
			return b.String(), i + 1
		case c == '\\' && quote == '"' && i+1 < most && o.src[i+1] < utf8.RuneSelf:
			i++
			if c = o.src[i]; c == 'n' || c == 't' {
				c = ' '
			}
		}
		b.WriteByte(c)
	}
	end := min(o.lineEnd(at), most)
	return strings.TrimSuffix(o.src[at+1:end], "\r"), end
}

// flow reads a value in brackets, up to most, and returns the byte behind it.
func (o *outline) flow(of *item, at, most, depth int) int {
	of.column, of.from = -1, at
	switch c := o.src[at]; {
	case depth > maxOpen:
		return most
	case c == '{' || c == '[':
		of.kind, of.items = mapping, nil
		if c == '[' {
			of.kind = sequence
		}
		return o.entries(of, at+1, most, depth)
	case c == '\'' || c == '"':
		text, next := o.quoted(at, most)
		o.set(of, text)
		return next
	}
	text, next := o.plain(at, most)
	o.set(of, text)
	return next
}

// entries reads the parts between brackets, and returns the byte behind the closing one.
func (o *outline) entries(of *item, at, most, depth int) int {
	for at < most {
		o.steps++
		switch c := o.src[at]; {
		case c == '}' || c == ']':
			return at + 1
		case c == ' ' || c == ',' || c == '\n' || c == '\r' || c == ':':
			at++
			continue
		case c == '#' && o.src[at-1] != ':':
			at = min(o.lineEnd(at), most)
			continue
		}
		if of.kind == sequence {
			at = max(at+1, o.flow(of.add(&item{at: at}, sequence), at, most, depth+1))
			continue
		}
		at = max(at+1, o.entry(of, at, most, depth))
	}
	return at
}

// entry reads a key in brackets, with its value.
func (o *outline) entry(of *item, at, most, depth int) int {
	child := &item{at: at, from: at, column: -1}
	var next int
	if c := o.src[at]; c == '\'' || c == '"' {
		child.key, next = o.quoted(at, most)
	} else {
		child.key, next = o.plain(at, most)
	}
	if strings.Contains(child.key, mark) {
		o.found(of, true, child.key)
	}
	for next < most && o.src[next] == ' ' {
		next++
	}
	if next >= most || o.src[next] != ':' {
		if !strings.Contains(child.key, mark) {
			of.add(child, mapping)
		}
		return next
	}
	of.add(child, mapping)
	for next++; next < most && (o.src[next] == ' ' || o.src[next] == '\n' || o.src[next] == '\r'); next++ {
		o.steps++
	}
	if next >= most || o.src[next] == ',' || o.src[next] == '}' || o.src[next] == ']' {
		child.from = next
		return next
	}
	return o.flow(child, next, most, depth+1)
}

// plain reads a text without quotes in brackets.
func (o *outline) plain(at, most int) (text string, behind int) {
	for i := at; i < most; i++ {
		o.steps++
		switch c := o.src[i]; {
		case c == ',' || c == '}' || c == ']' || c == '\n' || c == '{' || c == '[',
			c == ':' && (i+1 == most || strings.IndexByte(" \n,}", o.src[i+1]) >= 0 || strings.HasPrefix(o.src[i+1:], mark)),
			c == '#' && i > at && o.src[i-1] == ' ':
			return strings.TrimRight(o.src[at:i], " \r"), i
		}
	}
	return strings.TrimRight(o.src[at:most], " \r"), most
}
