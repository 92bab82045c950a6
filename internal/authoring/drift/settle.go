package drift

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// settle returns the present answer, the first of two, with the recorded value in each place where the two differ: times,
// ids and counters are other ones with each call. A kind that both have counts, whatever was recorded. Lists are compared
// item by item; the order of an object's keys is that of the recorded one.
func settle(was, one, two value.Value) value.Value {
	before, first, second := kindOf(was), kindOf(one), kindOf(two)
	switch {
	case first != second:
		return was
	case first != before:
		return one
	}
	switch first {
	case objectKind:
		return settleObjects(objectOf(was), objectOf(one), objectOf(two))
	case listKind:
		return settleLists(was.([]any), one.([]any), two.([]any))
	case textKind:
		return settleText(was.(string), one.(string), two.(string))
	}
	if value.Same(one, two) {
		return one
	}
	return was
}

// settleObjects settles each field. A field that only one of the present answers has comes and goes, and stays as it was
// recorded; a new one counts when both have it.
func settleObjects(was, one, two value.Object) value.Value {
	var keys []string
	var values []value.Value
	add := func(key string, v value.Value) { keys, values = append(keys, key), append(values, v) }
	for _, key := range was.Keys() {
		w, _ := was.Get(key)
		a, inOne := one.Get(key)
		b, inTwo := two.Get(key)
		switch {
		case inOne && inTwo:
			add(key, settle(w, a, b))
		case inOne || inTwo:
			add(key, w)
		}
	}
	for _, key := range one.Keys() {
		_, had := was.Get(key)
		_, stays := two.Get(key)
		if a, _ := one.Get(key); !had && stays {
			add(key, a)
		}
	}
	return value.NewObject(keys, values)
}

// settleLists settles each item by its place. Lists of two lengths come and go as a whole.
func settleLists(was, one, two []any) value.Value {
	if len(one) != len(two) {
		return was
	}
	settled := make([]any, len(one))
	for i := range one {
		if settled[i] = one[i]; i < len(was) {
			settled[i] = settle(was[i], one[i], two[i])
		}
	}
	return settled
}

// settleText settles a text line by line. A line that both answers write in the same form, and in another than the
// recorded one, is a change, such as that of the format of dates.
func settleText(was, one, two string) string {
	if one == two {
		return one
	}
	wasLines, first, second := strings.Split(was, "\n"), strings.Split(one, "\n"), strings.Split(two, "\n")
	if len(first) != len(second) {
		return was
	}
	for i := range first {
		if i < len(wasLines) && first[i] != second[i] {
			first[i] = settleLine(wasLines[i], first[i], second[i])
		}
	}
	return strings.Join(first, "\n")
}

// leastForm is how many characters between words make the form of a line: with fewer, equal forms are a coincidence.
const leastForm = 2

// settleLine settles a line word by word; with a word that differs go the parts of the same time.
func settleLine(was, one, two string) string {
	w, form := words(was)
	a, formOne := words(one)
	b, formTwo := words(two)
	switch {
	case formOne != formTwo:
		return was
	case formOne != form && len(formOne) >= leastForm:
		return one
	case formOne != form:
		return was
	}
	var out strings.Builder
	between := []rune(form)
	for i, other := range unsteady(a, b) {
		if other {
			a[i] = w[i]
		}
		out.WriteString(a[i])
		if i < len(between) {
			out.WriteRune(between[i])
		}
	}
	return out.String()
}

// unsteady returns which words of two answers are other ones with each call: those that differ, and what is of the same
// time, such as the minutes before seconds.
func unsteady(a, b []string) []bool {
	found := make([]bool, len(a))
	for i := range a {
		if found[i] || a[i] == b[i] {
			continue
		}
		if found[i] = true; !isTimeWord(a[i]) {
			continue
		}
		for j := i - 1; j >= 0 && (isTimeWord(a[j]) || j > 0 && a[j] == "" && isDay(a[j-1])); j-- {
			found[j] = true
		}
		for j := i + 1; j < len(a) && isTimeWord(a[j]); j++ {
			found[j] = true
		}
	}
	return found
}

// isTimeWord reports whether a word may be part of a time: it has a digit, or is the name of a month or a day, or half a day.
func isTimeWord(word string) bool {
	if strings.ContainsFunc(word, unicode.IsDigit) || isDay(word) {
		return true
	}
	const months = "jan feb mar apr may jun jul aug sep oct nov dec"
	return len(word) >= 3 && strings.Contains(months, strings.ToLower(word[:3])) || strings.EqualFold(word, "am") || strings.EqualFold(word, "pm")
}

func isDay(word string) bool {
	const days = "mon tue wed thu fri sat sun"
	return len(word) >= 3 && strings.Contains(days, strings.ToLower(word[:3]))
}

// words splits a line into its words, which may be empty, and the characters between them.
func words(line string) (all []string, between string) {
	var form strings.Builder
	from := 0
	for i, r := range line {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			all = append(all, line[from:i])
			form.WriteRune(r)
			_, size := utf8.DecodeRuneInString(line[i:])
			from = i + size
		}
	}
	return append(all, line[from:]), form.String()
}
