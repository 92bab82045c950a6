package jsonata

import (
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// match is $match(text, pattern, limit): {match, index, groups} of each match, the
// index in characters.
func match(c call) (any, error) {
	text := c.args[0].(string)
	limit, err := c.limit(2, "D3040")
	if err != nil || limit == 0 {
		return sequenceOf(nil), err
	}
	switch p := c.arg(1).(type) {
	case *regex:
		return matchAll(c, p, text, limit)
	case string: // which jsonata-js does not have
		if p == "" {
			return nil, c.fail("D1004", "has a pattern that matches the empty string")
		}
		return matchAll(c, p, text, limit)
	case nil:
		return nil, c.wrong(1, "a function")
	}
	return matchBy(c, text, limit)
}

func matchAll(c call, by any, text string, limit int) (any, error) {
	s, err := c.search(by, text)
	if err != nil {
		return nil, err
	}
	at := runes{text: text}
	var out []any
	loc, err := s.next()
	for loc != nil && err == nil && len(out) < limit {
		if len(out) > maxItems {
			return nil, c.tooMany()
		}
		out = append(out, matched(text[loc[0]:loc[1]], float64(at.index(loc[0])), captured(text, loc)))
		loc, err = s.next()
	}
	return sequenceOf(out), err
}

// matchBy asks a function of the expression for the matches: it gives one with start,
// end, groups and next, the function that gives the one behind it.
func matchBy(c call, text string, limit int) (any, error) {
	var out []any
	found, err := c.matcher(c.args[1], text)
	for found != nil && err == nil && len(out) < limit {
		out = append(out, matched(c.field(found, "match"), c.field(found, "start"), c.field(found, "groups")))
		found, err = c.matcher(c.field(found, "next"))
	}
	return sequenceOf(out), err
}

// matcher calls a function that finds matches.
func (c *call) matcher(fn any, args ...any) (any, error) {
	found, err := c.apply(fn, args, value.Null)
	if err != nil || found == nil {
		return nil, err
	}
	_, start := number(c.field(found, "start"))
	_, end := number(c.field(found, "end"))
	_, groups := itemsOf(c.field(found, "groups"))
	if !start && !end && !groups && !isFunction(c.field(found, "next")) {
		return nil, c.fail("T1010", "has a matcher that does not return what a regular expression does")
	}
	return found, c.Cause()
}

// field is a field of what a matcher returned; undefined once the meter has ended.
func (c *call) field(v any, key string) any {
	found, _ := c.lookup(v, key)
	return found
}

func matched(text, index, groups any) any {
	made := value.NewMap()
	made.Set("match", text)
	made.Set("index", index)
	made.Set("groups", groups)
	return made
}

// runes counts characters up to places that only grow, in linear time.
type runes struct {
	text        string
	byte, count int
}

func (r *runes) index(pos int) int {
	r.count += utf8.RuneCountInString(r.text[r.byte:pos])
	r.byte = pos
	return r.count
}

// contains is $contains(text, pattern).
func contains(c call) (any, error) {
	text := c.args[0].(string)
	switch p := c.arg(1).(type) {
	case nil:
		return nil, nil
	case string:
		return strings.Contains(text, p), nil
	case *regex:
		if len(text)*p.pattern.size <= maxWork {
			return p.pattern.MatchString(text), c.Spend(len(text) * p.pattern.size >> 8)
		}
		r := &spender{Reader: strings.NewReader(text), meter: &c.Meter, each: p.pattern.size}
		found := p.pattern.MatchReader(r)
		return found, r.err
	}
	found, err := c.matcher(c.args[1], text)
	return found != nil, err
}

func splitByPattern(c call, r *regex, text string, limit int) (any, error) {
	s, err := c.search(r, text)
	if err != nil {
		return nil, err
	}
	parts := []any{}
	start := 0
	loc, err := s.next()
	for loc != nil && err == nil && len(parts) < limit {
		parts = append(parts, text[start:loc[0]])
		start = loc[1]
		loc, err = s.next()
	}
	if len(parts) < limit {
		parts = append(parts, text[start:])
	}
	return parts, err
}
