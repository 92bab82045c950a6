package jsonata

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// Words of numbers, each with the ordinal one.
var (
	smallWords = [][2]string{
		{"Zero", "Zeroth"},
		{"One", "First"},
		{"Two", "Second"},
		{"Three", "Third"},
		{"Four", "Fourth"},
		{"Five", "Fifth"},
		{"Six", "Sixth"},
		{"Seven", "Seventh"},
		{"Eight", "Eighth"},
		{"Nine", "Ninth"},
		{"Ten", "Tenth"},
		{"Eleven", "Eleventh"},
		{"Twelve", "Twelfth"},
		{"Thirteen", "Thirteenth"},
		{"Fourteen", "Fourteenth"},
		{"Fifteen", "Fifteenth"},
		{"Sixteen", "Sixteenth"},
		{"Seventeen", "Seventeenth"},
		{"Eighteen", "Eighteenth"},
		{"Nineteen", "Nineteenth"},
	}
	tensWords = [][2]string{ // from 20
		{"Twenty", "Twentieth"},
		{"Thirty", "Thirtieth"},
		{"Forty", "Fortieth"},
		{"Fifty", "Fiftieth"},
		{"Sixty", "Sixtieth"},
		{"Seventy", "Seventieth"},
		{"Eighty", "Eightieth"},
		{"Ninety", "Ninetieth"},
	}
	largeWords = []struct {
		value float64
		word  string
	}{{1e12, "Trillion"}, {1e9, "Billion"}, {1e6, "Million"}, {1e3, "Thousand"}, {100, "Hundred"}}
)

// wordsOf is a number that is not negative in English words.
func wordsOf(value float64, ordinal bool) string {
	form := 0
	if ordinal {
		form = 1
	}
	for _, large := range largeWords {
		if value < large.value {
			continue
		}
		count := math.Floor(value / large.value)
		text := wordsOf(count, false) + " " + large.word
		rest := value - count*large.value
		switch {
		case rest <= 0 && ordinal:
			return text + "th"
		case rest <= 0:
			return text
		case rest < 100:
			return text + " and " + wordsOf(rest, ordinal)
		}
		return text + ", " + wordsOf(rest, ordinal)
	}
	n := int(value)
	if n < len(smallWords) {
		return smallWords[n][form]
	}
	tens := tensWords[n/10-2]
	if n%10 == 0 {
		return tens[form]
	}
	return tens[0] + "-" + smallWords[n%10][form]
}

// wordValues are the values of words in small letters.
var wordValues = func() map[string]float64 {
	values := map[string]float64{}
	add := func(value float64, words ...string) {
		for _, word := range words {
			values[strings.ToLower(word)] = value
		}
	}
	for i, words := range smallWords {
		add(float64(i), words[:]...)
	}
	for i, words := range tensWords {
		add(float64(20+10*i), words[:]...)
	}
	for _, large := range largeWords {
		add(large.value, large.word, large.word+"th")
	}
	return values
}()

var wordSeparator = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,\s|\sand\s|[\s\\-]`) })

// valueOfWords is the reverse of wordsOf; ok is false when a word is no number's.
func valueOfWords(text string) (value float64, ok bool) {
	// Each segment is below 1,000 or was multiplied by its magnitude.
	segments := []float64{0}
	for _, word := range wordSeparator().Split(strings.ToLower(text), -1) {
		n, known := wordValues[word]
		last := &segments[len(segments)-1]
		switch {
		case !known:
			return 0, false
		case n >= 100:
			*last *= n
		case *last >= 1000:
			segments = append(segments, n)
		default:
			*last += n
		}
	}
	for _, segment := range segments {
		value += segment
	}
	return value, true
}
