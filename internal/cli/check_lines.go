package cli

import (
	"fmt"
	"io"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/internal/wording"
)

// lines are the lines of the files that were loaded, by path, to be shown under their
// findings. Of a file that could not be loaded none are: which of its words are secrets
// is not known.
type lines map[string][]string

func (l lines) note(of checked, secrets *config.Secrets) {
	raw := of.src
	if raw == nil {
		var err error
		if raw, err = config.ReadFile(of.path); err != nil {
			return // it has gone since; the findings do without
		}
	}
	l[of.path] = strings.Split(secrets.Redact(string(raw)), "\n")
}

// write is a finding and, under it, its line with a caret under the place.
func (l lines) write(w io.Writer, found config.Diagnostics) error {
	for _, d := range found {
		if _, err := fmt.Fprintf(w, "%s\n%s", wording.OneLine(d.String()), l.excerpt(d.Pos)); err != nil {
			return err
		}
	}
	return nil
}

// excerpt is the line of a place with a caret under it; empty when it is not known.
func (l lines) excerpt(pos config.Pos) string {
	if pos.Line < 1 || pos.Line > len(l[pos.File]) {
		return ""
	}
	line := []rune(wording.Printable(l[pos.File][pos.Line-1]))
	if pos.Column < 1 || pos.Column > len(line)+1 {
		return ""
	}
	caret := expressions.Caret(string(line), len(string(line[:pos.Column-1])))
	return "  " + strings.ReplaceAll(caret, "\n", "\n  ") + "\n"
}
