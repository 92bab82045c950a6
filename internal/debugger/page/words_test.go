package page

import (
	"os"
	"regexp"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
)

// The page has the terminal's words for statuses and states, and none of them is a word for two.
func TestWordsOfThePage(t *testing.T) {
	src, err := os.ReadFile("../web/src/lib/status.js")
	if err != nil {
		t.Fatal(err)
	}
	page := map[string]string{}
	for _, pair := range regexp.MustCompile(`(\w+): '([^']+)'`).FindAllStringSubmatch(string(src), -1) {
		page[pair[1]] = pair[2]
		if word := wording.Status(pair[1]); word != pair[2] {
			t.Errorf("%s is %q on the page and %q elsewhere", pair[1], pair[2], word)
		}
	}
	stored := []string{"none", "damaged"}
	for _, s := range journal.Statuses {
		stored = append(stored, string(s))
	}
	for _, s := range []debug.Status{debug.NotStarted, debug.Running, debug.Paused, debug.Waiting, debug.Finished, debug.Failed, debug.Stopped} {
		stored = append(stored, string(s))
	}
	for _, s := range []debug.PartState{debug.PartWaits, debug.PartRuns, debug.PartPaused, debug.PartEnded, debug.PartFailed} {
		stored = append(stored, string(s))
	}
	for _, s := range stored {
		word := wording.Status(s)
		if got, has := page[s]; word != s && got != word || word == s && has {
			t.Errorf("%s is %q elsewhere, and on the page %q", s, word, got)
		}
	}
}
