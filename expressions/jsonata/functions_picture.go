package jsonata

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// maxPicture is the longest picture that formats numbers and times, in bytes.
	maxPicture = 1000
	// maxPictured is the longest text that is read by a picture, in bytes.
	maxPictured = 10_000
)

// pictureFunctions write and read numbers and times by pictures.
var pictureFunctions = []builtin{
	{name: "formatNumber", types: "<n-so?:s>", arity: 3, fn: pictured(byPicture)},
	{name: "formatInteger", types: "<n-s:s>", arity: 2, fn: pictured(formatInteger)},
	{name: "parseInteger", types: "<s-s:n>", arity: 2, fn: pictured(parseInteger)},
	{name: "fromMillis", types: "<n-s?s?:s>", arity: 3, fn: pictured(fromMillis)},
	{name: "toMillis", types: "<s-s?:n>", arity: 2, fn: pictured(toMillis)},
	{name: "now", types: "<s?s?:s>", arity: 0, total: true, fn: now},
	{name: "millis", types: "<:n>", arity: 0, total: true, fn: func(c call) (any, error) { return float64(c.time().UnixMilli()), nil }},
}

// pictureError is an error of a picture, or of a value that does not fit it.
type pictureError struct {
	Code    string // of jsonata-js, D3080 to D3137, or "size"
	Message string
}

func (e *pictureError) Error() string { return e.Code + ": " + e.Message }

// pictureFault is the error of pictures with jsonata-js' code.
func pictureFault(code string) error {
	return &pictureError{Code: code, Message: pictureFaults()[code]}
}

var pictureFaults = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"D3080": "a picture has at most two sub-pictures",
		"D3081": "a sub-picture has at most one decimal separator",
		"D3082": "a sub-picture has at most one percent sign",
		"D3083": "a sub-picture has at most one per-mille sign",
		"D3084": "a sub-picture has a percent sign or a per-mille sign, not both",
		"D3085": "the mantissa of a sub-picture has at least one digit",
		"D3086": "a sub-picture has no other characters between its digits",
		"D3087": "a sub-picture has no grouping separator beside its decimal separator",
		"D3088": "the integer part of a sub-picture does not end with a grouping separator",
		"D3089": "a sub-picture does not have two grouping separators side by side",
		"D3090": "the integer part of a sub-picture has optional digits before mandatory ones only",
		"D3091": "the fraction of a sub-picture has optional digits after mandatory ones only",
		"D3092": "a sub-picture with an exponent has no percent sign and no per-mille sign",
		"D3093": "the exponent of a sub-picture has mandatory digits only, at least one",
		"D3110": "the string is not an ISO 8601 time; pass a picture for other formats",
		"D3130": "this numbering is not supported; use digits (0), letters (a, A), Roman numerals (i, I) or words (w, W, Ww)",
		"D3131": "the picture mixes digits of several scripts; use those of one",
		"D3132": "the picture has an unknown component; write one of Y M D d F W w X x H h P m s f Z z C E in brackets",
		"D3133": "only months (M, x), days of the week (F) and P are written as names",
		"D3134": "a time zone has one to four digits in the picture",
		"D3135": "a [ of the picture is not closed by ]; write [[ for the character itself",
		"D3136": "the picture leaves out a component between two others, or has weeks, which cannot be read",
	}
})

// time is the time of the evaluation: $now and $millis are the same throughout it.
func (c *call) time() time.Time {
	if c.clock.IsZero() {
		c.clock = time.Now()
	}
	return c.clock
}

// pictured is a function that bounds the lengths of its strings.
func pictured(f function) function {
	return func(c call) (any, error) {
		for i, arg := range c.args {
			limit := maxPicture
			if i == 0 {
				limit = maxPictured
			}
			if s, ok := arg.(string); ok && len(s) > limit {
				return nil, c.fail("size", fmt.Sprintf("expects at most %d bytes as argument %d", limit, i+1))
			}
		}
		value, err := f(c)
		if fault := (*pictureError)(nil); errors.As(err, &fault) {
			return nil, c.fail(fault.Code, "cannot use its picture or its value: "+fault.Message)
		}
		return value, err
	}
}

func byPicture(c call) (any, error) {
	value, _ := number(c.args[0])
	options := map[string]string{}
	for key, value := range c.fields(c.arg(2)) {
		if s, ok := value.(string); ok && len(s) <= maxPicture {
			options[key] = s
		}
	}
	return formatNumber(value, c.string(1), options)
}

func formatInteger(c call) (any, error) {
	value, _ := number(c.args[0])
	return integerText(value, c.string(1))
}

func parseInteger(c call) (any, error) {
	return integerOf(c.string(0), c.string(1))
}

func fromMillis(c call) (any, error) {
	millis, _ := number(c.args[0])
	picture := isoTimePicture
	if c.arg(1) != nil {
		picture = c.string(1)
	}
	return timeText(millis, picture, c.string(2))
}

func toMillis(c call) (any, error) {
	if c.arg(1) == nil {
		return isoTimeOf(c.string(0))
	}
	millis, found, err := timeOf(c.string(0), c.string(1), c.time())
	if err != nil || !found {
		return nil, err
	}
	return millis, nil
}

// now is the time of the evaluation, by a picture and in a time zone when given.
func now(c call) (any, error) {
	c.args = []any{float64(c.time().UnixMilli()), c.arg(0), c.arg(1)}
	return pictured(fromMillis)(c)
}
