package expressions

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/recolabs/gnata"
)

const (
	// maxPicture is the longest picture that formats numbers and times, in bytes.
	maxPicture = 1000
	// maxPictured is the longest text that is read by a picture, in bytes.
	maxPictured = 10_000
	// maxRoman is the largest number that is written in Roman numerals.
	maxRoman = 1_000_000
)

// pictureFunctions write and read numbers and times by pictures. Those of integers
// and times are gnata's; some of them take quadratic time for long texts, or memory by
// the number's value.
var pictureFunctions = []builtin{
	{name: "formatNumber", signature: mustSignature("<n-so?:s>"), arity: 3, fn: byPicture},
	{name: "formatInteger", signature: mustSignature("<n-s:s>"), arity: 2, fn: formatInteger},
	{name: "parseInteger", signature: mustSignature("<s-s:n>"), arity: 2, fn: pictured("parseInteger")},
	{name: "fromMillis", signature: mustSignature("<n-s?s?:s>"), arity: 3, fn: pictured("fromMillis")},
	{name: "toMillis", signature: mustSignature("<s-s?:n>"), arity: 2, fn: pictured("toMillis")},
	{name: "now", signature: mustSignature("<s?s?:s>"), arity: 0, fn: now},
	{name: "millis", signature: mustSignature("<:n>"), arity: 0, fn: func(c call) (any, error) { return c.millis(), nil }},
}

// gnataFunctions are the functions of that library which read and write by pictures.
var gnataFunctions = func() map[string]func(args []any, focus any) (any, error) {
	env := gnata.NewCustomEnv(nil)
	plain := reflect.TypeFor[func([]any, any) (any, error)]()
	out := map[string]func([]any, any) (any, error){}
	for _, name := range []string{"formatInteger", "parseInteger", "fromMillis", "toMillis"} {
		fn, _ := env.Lookup(name)
		v := reflect.ValueOf(fn)
		if v.Kind() != reflect.Func || !v.CanConvert(plain) {
			panic("expressions: the library gnata has no function " + name + " of the known shape")
		}
		out[name], _ = v.Convert(plain).Interface().(func([]any, any) (any, error))
	}
	return out
}()

// millis is the time of the evaluation in milliseconds since 1970.
func (c *call) millis() float64 {
	if c.clock.IsZero() {
		c.clock = time.Now()
	}
	return float64(c.clock.UnixMilli())
}

func pictured(name string) function {
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
		value, err := gnataFunctions[name](c.args, c.focus)
		if err != nil {
			return nil, c.pictureError(err)
		}
		return value, nil
	}
}

// pictureError is an error of gnata's, whose type is internal to it. Its text can hold
// values of the context, so only its code is taken.
func (c *call) pictureError(err error) error {
	code := "D3137"
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct {
		if f := v.Elem().FieldByName("Code"); f.IsValid() && f.Kind() == reflect.String && f.Len() > 0 {
			code = f.String()
		}
	}
	if message, known := evalMessages[code]; known {
		return c.fail(code, "failed: "+message)
	}
	return c.fail(code, "cannot use its picture or its value")
}

// now is the time of the evaluation, by a picture and in a time zone when given.
func now(c call) (any, error) {
	c.name, c.args = "fromMillis", []any{c.millis(), c.arg(0), c.arg(1)}
	return pictured("fromMillis")(c)
}

func formatInteger(c call) (any, error) {
	f, _ := number(c.arg(0))
	if picture, ok := c.arg(1).(string); ok && math.Abs(f) > maxRoman && strings.HasPrefix(strings.ToUpper(picture), "I") {
		return nil, c.fail("size", fmt.Sprintf("writes Roman numerals up to %d only", maxRoman))
	}
	return pictured("formatInteger")(c)
}

// byPicture is $formatNumber.
func byPicture(c call) (any, error) {
	value, ok := number(c.args[0])
	if !ok {
		return nil, nil
	}
	picture, _ := c.arg(1).(string)
	if len(picture) > maxPicture {
		return nil, c.fail("size", fmt.Sprintf("expects at most %d bytes as argument 2", maxPicture))
	}
	options := map[string]string{}
	fields(c.arg(2), func(key string, value any) {
		if s, ok := value.(string); ok && len(s) <= maxPicture {
			options[key] = s
		}
	})
	text, failed := formatNumber(value, picture, options)
	if failed != nil {
		return nil, c.fail(failed.Code, "cannot use its picture: "+failed.Message)
	}
	return text, nil
}
