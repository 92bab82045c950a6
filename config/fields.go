package config

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-playground/validator/v10"

	"toolgraph/internal/base/wording"
)

// singles checks single values. It is made at its first use.
var singles = sync.OnceValue(func() *validator.Validate { return validator.New() })

// satisfies reports whether a value satisfies a rule of package validator, such as "gte=1".
func satisfies(v any, rule string) bool { return singles().Var(v, rule) == nil }

// fields is a mapping that was opened with its form. Unknown keys are reported when it is
// opened. A value of the wrong kind is reported when it is read, and its key is then bad.
type fields struct {
	d     *decoder
	at    *item
	form  *form
	who   string // in messages: tool "count_files"
	byKey map[string]int
	bad   map[string]bool
}

// open returns the fields of a mapping, or nil and a finding when the item has another kind.
func (d *decoder) open(it *item, f *form, who string) *fields {
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", fmt.Sprintf("%s is %s, expected a mapping", who, it.describe()), cmp.Or(it.spaceHint(), keysHint(f))).Over(it.text)
		return nil
	}
	fs := &fields{d: d, at: it, form: f, who: who, byKey: make(map[string]int, len(it.keys)), bad: map[string]bool{}}
	for i, k := range it.keys {
		if f.find(k.Value) != nil {
			fs.byKey[k.Value] = i
		}
	}
	for i, k := range it.keys {
		if f.find(k.Value) == nil && !f.open {
			fs.unknown(i)
		}
	}
	return fs
}

func keysHint(f *form) string { return "its keys are " + strings.Join(f.current(), ", ") }

// unknown reports a key that the form does not have. The nearest unused key is then read
// from it, so that one misspelt key gives one finding.
func (fs *fields) unknown(i int) {
	name := fs.at.keys[i]
	free := slices.DeleteFunc(fs.form.current(), func(known string) bool {
		_, used := fs.byKey[known]
		return used
	})
	near := wording.Nearest(name.Value, free)
	hint := wording.Meant(near)
	if i > 0 && fs.at.keys[i-1].Value == "expr" && name.bare() { // a comma has ended the expression
		fs.at = fs.at.with(i-1, Text{Value: "null", Pos: fs.at.items[i-1].pos, style: styleDouble})
	}
	if meant, text := fs.at.spaced(i, free); meant != "" {
		fs.at, fs.byKey[meant] = fs.at.with(i, text), i
	} else if near != "" {
		fs.byKey[near] = i
	} else {
		hint = cmp.Or(misplaced(fs.form, name.Value), ownersHint(fs.form, name.Value), keysHint(fs.form))
	}
	fs.d.found.Add(name.Pos, "unknown-key", fmt.Sprintf("unknown field %s of %s", wording.Quote(name.Value), fs.who), hint).Meant(name, near)
}

// get returns the value of a key, or nil when the key is missing.
func (fs *fields) get(name string) *item {
	if i, ok := fs.byKey[name]; ok {
		return fs.at.items[i]
	}
	return nil
}

// pos is the place of a key's value, or of the mapping when the key is missing.
func (fs *fields) pos(name string) Pos {
	if it := fs.get(name); it != nil {
		return it.pos
	}
	return fs.at.pos
}

// keyPos is the place of a key, or of the mapping when the key is missing.
func (fs *fields) keyPos(name string) Pos {
	if i, ok := fs.byKey[name]; ok {
		return fs.at.keys[i].Pos
	}
	return fs.at.pos
}

// add reports an error at the value of a key; the message begins with the key and its owner.
func (fs *fields) add(name, code, problem, hint string) *Diagnostic {
	fs.bad[name] = true
	d := fs.d.found.Add(fs.pos(name), code, name+" of "+fs.who+" "+problem, hint)
	if it := fs.get(name); it != nil {
		d.Over(it.text)
	}
	return d
}

func (fs *fields) wrong(name, expected, hint string) *Diagnostic {
	if hint == "" && expected != "text" {
		hint = fs.get(name).spaceHint()
	}
	return fs.add(name, "wrong-type", "is "+fs.get(name).describe()+", expected "+expected, hint)
}

// text returns the text of a key; the zero Text when the key is missing or is not text.
func (fs *fields) text(name string) Text {
	it := fs.get(name)
	if it == nil {
		return Text{}
	}
	if it.kind == itemScalar {
		value, problem := it.scalar()
		if _, isText := value.(string); isText {
			return it.text
		}
		if value != nil || problem != nil { // null is not meant as text
			fs.wrong(name, "text", "quote it: "+wording.Quote(it.text.Value)).Fixed(Quote(it.text))
			return it.text // so that it does not count as missing, too
		}
	}
	fs.wrong(name, "text", "")
	return Text{}
}

// loose is text, but a number or a boolean counts as the text that it is written as.
func (fs *fields) loose(name string) Text {
	it := fs.get(name)
	if it == nil {
		return Text{}
	}
	t, ok := it.looseText()
	if !ok {
		fs.wrong(name, "text", "")
	}
	return t
}

// looseText returns a scalar as it is written; it is not ok for null, a mapping or a list.
func (it *item) looseText() (t Text, ok bool) {
	if it.kind != itemScalar || it.isNull() {
		return Text{}, false
	}
	return it.text, true
}

// require reports a text that is missing or empty.
func (fs *fields) require(name string, t Text) {
	switch {
	case t.Value != "" || fs.bad[name]:
	case fs.get(name) != nil:
		fs.add(name, "missing-field", "is empty, expected text", "")
	default:
		fs.d.found.Add(fs.at.pos, "missing-field", fs.who+" has no "+name, "add "+name+": …").Fixed(fs.adding(name))
	}
}

// usual are values for keys that a file lacks, where one is as good as another.
var usual = map[string]string{"version": `"1.0.0"`, "name": "tools", "description": "What the tool does."}

// adding returns the fix that adds a key with its usual value, none for other keys.
func (fs *fields) adding(name string) Fix {
	if usual[name] == "" {
		return Fix{}
	}
	return AddKey(fs.at.pos, name, usual[name], "")
}

// address reports a text that is not an absolute http or https URL; empty text is not reported.
func (fs *fields) address(name string, t Text) {
	if t.Value == "" || fs.bad[name] {
		return
	}
	if !satisfies(t.Value, "http_url") {
		fs.add(name, "bad-url", "is not the address of a server, expected http://… or https://…", "")
	}
}

// word returns a key's value, which must be one of the words of the form; "" when the key is
// missing or has another value.
func (fs *fields) word(name string) string {
	t := fs.text(name)
	known := wordsOf(fs.form.find(name).value)
	switch {
	case !t.IsSet() || fs.bad[name]:
		return ""
	case slices.Contains(known, t.Value):
		return t.Value
	}
	fs.unknownWord(name, known)
	return ""
}

// wordsOf returns the words that a schema allows.
func wordsOf(schema value) []string {
	enum, _ := schema["enum"].([]any)
	words := make([]string, len(enum))
	for i, w := range enum {
		words[i], _ = w.(string)
	}
	return words
}

// unknownWord reports a value that is not one of the allowed words.
func (fs *fields) unknownWord(name string, words []string) {
	text := fs.get(name).text
	near := wording.Nearest(text.Value, words)
	fs.add(name, "unknown-value", "is "+wording.Quote(text.Value)+", expected "+wording.Or(words), wording.Meant(near)).Fixed(wordFixes(text, near, words)...)
}

// wordFixes returns the fixes of a text that is not one of some words: the word that was meant, else each of them.
func wordFixes(t Text, near string, words []string) (fixes []Fix) {
	if near != "" {
		return []Fix{ReplaceWord(t, 0, len(t.Value), near)}
	}
	for _, word := range words {
		fixes = append(fixes, WriteText(t, word).Maybe())
	}
	return fixes
}

// integer returns the whole number of a key, or the form's default (0 when it has none) when
// the key is missing, is not a whole number, or is outside the range of the form.
func (fs *fields) integer(name string) int {
	return int(fs.numeric(name, "a whole number", func(n float64) bool { return n == math.Trunc(n) && math.Abs(n) <= maxExact }))
}

// number is integer for any number.
func (fs *fields) number(name string) float64 {
	return fs.numeric(name, "a number", func(float64) bool { return true })
}

// numeric returns the number of a key when it fits; expected describes the numbers that do.
func (fs *fields) numeric(name, expected string, fits func(float64) bool) float64 {
	k := fs.form.find(name)
	fallback, _ := k.value["default"].(int)
	normal := float64(fallback)
	it := fs.get(name)
	if it == nil {
		return normal
	}
	var n float64
	isNumber := false
	if it.kind == itemScalar {
		value, problem := it.scalar()
		if problem != nil {
			fs.d.ambiguous(it, problem)
			return normal
		}
		n, isNumber = value.(float64)
	}
	if !isNumber || !fits(n) {
		fs.wrong(name, expected, "")
		return normal
	}
	code := "out-of-range"
	if k.badRange {
		code = "bad-range"
	}
	if least, bounded := k.value["minimum"].(int); bounded && !satisfies(n, fmt.Sprintf("gte=%d", least)) {
		fs.add(name, code, fmt.Sprintf("is %v, expected at least %d", plainNumber(n), least), "").Fixed(writeNumber(it.text, least))
		return normal
	}
	if most, bounded := k.value["maximum"].(int); bounded && !satisfies(n, fmt.Sprintf("lte=%d", most)) {
		fs.add(name, code, fmt.Sprintf("is %v, expected at most %d", plainNumber(n), most), "").Fixed(writeNumber(it.text, most))
		return normal
	}
	return n
}

// writeNumber writes the limit of a number that is beyond it.
func writeNumber(t Text, limit int) Fix {
	number := strconv.Itoa(limit)
	return WriteScalar("Write "+number, t, number).Maybe()
}

// plainNumber returns a number for a message, a whole one without an exponent.
func plainNumber(n float64) any {
	if n == math.Trunc(n) && math.Abs(n) <= maxExact {
		return int(n)
	}
	return n
}

// milliseconds is integer as a duration.
func (fs *fields) milliseconds(name string) time.Duration {
	return time.Duration(fs.integer(name)) * time.Millisecond
}

// boolean returns the boolean of a key; false when the key is missing.
func (fs *fields) boolean(name string) bool {
	it := fs.get(name)
	if it == nil {
		return false
	}
	if it.kind == itemScalar {
		if b, ok := it.value().(bool); ok {
			return b
		}
	}
	fs.wrong(name, "true or false", "")
	return false
}

// list returns the items of a key; nil when the key is missing or null.
func (fs *fields) list(name string) []*item {
	it := fs.get(name)
	switch {
	case it.isNull():
		return nil
	case it.kind == itemList:
		return it.items
	}
	fs.wrong(name, "a list", "")
	return nil
}
