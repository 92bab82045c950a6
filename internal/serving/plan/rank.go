package plan

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolgraph/internal/base/wording"
)

// terms are the words of a text that count, in lower case and without endings.
func terms(text string) (all []string) {
	var word []rune
	flush := func() {
		if w := strings.ToLower(string(word)); w != "" && !common()[w] {
			all = append(all, stem(w))
		}
		word = word[:0]
	}
	var before rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(before): // camelCase
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		before = r
	}
	flush()
	return all
}

// stem takes the commonest endings off an English word: files, listed and listing are file, list and list.
func stem(w string) string {
	if strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) {
		return w
	}
	for _, ending := range []string{"ies", "ing", "ed", "es", "s"} {
		if base, has := strings.CutSuffix(w, ending); has && len(base) >= 3 {
			switch {
			case ending == "ies":
				return base + "y"
			case ending == "s" && strings.HasSuffix(base, "s"):
				return w
			case ending == "es" && !strings.HasSuffix(base, "s") && !strings.HasSuffix(base, "x") && !strings.HasSuffix(base, "ch") && !strings.HasSuffix(base, "sh"):
				w = base + "e"
			default:
				w = base
			}
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) { // committing, commit
		w = w[:n-1]
	}
	if len(w) > 3 { // save, saving
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// common are words that say nothing of a tool.
var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be by can do for from how i in into is it its me my of on or that the their them this to use used what when where which with you your") {
		words[w] = true
	}
	return words
})

// The weights of the places of a word.
const (
	inName        = 3.0
	inDescription = 2.0
	inArguments   = 1.0
	inServer      = 2.0
)

// documents returns what each word of a tool counts: the sum of its places, in each of which a word of a longer text
// counts less.
func documents(all []*entry) []map[string]float64 {
	places := []struct {
		weight float64
		of     func(*entry) string
	}{
		{inName, func(e *entry) string { return e.tool.Name }},
		{inServer, func(e *entry) string { return e.server }},
		{inDescription, func(e *entry) string { return wording.Truncate(e.tool.Description, shownDescription) }},
		{inArguments, func(e *entry) string { return strings.Join(argumentNames(e.input), " ") }},
	}
	docs := make([]map[string]float64, len(all))
	for i := range docs {
		docs[i] = map[string]float64{}
	}
	for _, place := range places {
		words, total := make([][]string, len(all)), 0
		for i, e := range all {
			words[i] = terms(place.of(e))
			total += len(words[i])
		}
		average := max(float64(total)/float64(max(len(all), 1)), 1)
		for i := range all {
			seen := map[string]bool{}
			for _, w := range words[i] {
				if !seen[w] {
					seen[w] = true
					docs[i][w] += place.weight / (0.7 + 0.3*float64(len(words[i]))/average)
				}
			}
		}
	}
	return docs
}

// rank returns the tools that have a word of a query, the best first. A word counts the more the fewer tools have it, once
// for each place; a longer text counts less, so that a description with all words of the dictionary does not help.
func rank(all []*entry, query string) []*entry {
	asked := terms(query)
	if len(asked) == 0 {
		return nil
	}
	docs, have := documents(all), map[string]float64{}
	for _, weights := range docs {
		for w := range weights {
			have[w]++
		}
	}
	type scored struct {
		e     *entry
		score float64
	}
	var hits []scored
	for i, e := range all {
		score, matched := 0.0, 0
		for _, w := range asked {
			m := match(docs[i], have, w, float64(len(all)))
			if score += m; m > 0 {
				matched++
			}
		}
		score *= 0.3 + float64(matched)/float64(len(asked))
		for _, w := range terms(e.server) {
			if slices.Contains(asked, w) {
				score *= 1.5
				break
			}
		}
		if score > 0 {
			hits = append(hits, scored{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int {
		return cmp.Compare(b.score, a.score)
	})
	ranked := make([]*entry, len(hits))
	for i, h := range hits {
		ranked[i] = h.e
	}
	return ranked
}

// match returns how much a word of a query says for a tool: that of the word itself, else a part of that of a word which
// means the same, or which is almost the same.
func match(weight, have map[string]float64, word string, tools float64) float64 {
	rarity := func(w string) float64 { return math.Log(1 + tools/(0.5+have[w])) }
	if own := weight[word]; own > 0 {
		return own * rarity(word)
	}
	const alike = 0.6
	best := 0.0
	for _, w := range thesaurus()[word] {
		best = max(best, weight[w]*rarity(w)*alike)
	}
	for w, own := range weight {
		if len(word) >= 4 && len(w) >= 4 && (strings.HasPrefix(w, word) || strings.HasPrefix(word, w) || isTypo(w, word)) {
			best = max(best, own*rarity(w)/2)
		}
	}
	return best
}

// isTypo reports whether two words differ by one letter, or by two that changed their places.
func isTypo(a, b string) bool {
	if d := len(a) - len(b); d < -1 || d > 1 || len(a) < 5 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	x, y := a[i:], b[i:]
	switch {
	case len(x) > len(y):
		return x[1:] == y
	case len(x) < len(y):
		return x == y[1:]
	case len(x) > 1 && x[0] == y[1] && x[1] == y[0]:
		return x[2:] == y[2:]
	}
	return len(x) > 0 && x[1:] == y[1:]
}
