package expressions

import (
	"math"
	"strings"
	"unicode/utf8"
)

// substring is $substring(text, start, length), in characters; a negative start
// counts from the end.
func substring(c call) (any, error) {
	text, ok := c.args[0].(string)
	start, isNumber := number(c.arg(1))
	if !ok || !isNumber {
		return nil, nil
	}
	if start < 0 {
		count := float64(utf8.RuneCountInString(text))
		if start = count + start; start < 0 {
			start = 0
		}
	}
	first := byteOfRune(text, math.Trunc(start))
	length, isLength := number(c.arg(2))
	if !isLength {
		return text[first:], nil
	}
	if length <= 0 {
		return "", nil
	}
	rest := text[first:]
	return rest[:byteOfRune(rest, math.Trunc(start+length)-math.Trunc(start))], nil
}

func substringBefore(c call) (any, error) {
	text, ok := c.args[0].(string)
	if !ok {
		return nil, nil
	}
	chars, _ := c.arg(1).(string)
	before, _, _ := strings.Cut(text, chars)
	return before, nil
}

func substringAfter(c call) (any, error) {
	text, ok := c.args[0].(string)
	if !ok {
		return nil, nil
	}
	chars, _ := c.arg(1).(string)
	if _, after, found := strings.Cut(text, chars); found {
		return after, nil
	}
	return text, nil
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
