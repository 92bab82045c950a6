package cli

import (
	"testing"

	"toolgraph/execution/journal"
)

// A status is selected by the word that tables have, and by that of JSON.
func TestStatusIsSelectedByEachOfItsWords(t *testing.T) {
	for i, word := range statuses() {
		if got := statusOf(word); got != journal.Statuses[i] {
			t.Errorf("%s selects %q", word, got)
		}
		if got := statusOf(string(journal.Statuses[i])); got != journal.Statuses[i] {
			t.Errorf("%s selects %q", journal.Statuses[i], got)
		}
	}
	for _, word := range []string{"failed", "error"} {
		f := filterFlags{status: word}
		if filter, err := f.filter(); err != nil || filter.Status != journal.Failed {
			t.Errorf("%s: %+v %v", word, filter, err)
		}
	}
	f := filterFlags{status: "broken"}
	if _, err := f.filter(); err == nil || err.Error() != `--status is "broken", expected running, waiting, finished, failed, cancelled or interrupted` {
		t.Error(err)
	}
}
