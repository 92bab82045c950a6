package expressions

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// replace is $replace(text, pattern, replacement, limit).
func replace(c call) (any, error) {
	text, isText := c.arg(0).(string)
	literal, isLiteral := c.arg(1).(string)
	value, isPattern := c.arg(1).(map[string]any)
	isPattern = isPattern && isRegex(value)
	template, isTemplate := c.arg(2).(string)
	if !isText || !isLiteral && !isPattern || isLiteral && literal == "" || !isTemplate && !isFunction(c.arg(2)) || isNull(c.arg(2)) {
		return c.engine("replace", c.args)
	}
	if len(c.args) > 3 && c.args[3] == nil {
		return nil, c.wrong(3, "a number")
	}
	limit, err := c.limit(3, "D3011")
	if err != nil {
		return nil, err
	}
	r := replacing{c: &c, text: text, limit: limit}
	switch {
	case isLiteral && isTemplate:
		return r.literals(literal, func([]int) (string, error) { return template, nil })
	case isLiteral:
		return r.literals(literal, r.byFunction)
	}
	s, err := c.search(value, text)
	if err != nil {
		return nil, err
	}
	if isTemplate {
		t := templateOf(template)
		return r.matches(s, func(loc []int) (string, error) { return t.expand(text, loc), nil })
	}
	return r.matches(s, r.byFunction)
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
	if r.count++; r.count%spendEvery == 0 {
		if err := r.c.spend(); err != nil {
			return err
		}
	}
	if r.out.Len()+loc[0]-r.done+len(s) > MaxText {
		return r.c.tooLong()
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
	if r.out.Len()+len(r.text)-r.done > MaxText {
		return nil, r.c.tooLong()
	}
	r.out.WriteString(r.text[r.done:])
	return r.out.String(), nil
}

func (r *replacing) literals(literal string, by func([]int) (string, error)) (any, error) {
	for r.count < r.limit {
		i := strings.Index(r.text[r.done:], literal)
		if i < 0 {
			break
		}
		i += r.done
		if err := r.put([]int{i, i + len(literal)}, by); err != nil {
			return nil, err
		}
	}
	return r.rest()
}

func (r *replacing) matches(s *search, by func([]int) (string, error)) (any, error) {
	for r.count < r.limit {
		loc, err := s.next()
		if err != nil {
			return nil, err
		}
		if loc == nil {
			break
		}
		if loc[0] == loc[1] {
			return nil, r.c.fail("D1004", "has a regular expression that matches an empty text")
		}
		if err := r.put(loc, by); err != nil {
			return nil, err
		}
	}
	return r.rest()
}

// byFunction asks the expression's own function for the replacement.
func (r *replacing) byFunction(loc []int) (string, error) {
	object := newOrdered()
	object.Set("match", r.text[loc[0]:loc[1]])
	object.Set("start", float64(utf8.RuneCountInString(r.text[:loc[0]])))
	object.Set("end", float64(utf8.RuneCountInString(r.text[:loc[1]])))
	object.Set("groups", captured(r.text, loc))
	value, err := r.c.apply(r.c.args[2], object)
	if err != nil {
		return "", err
	}
	s, ok := value.(string)
	if !ok {
		return "", r.c.fail("D3012", "expects its function to give a string")
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
