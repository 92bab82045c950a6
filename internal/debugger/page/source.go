package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/editor/checks"
)

// File is what the page does with the graph file beside running its graphs.
type File struct {
	// Read returns the text of the file as it is now.
	Read func() ([]byte, error)
	// Check checks a text of the file. It starts no server and opens no connection; a text that is not
	// saved reads no file that the saved one does not read. nil: only errors of loading are shown.
	Check func(ctx context.Context, text []byte, saved bool) (*checks.Checked, error)
	// Save replaces the text that was read, and refuses a text with errors unless broken allows it:
	// they are config.Diagnostics then. nil: the page may not change the file.
	Save func(ctx context.Context, text, read []byte, broken bool) error
}

// ErrChanged is the error of File.Save when the file is not what was read.
var ErrChanged = errors.New("the file has changed")

// version identifies a text of the file.
func version(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

type sourceJSON struct {
	Path     string `json:"path"`
	Text     string `json:"text"`
	Version  string `json:"version"`
	Writable bool   `json:"writable"` // the page may save it
}

func (s *Server) getSource(*http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sourceJSON{
		Path: s.project.path, Text: s.project.File.Secrets.Redact(s.source), Version: version(s.source), Writable: s.opts.File.Save != nil,
	}, nil
}

type saveJSON struct {
	Text    string `json:"text"`
	Version string `json:"version"` // of the text that was changed
	Broken  bool   `json:"broken"`  // save it even if it has errors
}

type savedJSON struct {
	Outcome string `json:"outcome"`          // saved, changed (by another program), errors
	Version string `json:"version"`          // of the file as it is now
	Text    string `json:"text,omitempty"`   // changed: the file as it is now
	Diff    string `json:"diff,omitempty"`   // changed: from the file to the text that was not saved
	Errors  int    `json:"errors,omitempty"` // errors: how many
}

// saveSource saves the text of the file that was opened, and no other file.
func (s *Server) saveSource(r *http.Request, in saveJSON) (any, error) {
	if err := s.mayEdit(in.Text); err != nil {
		return nil, err
	}
	redact := s.loaded().File.Secrets.Redact
	read, err := s.opts.File.Read()
	if err != nil {
		return nil, notSaved(redact, err)
	}
	text, err := restore(in.Text, string(read), redact)
	if now := version(string(read)); now != in.Version {
		return savedJSON{
			Outcome: "changed", Version: now, Text: redact(string(read)),
			Diff: headless(diff.Text("the file", redact(string(read)), "this page", in.Text)),
		}, nil
	}
	if err != nil {
		return nil, err
	}
	if string(read) == text {
		return savedJSON{Outcome: "saved", Version: in.Version}, nil
	}
	err = s.opts.File.Save(r.Context(), []byte(text), read, in.Broken)
	var found config.Diagnostics
	switch {
	case errors.Is(err, ErrChanged):
		return nil, errorf(http.StatusConflict, "another program has just changed the file; save again")
	case errors.As(err, &found):
		errs, _ := found.Split()
		return savedJSON{Outcome: "errors", Version: in.Version, Errors: len(errs)}, nil
	case err != nil:
		return nil, notSaved(redact, err)
	}
	return savedJSON{Outcome: "saved", Version: version(text)}, nil
}

// headless is a diff without the line that names the command.
func headless(diff string) string {
	_, rest, _ := strings.Cut(diff, "\n")
	return rest
}

func notSaved(redact func(string) string, err error) error {
	return errorf(http.StatusUnprocessableEntity, "nothing was saved: %s", redact(err.Error()))
}

// mayEdit refuses texts of other pages than those that may save them: only they have such a text.
func (s *Server) mayEdit(text string) error {
	switch {
	case s.opts.File.Save == nil:
		return &failure{status: http.StatusForbidden, Message: "the page may not change the file", Hint: "start toolgraph ui with --allow-write"}
	case len(text) > config.MaxFileBytes:
		return errorf(http.StatusRequestEntityTooLarge, "the text is longer than %d MiB, which is the limit of a graph file", config.MaxFileBytes>>20)
	}
	return nil
}

// hidden is what the page shows in place of a secret.
const hidden = "[redacted]"

// restore returns a text that was edited on the page with the secrets of the file in it again: a line
// with a hidden secret must be one that the file has. The error names the first other one.
func restore(text, raw string, redact func(string) string) (string, error) {
	shown := redact(raw)
	if shown == raw {
		return text, nil
	}
	had, has := strings.Split(shown, "\n"), strings.Split(raw, "\n")
	if len(had) != len(has) {
		return text, errorf(http.StatusUnprocessableEntity, "nothing was saved: the file holds a secret of several lines, which the page cannot show; edit the file elsewhere")
	}
	whole := map[string]string{} // the line of each line that is shown; "" when there are several
	for i, line := range had {
		if line = strings.TrimSpace(line); strings.Contains(line, hidden) {
			own := strings.TrimSpace(has[i])
			if other, twice := whole[line]; twice && other != own {
				own = ""
			}
			whole[line] = own
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.Contains(line, hidden) {
			continue
		}
		inner := strings.TrimSpace(line)
		own := whole[inner]
		if own == "" {
			return text, &failure{
				status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("nothing was saved: %s in line %d stands for a secret that the page does not show", hidden, i+1),
				Hint: "leave the line as it was, or write the whole value anew, best as ${VARIABLE}",
			}
		}
		lines[i] = strings.Replace(line, inner, own, 1)
	}
	return strings.Join(lines, "\n"), nil
}

// sameText reports whether a text is that of the file as it is shown.
func (s *Server) sameText(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	lf := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") } // as editors have it
	return lf(text) == lf(s.project.File.Secrets.Redact(s.source))
}

// draft returns the text of a request with its secrets, as far as they can be put in again.
func (s *Server) draft(text string) []byte {
	s.mu.Lock()
	source, redact := s.source, s.project.File.Secrets.Redact
	s.mu.Unlock()
	whole, _ := restore(text, source, redact) // else as it is shown
	return bytes.Clone([]byte(whole))
}
