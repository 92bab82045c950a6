package jsonata

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// replace is $replace(text, pattern, replacement, limit).
func replace(c call) (any, error) {
	if c.args[1] == "" {
		return nil, c.fail("D3010", "cannot replace an empty string")
	}
	limit, err := c.limit(3, "D3011")
	if err != nil {
		return nil, err
	}
	r := replacing{c: &c, text: c.args[0].(string), limit: limit}
	by := r.byFunction
	template, isTemplate := c.arg(2).(string)
	switch c.args[1].(type) {
	case string:
		if isTemplate {
			by = func([]int) (string, error) { return template, nil }
		}
	case *regex:
		if isTemplate {
			t := templateOf(template)
			by = func(loc []int) (string, error) { return t.expand(r.text, loc), nil }
		}
	default:
		return nil, c.wrong(1, "a string or a regular expression")
	}
	s, err := c.search(c.args[1], r.text)
	if err != nil {
		return nil, err
	}
	return r.matches(s, by)
}

// replacing builds the new text.
type replacing struct {
	c     *call
	text  string
	limit int
	out   strings.Builder
	done  int // bytes of text that are in out
	count int
}

// put replaces the match at loc.
func (r *replacing) put(loc []int, by func([]int) (string, error)) error {
	s, err := by(loc)
	if err != nil {
		return err
	}
	r.count++
	if r.out.Len()+loc[0]-r.done+len(s) > maxText {
		return r.c.tooLong()
	}
	if err := r.c.Make(loc[0] - r.done + len(s)); err != nil {
		return err
	}
	r.out.WriteString(r.text[r.done:loc[0]])
	r.out.WriteString(s)
	r.done = loc[1]
	return nil
}

func (r *replacing) rest() (any, error) {
	if r.count == 0 {
		return r.text, nil
	}
	if r.out.Len()+len(r.text)-r.done > maxText {
		return nil, r.c.tooLong()
	}
	if err := r.c.Make(len(r.text) - r.done); err != nil {
		return nil, err
	}
	r.out.WriteString(r.text[r.done:])
	return r.out.String(), nil
}

func (r *replacing) matches(s *search, by func([]int) (string, error)) (any, error) {
	loc, err := s.next()
	for loc != nil && err == nil && r.count < r.limit {
		if err := r.put(loc, by); err != nil {
			return nil, err
		}
		loc, err = s.next()
	}
	if err != nil {
		return nil, err
	}
	return r.rest()
}

// byFunction asks the expression's own function for the replacement.
func (r *replacing) byFunction(loc []int) (string, error) {
	if err := r.c.Read(loc[1]); err != nil { // to count its characters
		return "", err
	}
	found := value.NewMap()
	found.Set("match", r.text[loc[0]:loc[1]])
	found.Set("start", float64(utf8.RuneCountInString(r.text[:loc[0]])))
	found.Set("end", float64(utf8.RuneCountInString(r.text[:loc[1]])))
	found.Set("groups", captured(r.text, loc))
	value, err := r.c.apply(r.c.args[2], []any{found}, value.Null)
	if err != nil {
		return "", err
	}
	s, ok := value.(string)
	if !ok {
		return "", r.c.fail("D3012", "expects its function to return a string")
	}
	return s, nil
}

// template is a replacement with $0, $1 … for the match and its groups, and $$ for
// a dollar.
type template []templatePart

type templatePart struct {
	text   string
	digits string // after a dollar: which group, then perhaps text
}

func templateOf(text string) template {
	var t template
	for {
		before, after, ok := strings.Cut(text, "$")
		if !ok {
			return append(t, templatePart{text: text})
		}
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		switch {
		case n > 0:
			t = append(t, templatePart{text: before, digits: after[:n]})
			text = after[n:]
		case strings.HasPrefix(after, "$"):
			t = append(t, templatePart{text: before + "$"})
			text = after[1:]
		default:
			t = append(t, templatePart{text: before + "$"})
			text = after
		}
	}
}

func (t template) expand(text string, loc []int) string {
	if len(t) == 1 {
		return t[0].text
	}
	var b strings.Builder
	for _, part := range t {
		b.WriteString(part.text)
		if part.digits != "" {
			part.group(&b, text, loc)
		}
	}
	return b.String()
}

// group writes the group that the digits mean: as many of them as groups have
// digits, one less when there is no such group; the rest is text.
func (p *templatePart) group(b *strings.Builder, text string, loc []int) {
	last := len(loc)/2 - 1
	if p.digits[0] == '0' {
		b.WriteString(text[loc[0]:loc[1]])
		b.WriteString(p.digits[1:])
		return
	}
	n := min(len(strconv.Itoa(max(1, last))), len(p.digits))
	group, err := strconv.Atoi(p.digits[:n])
	if err == nil && n > 1 && group > last {
		n--
		group, err = strconv.Atoi(p.digits[:n])
	}
	if err == nil && group <= last && loc[2*group] >= 0 {
		b.WriteString(text[loc[2*group]:loc[2*group+1]])
	}
	b.WriteString(p.digits[n:])
}
