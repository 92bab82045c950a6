package expressions

import (
	"math"
	"unicode/utf8"
)

// substring is $substring(text, start, length), in characters; a negative start
// counts from the end. The engine makes an array of all the characters.
func substring(c call) (any, error) {
	text, ok := c.arg(0).(string)
	start, isNumber := number(c.arg(1))
	length, isLength := number(c.arg(2))
	if !ok || !isNumber || len(c.args) > 3 || !isLength && c.arg(2) != nil {
		return c.engine("substring", c.args)
	}
	count := 0
	if start < 0 {
		count = utf8.RuneCountInString(text)
		start = math.Max(0, float64(count)+start)
	}
	end := math.Inf(1)
	if isLength {
		if length <= 0 {
			return "", nil
		}
		end = start + length
	}
	first := byteOfRune(text, math.Trunc(start))
	rest := text[first:]
	return rest[:byteOfRune(rest, math.Trunc(end)-math.Trunc(start))], nil
}

// byteOfRune is where the n-th character of text begins, or its end.
func byteOfRune(text string, n float64) int {
	if n >= float64(len(text)) {
		return len(text)
	}
	i := 0
	for ; n >= 1 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}
