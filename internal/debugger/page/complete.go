package page

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf16"

	"toolgraph/internal/editor/completion"
)

type completeJSON struct {
	From       int                    `json:"from"` // UTF-16 units, as is to
	Candidates []completion.Candidate `json:"candidates"`
}

// complete returns what can be written at a place of a text that is not saved.
func (s *Server) complete(r *http.Request, in draftJSON) (any, error) {
	ctx, done, offset, known, err := s.asking(r, in)
	if err != nil {
		return nil, err
	}
	defer done()
	list := completion.At(ctx, in.Text, offset, known)
	redact := s.loaded().File.Secrets.Redact
	for i := range list.Candidates {
		c := &list.Candidates[i]
		c.Detail, c.Doc = redact(c.Detail), redact(c.Doc)
	}
	if list.Candidates == nil {
		list.Candidates = []completion.Candidate{}
	}
	return completeJSON{From: units(in.Text[:list.From]), Candidates: list.Candidates}, nil
}

type describeJSON struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Label  string `json:"label"`
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	Doc    string `json:"doc"`
}

// describe returns what is known of a word of a text; null for nothing.
func (s *Server) describe(r *http.Request, in draftJSON) (any, error) {
	ctx, done, offset, known, err := s.asking(r, in)
	if err != nil {
		return nil, err
	}
	defer done()
	d, ok := completion.Describe(ctx, in.Text, offset, known)
	if !ok {
		return nil, nil //nolint:nilnil // null is the answer
	}
	redact := s.loaded().File.Secrets.Redact
	for _, f := range d.Facts {
		d.Doc = strings.TrimPrefix(d.Doc+"\n"+f.Name+": "+f.Text, "\n")
	}
	return describeJSON{
		From: units(in.Text[:d.From]), To: units(in.Text[:d.To]), Label: redact(d.Label), Kind: d.Kind, Detail: redact(d.Detail), Doc: redact(d.Doc),
	}, nil
}

// asking prepares an answer about a place of a text: as a byte, with what is known of the last valid text.
// A page that may not save the file can ask about the file itself.
func (s *Server) asking(r *http.Request, in draftJSON) (ctx context.Context, done func(), offset int, known *completion.Known, err error) {
	if s.opts.File.Check == nil {
		return nil, nil, 0, nil, errorf(http.StatusNotFound, "nothing is known of the file")
	}
	if err := s.mayEdit(in.Text); err != nil && !s.sameText(in.Text) {
		return nil, nil, 0, nil, err
	}
	c, err := s.checkedFile(r.Context()) // so that something is known before the first edit
	if err != nil {
		return nil, nil, 0, nil, err
	}
	s.mu.Lock()
	if known = c.Known; s.checks.good != nil {
		known = s.checks.good.Known
	}
	s.mu.Unlock()
	if known == nil {
		known = &completion.Known{}
	}
	ctx, done, err = s.evaluating(r.Context())
	return ctx, done, byteOf(in.Text, in.At), known, err
}

// units counts UTF-16 units, in which browsers measure texts.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// byteOf is the byte before which a text has so many units.
func byteOf(text string, at int) int {
	for i, r := range text {
		if at <= 0 {
			return i
		}
		at -= utf16.RuneLen(r)
	}
	return len(text)
}
