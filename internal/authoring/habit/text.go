package habit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of the search inside texts.
const (
	mostTexts   = 40   // texts that hold a value, and are looked through
	mostMarkers = 24   // texts before and after a value that are tried
	longestMark = 40   // of such a text, in bytes
	longestPart = 2000 // bytes of a part that is looked for
)

// extracted returns the expression of a part of a text.
func (m *maker) extracted(wants []string, envs []*env) string {
	first := envs[0]
	tried := 0
	for _, s := range first.known(first.now) {
		if !known(s.root, envs) || strings.HasPrefix(s.root, "args.") && allSame(wants) || !s.item && slices.ContainsFunc(wants, func(want string) bool { return len(want) < leastPart }) {
			continue
		}
		for _, p := range m.index(s).texts {
			text := plainText(p.value)
			if len(text) <= len(wants[0]) || len(wants[0]) > longestPart || !strings.Contains(text, wants[0]) {
				continue
			}
			if tried++; tried > mostTexts {
				return ""
			}
			for _, path := range m.readings(s, p, first) {
				if source := m.partOf(path, wants, envs); source != "" {
					return source
				}
			}
		}
	}
	return ""
}

// partOf returns the expression of a part of the texts that a path has.
func (m *maker) partOf(path string, wants []string, envs []*env) string {
	texts := make([]string, len(envs))
	for i, e := range envs {
		v, _ := m.eval(path, e)
		text, isText := v.(string)
		if !isText || !strings.Contains(text, wants[i]) {
			return ""
		}
		texts[i] = text
	}
	for _, form := range partForms(texts, wants) {
		if source := strings.Replace(form, theText, path, 1); m.givesTexts(source, envs, wants) {
			return source
		}
	}
	return ""
}

// theText stands for the text in the form of an expression.
const theText = "\x00"

// partForms returns the forms of expressions that may take the wanted parts of texts: what is
// between two markers, a field between separators, a match of a pattern.
func partForms(texts, wants []string) (forms []string) {
	befores, afters := contexts(texts, wants)
	for _, before := range befores {
		for _, after := range afters {
			if takes(texts, wants, before, after) {
				forms = append(forms, markerForm(before, after))
			}
		}
	}
	forms = append(forms, fieldForms(texts, wants)...)
	if pattern := patternOf(wants); pattern != "" {
		for _, before := range slices.Concat([]string{""}, befores) {
			if !strings.Contains(before, "\n") {
				forms = append(forms, "$match("+theText+", /"+escapedPattern(before)+"("+pattern+")/)[0].groups[0]")
			}
		}
	}
	return forms
}

// contexts returns the texts that are before, and after, all wanted parts, the longest first.
func contexts(texts, wants []string) (befores, afters []string) {
	before, after := "", ""
	for i, text := range texts {
		at := wordAt(text, wants[i])
		if at < 0 {
			at = strings.Index(text, wants[i])
		}
		front, back := text[max(0, at-longestMark):at], text[at+len(wants[i]):]
		if line := strings.LastIndexByte(front, '\n'); line >= 0 && line < len(front)-1 {
			front = front[line+1:]
		}
		back = back[:min(len(back), longestMark)]
		if line := strings.IndexByte(back, '\n'); line > 0 {
			back = back[:line]
		} else if line == 0 {
			back = "\n"
		}
		if i == 0 {
			before, after = front, back
			continue
		}
		before, after = sharedEnd(before, front), sharedStart(after, back)
	}
	befores = append(befores, "")
	for i := range before {
		if i == 0 || isBoundary(before[:i], before[i:]) {
			befores = append(befores, before[i:])
		}
	}
	slices.SortStableFunc(befores[1:], markerOrder)
	afters = append(afters, "")
	if after != "" {
		_, size := utf8.DecodeRuneInString(after)
		afters = append(afters, after[:size])
		if word := strings.IndexFunc(after[size:], unicode.IsLetter); word >= 0 && word < 4 {
			afters = append(afters, after[:size+word+1])
		}
		afters = append(afters, after)
	}
	return befores[:min(len(befores), mostMarkers)], afters
}

// markerOrder puts texts with words and without digits first: labels are there the next time.
func markerOrder(a, b string) int { return markerRank(a) - markerRank(b) }

// markerRank is low for a text that will be there the next time: few words, then signs only, then digits.
func markerRank(text string) int {
	words := len(strings.Fields(text))
	switch {
	case strings.ContainsAny(text, "0123456789"):
		return 100 + words
	case strings.ContainsFunc(text, unicode.IsLetter):
		return min(words, 9)
	}
	return 50
}

// isBoundary reports whether a word or a separator begins here.
func isBoundary(before, after string) bool {
	if !utf8.RuneStart(after[0]) {
		return false
	}
	return !endsWord(before) || !startsWord(after)
}

// takes reports whether the first text between the markers is the wanted one, in all texts.
func takes(texts, wants []string, before, after string) bool {
	if before == "" && after == "" {
		return false
	}
	for i, text := range texts {
		if before != "" {
			_, rest, has := strings.Cut(text, before)
			if !has {
				return false
			}
			text = rest
		}
		if after != "" {
			text, _, _ = strings.Cut(text, after)
		}
		if text != wants[i] {
			return false
		}
	}
	return true
}

// markerForm returns the form that takes what is between two texts; one of them may be empty.
func markerForm(before, after string) string {
	form := theText
	if before != "" {
		form = "$substringAfter(" + form + ", " + Quoted(before) + ")"
	}
	if after != "" {
		form = "$substringBefore(" + form + ", " + Quoted(after) + ")"
	}
	return form
}

// separators are what fields of lines stand between.
var separators = []string{"\n", "\t", " | ", "|", ", ", ",", ": ", " ", "/", ":", "-", "_", "."}

// fieldForms returns the forms that take a field by its number, from the start or from the end.
func fieldForms(texts, wants []string) (forms []string) {
	for _, separator := range separators {
		for _, number := range numbersOf(texts[0], wants[0], separator) {
			same := true
			for i, text := range texts {
				fields := strings.Split(text, separator)
				at := number
				if at < 0 {
					at += len(fields)
				}
				same = same && at >= 0 && at < len(fields) && strings.TrimSpace(fields[at]) == wants[i]
			}
			if same {
				form := fmt.Sprintf("$split(%s, %s)[%d]", theText, Quoted(separator), number)
				forms = append(forms, form, "$trim("+form+")")
			}
		}
	}
	return forms
}

// numbersOf returns the numbers of the fields that are the wanted text, from the start and for the last one from the end.
func numbersOf(text, want, separator string) (numbers []int) {
	fields := strings.Split(text, separator)
	for i, field := range fields {
		if strings.TrimSpace(field) == want && len(fields) > 1 {
			numbers = append(numbers, i)
			if i == len(fields)-1 {
				numbers = append(numbers, -1)
			}
		}
	}
	return numbers
}

// shared returns how many bytes texts begin and end alike, up to where a word begins.
func shared(texts []string) (front, back int) {
	if len(texts) == 0 {
		return 0, 0
	}
	start, end := texts[0], texts[0]
	for _, text := range texts[1:] {
		start, end = sharedStart(start, text), sharedEnd(end, text)
	}
	for start != "" && endsWord(start) {
		_, size := utf8.DecodeLastRuneInString(start)
		start = start[:len(start)-size]
	}
	for end != "" && startsWord(end) {
		_, size := utf8.DecodeRuneInString(end)
		end = end[size:]
	}
	return len(start), len(end)
}

// sharedByJob returns, for each job, how many bytes its texts begin and end alike.
func sharedByJob(wants []string, envs []*env) (front, back map[int]int) {
	byJob := map[int][]string{}
	for i, want := range wants {
		byJob[envs[i].job] = append(byJob[envs[i].job], want)
	}
	front, back = map[int]int{}, map[int]int{}
	for job, texts := range byJob {
		if !allSame(texts) {
			front[job], back[job] = shared(texts)
		}
	}
	return front, back
}

// sharedStart returns how two texts begin alike, in whole characters.
func sharedStart(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// sharedEnd returns how two texts end alike, in whole characters.
func sharedEnd(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return a[len(a)-n:]
}

// hasWord reports whether a text has a word that no letter or digit continues.
func hasWord(text, word string) bool { return wordAt(text, word) >= 0 }

// wordAt returns where a text has a word that no letter or digit continues; -1 when it does not.
func wordAt(text, word string) int {
	for from := 0; word != ""; {
		next := strings.Index(text[from:], word)
		if next < 0 {
			return -1
		}
		at := from + next
		from = at + len(word)
		before, after := text[:at], text[from:]
		if (!endsWord(before) || !startsWord(word)) && (!startsWord(after) || !endsWord(word)) {
			return at
		}
	}
	return -1
}

// startsWord reports whether a text begins with a letter or a digit.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// endsWord reports whether a text ends with a letter or a digit.
func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}
