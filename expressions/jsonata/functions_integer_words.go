package jsonata

import (
	"math"
	"strings"
	"sync"

	"toolgraph/internal/base/wording"
)

// Words of numbers, cardinal and ordinal.
var (
	smallWords = [2][]string{ // from 0
		strings.Fields("Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen" +
			" Sixteen Seventeen Eighteen Nineteen"),
		strings.Fields("Zeroth First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth" +
			" Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth"),
	}
	tensWords = [2][]string{ // from 20
		strings.Fields("Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety"),
		strings.Fields("Twentieth Thirtieth Fortieth Fiftieth Sixtieth Seventieth Eightieth Ninetieth"),
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
	switch {
	case n < 20:
		return smallWords[form][n]
	case n%10 == 0:
		return tensWords[form][n/10-2]
	}
	return tensWords[0][n/10-2] + "-" + smallWords[form][n%10]
}

// wordValues are the values of words in small letters.
var wordValues = sync.OnceValue(func() map[string]float64 {
	values := map[string]float64{}
	add := func(value float64, words ...string) {
		for _, word := range words {
			values[strings.ToLower(word)] = value
		}
	}
	for form := range smallWords {
		for i, word := range smallWords[form] {
			add(float64(i), word)
		}
		for i, word := range tensWords[form] {
			add(float64(20+10*i), word)
		}
	}
	for _, large := range largeWords {
		add(large.value, large.word, large.word+"th")
	}
	return values
})

var wordSeparator = wording.Pattern(`,\s|\sand\s|[\s\\-]`)

// valueOfWords is the reverse of wordsOf; ok is false when a word is no number's.
func valueOfWords(text string) (value float64, ok bool) {
	// Each segment is below 1,000 or was multiplied by its magnitude.
	segments := []float64{0}
	for _, word := range wordSeparator().Split(strings.ToLower(text), -1) {
		n, known := wordValues()[word]
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
