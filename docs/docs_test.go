package docs

import (
	"strings"
	"testing"
)

// Each entry has what toolgraph explain prints of it.
func TestEntries(t *testing.T) {
	for _, e := range Entries() {
		if e.Section == "" || e.Summary == "." || e.Text == "" || !strings.HasPrefix(e.Text, strings.Fields(e.Summary)[0]) || strings.Contains(e.Text, "```") {
			t.Errorf("%+v", e)
		}
		if e.Severity != "error" && e.Severity != "warning" && e.Severity != "error or warning" {
			t.Errorf("%s: severity %q", e.Code, e.Severity)
		}
		for _, x := range e.Examples {
			if x.Graph == "" || x.Findings == "" || x.Remedy == "" {
				t.Errorf("%s: %+v", e.Code, x)
			}
		}
		if found, known := Find(e.Code); !known || found.Summary != e.Summary {
			t.Errorf("%s is not found", e.Code)
		}
	}
	if len(Entries()) < 150 {
		t.Errorf("%d entries", len(Entries()))
	}
	if _, known := Find("no-such-code"); known {
		t.Error("a code that the page does not have was found")
	}
}

// A link leads to the entry of a code, where the page is on the web.
func TestLink(t *testing.T) {
	if link := Link("unknown-node"); link != "" {
		t.Errorf("the page is nowhere, and the link is %s", link)
	}
	defer func(was string) { Site = was }(Site)
	Site = "https://docs.example"
	if link := Link("unknown-node"); link != "https://docs.example/diagnostics.md#unknown-node" {
		t.Error(link)
	}
	if link := Link("no-such-code"); link != "" {
		t.Error(link)
	}
}
