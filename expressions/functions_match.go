package expressions

import (
	"strings"
	"unicode/utf8"
)

// match is $match(text, pattern, limit): {match, index, groups} of each match, the
// index in characters.
func match(c call) (any, error) {
	text, isText := c.arg(0).(string)
	value, isPattern := c.arg(1).(map[string]any)
	if !isText || !isPattern || !isRegex(value) {
		if literal, ok := c.arg(1).(string); ok && isText {
			return matchLiteral(c, text, literal)
		}
		return c.engine("match", c.args)
	}
	limit, err := c.limit(2, "D3040")
	if err != nil {
		return nil, err
	}
	s, err := c.search(value, text)
	if err != nil {
		return nil, err
	}
	at := runes{text: text}
	var out []any
	for len(out) < limit {
		loc, err := s.next()
		if err != nil {
			return nil, err
		}
		if loc == nil {
			break
		}
		if loc[0] == loc[1] {
			return nil, c.fail("D1004", "has a regular expression that matches an empty text")
		}
		out = append(out, matched(text[loc[0]:loc[1]], at.index(loc[0]), captured(text, loc)))
	}
	return sequence(out), nil
}

func matchLiteral(c call, text, literal string) (any, error) {
	limit, err := c.limit(2, "D3040")
	if err != nil {
		return nil, err
	}
	if literal == "" {
		return nil, c.fail("D1004", "has a pattern that matches an empty text")
	}
	at := runes{text: text}
	var out []any
	for pos := 0; len(out) < limit; {
		i := strings.Index(text[pos:], literal)
		if i < 0 {
			break
		}
		if len(out) > maxItems {
			return nil, c.tooMany()
		}
		if len(out)%256 == 0 {
			if err := c.spend(); err != nil {
				return nil, err
			}
		}
		out = append(out, matched(literal, at.index(pos+i), []any{}))
		pos += i + len(literal)
	}
	return sequence(out), nil
}

func matched(text string, index int, groups []any) any {
	object := newOrdered()
	object.Set("match", text)
	object.Set("index", float64(index))
	object.Set("groups", groups)
	return object
}

// sequence is JSONata's: nothing, the one item, or all.
func sequence(items []any) any {
	switch len(items) {
	case 0:
		return nil
	case 1:
		return items[0]
	}
	return items
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
	args := c.args
	if len(args) == 1 && c.focus != nil {
		args = []any{c.focus, args[0]} // as a step of a path
	}
	if len(args) != 2 {
		return c.engine("contains", c.args)
	}
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	text, isText := args[0].(string)
	if !isText {
		// The engine looks into arrays, jsonata-js does not.
		return nil, c.wrong(0, "a string")
	}
	value, isPattern := args[1].(map[string]any)
	if !isPattern || !isRegex(value) {
		return c.engine("contains", args)
	}
	p, err := patternOf(value)
	if err != nil {
		return nil, c.fail("D3137", "has a regular expression that cannot be used")
	}
	if len(text)*p.size <= maxWork {
		return p.MatchString(text), nil
	}
	r := &spender{Reader: strings.NewReader(text), ev: c.evaluation}
	found := p.MatchReader(r)
	return found, r.err
}

// find is what text ~> /pattern/ is rewritten to: the first match.
func find(c call) (any, error) {
	text, isText := c.arg(0).(string)
	value, isPattern := c.arg(1).(map[string]any)
	if !isText || !isPattern {
		return nil, nil
	}
	p, err := patternOf(value)
	if err != nil {
		return nil, c.fail("D3137", "has a regular expression that cannot be used")
	}
	s := search{c: &c, pattern: p, text: text}
	loc, err := s.find()
	if loc == nil || err != nil {
		return nil, err
	}
	at := runes{text: text}
	object := newOrdered()
	object.Set("match", text[loc[0]:loc[1]])
	object.Set("start", float64(at.index(loc[0])))
	object.Set("end", float64(at.index(loc[1])))
	object.Set("groups", captured(text, loc))
	return object, nil
}

func splitByPattern(c call, text string, limit int) (any, error) {
	value, _ := c.arg(1).(map[string]any)
	s, err := c.search(value, text)
	if err != nil {
		return nil, err
	}
	parts := []any{}
	start := 0
	for len(parts) < limit {
		loc, err := s.next()
		if err != nil {
			return nil, err
		}
		if loc == nil {
			return append(parts, text[start:]), nil
		}
		if loc[0] == loc[1] {
			return nil, c.fail("D1004", "has a regular expression that matches an empty text")
		}
		parts = append(parts, text[start:loc[0]])
		start = loc[1]
	}
	return parts, nil
}
