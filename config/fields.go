package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"

	"toolgraph/internal/wording"
)

// fields is a mapping opened by its form: unknown keys are reported, the others can
// be asked for. What has another kind than asked for is reported and counts as bad.
type fields struct {
	d     *decoder
	at    *item
	form  *form
	who   string // in messages: tool "count_files"
	byKey map[string]int
	bad   map[string]bool
}

// open checks that an item is a mapping of the form. It is nil, and reported, when it
// is no mapping.
func (d *decoder) open(it *item, f *form, who string) *fields {
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", fmt.Sprintf("%s is %s, expected a mapping", who, it.describe()), keysHint(f))
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

func keysHint(f *form) string {
	if names := f.current(); len(names) <= 8 {
		return "its keys are " + strings.Join(names, ", ")
	}
	return ""
}

// unknown reports a key that the form does not have. What was meant is then read
// from it, so that one slip is one finding.
func (fs *fields) unknown(i int) {
	name := fs.at.keys[i]
	var free []string
	for _, known := range fs.form.current() {
		if _, used := fs.byKey[known]; !used {
			free = append(free, known)
		}
	}
	near := wording.Nearest(name.Value, free)
	var hint string
	if near != "" {
		fs.byKey[near] = i
		hint = "did you mean " + quoted(near) + "?"
	} else if remark := fs.d.remark(fs.form, name.Value); remark != "" {
		hint = remark
	} else {
		hint = keysHint(fs.form)
	}
	fs.d.found.Add(name.Pos, "unknown-key", fmt.Sprintf("unknown field %q of %s", shortened(name.Value), fs.who), hint)
}

// get is the value of a key, nil when it is left out.
func (fs *fields) get(name string) *item {
	if i, ok := fs.byKey[name]; ok {
		return fs.at.items[i]
	}
	return nil
}

// pos is the place of a key's value, else of the mapping.
func (fs *fields) pos(name string) Pos {
	if it := fs.get(name); it != nil {
		return it.pos
	}
	return fs.at.pos
}

// keyPos is the place of a key itself, else of the mapping.
func (fs *fields) keyPos(name string) Pos {
	if i, ok := fs.byKey[name]; ok {
		return fs.at.keys[i].Pos
	}
	return fs.at.pos
}

func (fs *fields) wrong(name, expected, hint string) {
	fs.bad[name] = true
	it := fs.get(name)
	fs.d.found.Add(it.pos, "wrong-type", fmt.Sprintf("%s of %s is %s, expected %s", name, fs.who, it.describe(), expected), hint)
}

// text is a key's text.
func (fs *fields) text(name string) Text {
	it := fs.get(name)
	if it == nil {
		return Text{}
	}
	if it.kind == itemScalar {
		value, problem := it.scalar()
		if _, isText := value.(string); isText && problem == nil {
			return it.text
		}
		if it.text.Value != "" && (value != nil || problem != nil) { // null is not meant as a text
			fs.wrong(name, "text", fmt.Sprintf("quote it: %q", shortened(it.text.Value)))
			return it.text // what was meant, so that nobody finds it missing
		}
	}
	fs.wrong(name, "text", "")
	return Text{}
}

// loose is a key's text, where a number or a bool stands for its own letters.
func (fs *fields) loose(name string) Text {
	it := fs.get(name)
	if it == nil {
		return Text{}
	}
	if t, ok := it.looseText(); ok {
		return t
	}
	fs.wrong(name, "text", "")
	return Text{}
}

// looseText is the letters of a scalar that is not null.
func (it *item) looseText() (Text, bool) {
	if it.kind != itemScalar || it.isNull() {
		return Text{}, false
	}
	return it.text, true
}

// integer is a key's whole number, or normal when it is left out.
func (fs *fields) integer(name string, normal int) int {
	it := fs.get(name)
	if it == nil {
		return normal
	}
	if it.kind == itemScalar {
		value, problem := it.scalar()
		if problem != nil {
			fs.bad[name] = true
			fs.d.found.Add(it.pos, problem.code, problem.message, problem.hint)
			return normal
		}
		if n, ok := value.(float64); ok && n == math.Trunc(n) && math.Abs(n) <= maxExact {
			return int(n)
		}
	}
	fs.wrong(name, "a whole number", "")
	return normal
}

// boolean is a key's true or false; false when it is left out.
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

// list is a key's items; nil when it is left out.
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

// The leaves are the fields of which a value alone tells whether it is right. Every
// form is checked by itself: a finding in one never hides one in another.

type serverLeaves struct {
	Name    string `key:"name" validate:"required"`
	Version string `key:"version" validate:"required"`
}

type limitLeaves struct {
	MaxNodeExecutions  int `key:"maxNodeExecutions" validate:"gte=1"`
	MaxExecutionTimeMs int `key:"maxExecutionTimeMs" validate:"gte=1,lte=86400000"`
	MaxNodeOutputBytes int `key:"maxNodeOutputBytes" validate:"gte=1,lte=268435456"`
	MaxHistoryBytes    int `key:"maxHistoryBytes" validate:"gte=1,lte=68719476736"`
}

type upstreamLeaves struct {
	Transport      Transport
	Command        string `key:"command" validate:"required_if=Transport stdio"`
	URL            string `key:"url" validate:"required_unless=Transport stdio,omitempty,http_url"`
	TimeoutMs      int    `key:"timeoutMs" validate:"gte=1,lte=3600000"`
	StartTimeoutMs int    `key:"startTimeoutMs" validate:"gte=1,lte=3600000"`
	MaxInFlight    int    `key:"maxInFlight" validate:"gte=1,lte=4096"`
	Protocol       string `key:"protocol" validate:"oneof=auto legacy modern"`
}

var leafValidator = sync.OnceValue(func() *validator.Validate {
	v := validator.New()
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("key") })
	return v
})

// check validates leaves and reports what fails at its key's place. What is bad for
// another reason already is left alone.
func (fs *fields) check(leaves any) {
	var failed validator.ValidationErrors
	if !errors.As(leafValidator().Struct(leaves), &failed) {
		return
	}
	for _, f := range failed {
		if !fs.bad[f.Field()] {
			fs.report(f)
		}
	}
}

func (fs *fields) report(f validator.FieldError) {
	name := f.Field()
	found, pos := &fs.d.found, fs.pos(name)
	switch f.Tag() {
	case "required", "required_if", "required_unless":
		if fs.get(name) != nil {
			found.Add(pos, "missing-field", fmt.Sprintf("%s of %s is empty, expected text", name, fs.who), "")
			return
		}
		found.Add(pos, "missing-field", fmt.Sprintf("%s has no %s", fs.who, name), "add "+name+": …")
	case "gte":
		found.Add(pos, "out-of-range", fmt.Sprintf("%s of %s is %v, expected at least %s", name, fs.who, f.Value(), f.Param()), "")
	case "lte":
		found.Add(pos, "out-of-range", fmt.Sprintf("%s of %s is %v, expected at most %s", name, fs.who, f.Value(), f.Param()), "")
	case "oneof":
		fs.unknownWord(name, []string{"auto", "legacy", "modern"})
	case "http_url":
		found.Add(pos, "bad-url", fmt.Sprintf("%s of %s is not the address of a server, expected http://… or https://…", name, fs.who), "")
	}
}

// unknownWord reports a value that is none of the words that are allowed.
func (fs *fields) unknownWord(name string, words []string) {
	it := fs.get(name)
	last := len(words) - 1
	expected := strings.Join(words[:last], ", ") + " or " + words[last]
	fs.d.found.Add(it.pos, "unknown-value", fmt.Sprintf("%s of %s is %q, expected %s", name, fs.who, shortened(it.text.Value), expected), meant(it.text.Value, words, ""))
}
