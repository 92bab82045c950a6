package jsonata

import (
	"math"
	"strings"
	"unicode/utf8"
)

// substring is $substring(text, start, length), in characters; a negative start
// counts from the end.
func substring(c call) (any, error) {
	text, ok := c.args[0].(string)
	if !ok {
		return nil, nil
	}
	start, isNumber := number(c.arg(1))
	length, isLength := number(c.arg(2))
	switch {
	case isLength && (length <= 0 || !isNumber):
		return "", nil
	case !isNumber:
		return text, nil
	}
	count := float64(utf8.RuneCountInString(text))
	if count+start < 0 {
		start = 0
	}
	from, end := math.Trunc(start), start+length
	if start < 0 {
		end += count
	}
	if from < 0 {
		from += count
	}
	rest := text[byteOfRune(text, from):]
	if !isLength {
		return rest, nil
	}
	return rest[:byteOfRune(rest, math.Trunc(end)-from)], nil
}

func substringBefore(c call) (any, error) {
	text, ok := c.args[0].(string)
	if !ok {
		return nil, nil
	}
	chars, ok := c.arg(1).(string)
	if !ok {
		return text, nil
	}
	before, _, _ := strings.Cut(text, chars)
	return before, nil
}

func substringAfter(c call) (any, error) {
	text, ok := c.args[0].(string)
	if !ok {
		return nil, nil
	}
	if chars, ok := c.arg(1).(string); !ok {
		return text, nil
	} else if _, after, found := strings.Cut(text, chars); found {
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
