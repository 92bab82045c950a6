package cli

import (
	"bytes"
	"testing"

	"toolgraph/config"
)

// A finding is one line of GitHub's workflow commands, whatever is in it: nothing in a graph file
// adds a command of its own.
func TestFindingsForGitHub(t *testing.T) {
	var out bytes.Buffer
	err := writeGitHub(&out, config.Diagnostics{
		{Pos: config.Pos{File: "a,b:c.yaml", Line: 3, Column: 7}, Code: "unknown-key", Message: "100% wrong\n::set-env name=x::y\r", Hint: "write a: b, c"},
		{Pos: config.Pos{File: "g.yaml"}, Severity: config.Warning, Code: "x", Message: "m"},
	})
	want := "::error file=a%2Cb%3Ac.yaml,line=3,col=7,title=unknown-key::100%25 wrong%0A::set-env name=x::y%0D; write a: b, c\n" +
		"::warning file=g.yaml,title=x::m\n"
	if err != nil || out.String() != want {
		t.Errorf("%q, %v; expected %q", out.String(), err, want)
	}
}
