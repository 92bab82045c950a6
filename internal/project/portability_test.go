package project

import (
	"strings"
	"testing"

	"toolgraph/config"
)

func TestCheckPortability(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"files", "count_files-2", ""},
		{"files", "count.files", `g.yaml:1:1: warning: some hosts reject the tool name "count.files", expected at most 64 letters, digits, _ or -; choose another name, or use only hosts that accept it [tool-name-portability]`},
		{"files", strings.Repeat("x", 64), ""},
		{"files", strings.Repeat("x", 65), "some hosts reject the tool name"},
		{strings.Repeat("s", 57), strings.Repeat("x", 64), ""},
		{strings.Repeat("s", 58), strings.Repeat("x", 64), "has 129 characters, and some hosts leave out a tool with more than 128; shorten the name of the tool or the server [tool-name-portability]"},
		{"files", "count files", ""}, // the graph's checks report it
		{"files", "", ""},
	} {
		tool := &config.Tool{Name: config.Text{Value: c.tool, Pos: config.Pos{File: "g.yaml", Line: 1, Column: 1}}}
		var found config.Diagnostics
		checkPortability(&found, tool, c.server)
		if got := found.Error(); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s of %s:\ngot  %s\nwant %s", c.tool, c.server, got, c.want)
		}
	}
}
