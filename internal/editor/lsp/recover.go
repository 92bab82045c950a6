package lsp

import (
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// mostBlanked is how many lines of a text are left out so that the rest can be read.
const mostBlanked = 8

const syntaxCode = "yaml-syntax"

// remaining returns the findings of a text that is no YAML which the last text that was YAML had as well, at
// their places now. The lines at which the text breaks are left out. A finding that is new is not among them:
// it can come from a line that is left out.
func (s *snapshot) remaining(r *result, broken *checks.Checked) (config.Diagnostics, error) {
	s.server.mu.Lock()
	before := s.doc.last
	s.server.mu.Unlock()
	if len(before) == 0 {
		return nil, nil
	}
	lines := strings.SplitAfter(s.src, "\n")
	for range mostBlanked {
		i := slices.IndexFunc(broken.Found, func(f config.Diagnostic) bool { return f.Code == syntaxCode && f.Pos.File == s.path })
		if i < 0 {
			break
		}
		at := broken.Found[i].Pos.Line - 1
		if at < 0 || at >= len(lines) {
			return nil, nil
		}
		lines[at] = strings.Repeat("\n", strings.Count(lines[at], "\n"))
		var err error
		if broken, err = s.checkGraph(r, s.path, strings.Join(lines, "")); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(broken.Found), func(f config.Diagnostic) bool {
		return f.Code == syntaxCode || !slices.ContainsFunc(before, func(b config.Diagnostic) bool {
			return b.Code == f.Code && b.Message == f.Message && b.Pos.File == f.Pos.File
		})
	}), nil
}

// isBroken reports whether findings are those of a text that is no YAML.
func isBroken(path string, found config.Diagnostics) bool {
	return slices.ContainsFunc(found, func(f config.Diagnostic) bool { return f.Code == syntaxCode && f.Pos.File == path })
}
