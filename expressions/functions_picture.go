package expressions

import (
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	// maxPicture is the longest picture that formats numbers and times, in bytes.
	maxPicture = 1000
	// maxPictured is the longest text that is read by a picture, in bytes.
	maxPictured = 10_000
	// maxRoman is the largest number that is written in Roman numerals.
	maxRoman = 1_000_000
)

// pictureFunctions are the engine's own for texts of a sane length; some take
// quadratic time for long ones, or memory by the number's value.
var pictureFunctions = map[string]function{
	"formatNumber":  pictured("formatNumber"),
	"formatInteger": formatInteger,
	"parseInteger":  pictured("parseInteger"),
	"fromMillis":    pictured("fromMillis"),
	"toMillis":      pictured("toMillis"),
	"now":           now,
	"number":        pictured("number"),
}

func pictured(name string) function {
	return func(c call) (any, error) {
		for i, arg := range c.args {
			limit := maxPicture
			if i == 0 && name != "now" {
				limit = maxPictured
			}
			if s, ok := arg.(string); ok && len(s) > limit {
				return nil, c.fail("size", fmt.Sprintf("expects at most %d bytes as argument %d", limit, i+1))
			}
		}
		return c.engine(name, c.args)
	}
}

// now is the time in milliseconds, as the reference implementation tells it; the engine
// has more digits.
func now(c call) (any, error) {
	value, err := pictured("now")(c)
	text, _ := value.(string)
	if at, fault := time.Parse(time.RFC3339Nano, text); err == nil && fault == nil && len(c.args) == 0 {
		return at.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	}
	return value, err
}

func formatInteger(c call) (any, error) {
	f, _ := number(c.arg(0))
	if picture, ok := c.arg(1).(string); ok && math.Abs(f) > maxRoman && strings.HasPrefix(strings.ToUpper(picture), "I") {
		return nil, c.fail("size", fmt.Sprintf("writes Roman numerals up to %d only", maxRoman))
	}
	return pictured("formatInteger")(c)
}
