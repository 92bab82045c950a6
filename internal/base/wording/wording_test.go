package wording_test

import (
	"testing"

	"toolgraph/internal/base/wording"
)

func TestNearest(t *testing.T) {
	known := []string{"server", "tool", "args", "next", "list_directory"}
	for word, expected := range map[string]string{
		"servr": "server", "serv": "server", "tol": "tool", "Tool": "tool", "nxet": "next", "list_dir": "list_directory", "sv": "", "sr": "", "servers": "server", "lst": "", "ag": "", "listDirectory": "list_directory", "x": "", "": "", "tool": "", "arguments": "args", "nodes": "",
	} {
		if got := wording.Nearest(word, known); got != expected {
			t.Errorf("%q gives %q, expected %q", word, got, expected)
		}
	}
}

// X17: a short form, or another form, of exactly one known word means that word.
func TestX17Related(t *testing.T) {
	known := []string{"index", "item", "items", "retry", "maxDelayMs", "maxParallel", "message"}
	for word, expected := range map[string]string{
		"idx": "index", "retries": "retry", "msg": "", "mesg": "message", "ite": "item", "max": "", "itm": "item", "xdi": "", "in": "",
	} {
		if got := wording.Nearest(word, known); got != expected {
			t.Errorf("%q gives %q, expected %q", word, got, expected)
		}
		if got := wording.Misspelt(word, []string{"index", "retry"}); got != "" {
			t.Errorf("%q is a misspelt %q", word, got)
		}
	}
}

func TestTexts(t *testing.T) {
	for got, expected := range map[string]string{
		wording.Suggest("servr", []string{"server"}): `; did you mean "server"?`,
		wording.Suggest("x", []string{"server"}):     "",
		wording.Truncate("aé", 2):                    "a…",
		wording.Truncate("aé", 3):                    "aé",
		wording.Or([]string{"a", "b", "c"}):          "a, b or c",
		wording.Count(1, "call"):                     "1 call",
		wording.Count(0, "call"):                     "0 calls",
		wording.List([]string{"a", "b"}):             "a, b",
		wording.List(make([]string, 14)):             ", , , , , , , , , , ,  and 2 more",
		wording.OneLine("a\nb\x1b[1m\u202e\u2028"):   `a b\x1b[1m\u202e\u2028`,
		wording.Printable("a\n\tb"):                  "a\n\tb",
	} {
		if got != expected {
			t.Errorf("%q, expected %q", got, expected)
		}
	}
}
