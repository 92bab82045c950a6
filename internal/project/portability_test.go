package project

import (
	"strings"
	"testing"

	"toolgraph/config"
)

func TestCheckPortability(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"files", "count_files-2", ""},
		{"files", "count.files", `g.yaml:1:1: warning: tool name "count.files" is refused by some hosts, expected at most 64 letters, digits, _ or -; write another name, or keep to hosts that take it [tool-name-portability]`},
		{"files", strings.Repeat("x", 64), ""},
		{"files", strings.Repeat("x", 65), "refused by some hosts"},
		{strings.Repeat("s", 57), strings.Repeat("x", 64), ""},
		{strings.Repeat("s", 58), strings.Repeat("x", 64), "g.yaml:1:1: warning: with the server's name, the tool name has 129 characters, and some hosts leave out a tool with more than 128; shorten one of the two names [tool-name-portability]"},
		{"files", "count files", ""}, // the graph's checks tell
		{"files", "", ""},
	} {
		file := &config.File{
			Server: config.Server{Name: config.Text{Value: c.server}},
			Tools:  []*config.Tool{{Name: config.Text{Value: c.tool, Pos: config.Pos{File: "g.yaml", Line: 1, Column: 1}}}},
		}
		if got := checkPortability(file).Error(); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s of %s:\ngot  %s\nwant %s", c.tool, c.server, got, c.want)
		}
	}
}
