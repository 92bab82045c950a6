package lsp

import (
	"testing"

	"toolgraph/config"
	"toolgraph/docs"
)

// Each finding leads to what the page says of its code, where the page is on the web.
func TestCodesHaveDescriptions(t *testing.T) {
	defer func(was string) { docs.Site = was }(docs.Site)
	docs.Site = "https://docs.example"
	var s Server
	for _, e := range docs.Entries() {
		found := config.Diagnostics{{Pos: config.Pos{File: "g.yaml", Line: 1, Column: 1}, Code: e.Code}}
		d := s.diagnostics(newText("x", utf16Units), "file:///g.yaml", found)[0]
		if d.CodeDescription == nil || d.CodeDescription.Href != "https://docs.example/diagnostics.md#"+e.Code {
			t.Errorf("%s: %+v", e.Code, d.CodeDescription)
		}
	}
}
