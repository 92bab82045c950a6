package jsonata

import (
	"fmt"
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
	{name: "formatNumber", signature: mustSignature("<n-so?:s>"), arity: 3, fn: pictured(byPicture)},
	{name: "formatInteger", signature: mustSignature("<n-s:s>"), arity: 2, fn: pictured(formatInteger)},
	{name: "parseInteger", signature: mustSignature("<s-s:n>"), arity: 2, fn: pictured(parseInteger)},
	{name: "fromMillis", signature: mustSignature("<n-s?s?:s>"), arity: 3, fn: pictured(fromMillis)},
	{name: "toMillis", signature: mustSignature("<s-s?:n>"), arity: 2, fn: pictured(toMillis)},
	{name: "now", signature: mustSignature("<s?s?:s>"), arity: 0, fn: now},
	{name: "millis", signature: mustSignature("<:n>"), arity: 0, fn: func(c call) (any, error) { return float64(c.time().UnixMilli()), nil }},
}

// time is that of the evaluation: $now and $millis give the same all over it.
func (c *call) time() time.Time {
	if c.clock.IsZero() {
		c.clock = time.Now()
	}
	return c.clock
}

// pictured is a function whose texts are bounded; of nothing it is nothing.
func pictured(f func(c call) (any, *pictureError)) function {
	return func(c call) (any, error) {
		if c.args[0] == nil {
			return nil, nil
		}
		for i, arg := range c.args {
			limit := maxPicture
			if i == 0 {
				limit = maxPictured
			}
			if s, ok := arg.(string); ok && len(s) > limit {
				return nil, c.fail("size", fmt.Sprintf("expects at most %d bytes as argument %d", limit, i+1))
			}
		}
		value, failed := f(c)
		if failed != nil {
			return nil, c.fail(failed.Code, "cannot use its picture or its value: "+failed.Message)
		}
		return value, c.spend()
	}
}

// string is argument i, or empty.
func (c *call) string(i int) string {
	s, _ := c.arg(i).(string)
	return s
}

func byPicture(c call) (any, *pictureError) {
	value, _ := number(c.args[0])
	options := map[string]string{}
	fields(c.arg(2), func(key string, value any) {
		if s, ok := value.(string); ok && len(s) <= maxPicture {
			options[key] = s
		}
	})
	return textOrError(formatNumber(value, c.string(1), options))
}

// textOrError keeps a text that is none out of the way of an error.
func textOrError(text string, failed *pictureError) (any, *pictureError) {
	if failed != nil {
		return nil, failed
	}
	return text, nil
}

func formatInteger(c call) (any, *pictureError) {
	value, _ := number(c.args[0])
	return textOrError(integerText(value, c.string(1)))
}

func parseInteger(c call) (any, *pictureError) {
	value, failed := integerOf(c.string(0), c.string(1))
	if failed != nil {
		return nil, failed
	}
	return value, nil
}

func fromMillis(c call) (any, *pictureError) {
	millis, _ := number(c.args[0])
	picture := isoTimePicture
	if c.arg(1) != nil {
		picture = c.string(1)
	}
	return textOrError(timeText(millis, picture, c.string(2)))
}

func toMillis(c call) (any, *pictureError) {
	if c.arg(1) == nil {
		millis, failed := isoTimeOf(c.string(0))
		if failed != nil {
			return nil, failed
		}
		return millis, nil
	}
	millis, found, failed := timeOf(c.string(0), c.string(1), c.time())
	if failed != nil || !found {
		return nil, failed
	}
	return millis, nil
}

// now is the time of the evaluation, by a picture and in a time zone when given.
func now(c call) (any, error) {
	c.args = []any{float64(c.time().UnixMilli()), c.arg(0), c.arg(1)}
	return pictured(fromMillis)(c)
}
