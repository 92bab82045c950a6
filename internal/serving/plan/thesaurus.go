package plan

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// thesaurusText has words of requests to software tools, a group a line: the words of a line mean the same, or, with >, who
// asks with a word before it may mean one behind it. It was written without a look at the questions by which the ranking is
// measured.
//
//go:embed thesaurus.txt
var thesaurusText string

// thesaurus returns, for each word without its ending, the words that may be meant by it. What they mean in turn is not
// followed.
var thesaurus = sync.OnceValue(func() map[string][]string {
	meant := map[string][]string{}
	for line := range strings.Lines(thesaurusText) {
		asked, words, oneWay := strings.Cut(line, ">")
		if !oneWay {
			words = asked
		}
		for _, a := range terms(asked) {
			for _, w := range terms(words) {
				if w != a && !slices.Contains(meant[a], w) {
					meant[a] = append(meant[a], w)
				}
			}
		}
	}
	return meant
})
