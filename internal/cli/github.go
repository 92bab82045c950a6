package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/program"
)

// writeGitHub writes findings as workflow commands, which GitHub shows beside the lines.
func writeGitHub(w io.Writer, found config.Diagnostics) error {
	for _, d := range found {
		place := ""
		if d.Pos.IsValid() {
			place = fmt.Sprintf(",line=%d,col=%d", d.Pos.Line, d.Pos.Column)
		}
		text := d.Message
		if d.Hint != "" {
			text += "; " + d.Hint
		}
		if d.Code != "" {
			place += ",title=" + commandProperty(d.Code)
		}
		if _, err := fmt.Fprintf(w, "::%s file=%s%s::%s\n", d.Severity, commandProperty(filepath.ToSlash(d.Pos.File)), place, commandText(text)); err != nil {
			return err
		}
	}
	return nil
}

// commandText returns a text as the data of a workflow command, which is one line.
func commandText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// commandProperty returns a text as a property of a workflow command.
func commandProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandText(text))
}

// githubTests prints failed tests and mistakes like writeGitHub, and the totals like textTests.
type githubTests struct{ std program.Streams }

func (t githubTests) file(r *graphtest.Report) {
	var failed config.Diagnostics
	for _, result := range r.Results {
		if result.Status == graphtest.Failed {
			failed.Add(result.Case.Pos, result.Case.Name, strings.TrimRight(result.Text(), "\n"), "")
		}
	}
	found, others := r.Mistakes()
	_ = writeGitHub(t.std.Out, append(failed, found...)) // the totals report a closed output
	for _, err := range others {
		fmt.Fprintf(t.std.Out, "::error::%s\n", commandText(err.Error()))
	}
}

func (t githubTests) end(o *testOutcome, coverage bool) error {
	return textTests{std: t.std}.end(o, coverage)
}
