package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

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
