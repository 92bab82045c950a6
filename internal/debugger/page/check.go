package page

import (
	"context"
	"net/http"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

const (
	mostChecks  = 2                // texts that are checked at once
	checkBudget = 20 * time.Second // for one text, waiting included
)

// results are those of File.Check that are still of use.
type results struct {
	free    chan struct{} // has room for each text that is being checked
	turn    chan struct{} // has room for one: the request that checks the file itself
	version int           // of the file, of the next result; guarded by Server.mu, as the rest is

	saved   *checks.Checked // of the file as it is; nil: it was not checked yet
	savedOf int             // its version
	good    *checks.Checked // the last valid one of any text
}

func newResults() results {
	return results{free: make(chan struct{}, mostChecks), turn: make(chan struct{}, 1), savedOf: -1}
}

// check checks a text, when there is room.
func (s *Server) check(ctx context.Context, text []byte, saved bool) (*checks.Checked, error) {
	ctx, cancel := context.WithTimeout(ctx, checkBudget)
	defer cancel()
	done, err := s.checking(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	c, err := s.opts.File.Check(ctx, text, saved)
	if err != nil {
		return nil, errorf(http.StatusServiceUnavailable, "the text was not checked: %s", s.loaded().File.Secrets.Redact(err.Error()))
	}
	if c.Valid {
		s.mu.Lock()
		s.checks.good = c
		s.mu.Unlock()
	}
	return c, nil
}

// checking waits for room to check a text, which done frees.
func (s *Server) checking(ctx context.Context) (done func(), err error) {
	select {
	case s.checks.free <- struct{}{}:
		return func() { <-s.checks.free }, nil
	case <-ctx.Done():
		return nil, errorf(http.StatusServiceUnavailable, "%d texts are being checked, which is the limit; ask again later", mostChecks)
	}
}

// checkedFile returns what was found in the file as it is now; it is checked once.
func (s *Server) checkedFile(ctx context.Context) (*checks.Checked, error) {
	s.mu.Lock()
	found := s.found
	s.mu.Unlock()
	if s.opts.File.Check == nil {
		return &checks.Checked{Project: s.loaded().Project.Project, Valid: found.Err() == nil, Found: found}, nil
	}
	select {
	case s.checks.turn <- struct{}{}:
		defer func() { <-s.checks.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	now, text, done := s.checks.version, s.source, s.checks.saved
	if s.checks.savedOf != now {
		done = nil
	}
	s.mu.Unlock()
	if done != nil {
		return done, nil
	}
	c, err := s.check(ctx, []byte(text), true)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.checks.saved, s.checks.savedOf = c, now
	s.mu.Unlock()
	return c, nil
}

// findings are those of the file: of toolgraph check, and why it could not be loaded if that is more.
func (s *Server) findings(ctx context.Context) []findingJSON {
	s.mu.Lock()
	own, redact := s.found, s.project.File.Secrets.Redact
	s.mu.Unlock()
	c, err := s.checkedFile(ctx)
	if err != nil {
		own = append(slices.Clip(own), config.Diagnostic{Severity: config.Warning, Message: "not all checks were made: " + err.Error(), Hint: "reload the page"})
		c = &checks.Checked{}
	}
	all := s.findingsOf(c)
	for _, f := range s.findingsOf(&checks.Checked{Found: own}) {
		f.Message, f.Hint = redact(f.Message), redact(f.Hint)
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

type findingJSON struct {
	File     string `json:"file,omitempty"` // when it is not the graph file
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// findingsOf returns findings with the secrets of the file, and of the text that was checked, redacted.
func (s *Server) findingsOf(c *checks.Checked) []findingJSON {
	p := s.loaded()
	redact := p.File.Secrets.Redact
	if c.Project != nil {
		redact = func(text string) string { return p.File.Secrets.Redact(c.Project.File.Secrets.Redact(text)) }
	}
	all := []findingJSON{}
	for _, d := range c.Found {
		f := findingJSON{
			Line: d.Pos.Line, Column: d.Pos.Column, Severity: d.Severity.String(), Code: d.Code, Message: redact(d.Message), Hint: redact(d.Hint),
		}
		if p.shown(d.Pos) != d.Pos {
			f.File = d.Pos.File
		}
		all = append(all, f)
	}
	return all
}

type draftJSON struct {
	Text string `json:"text"`
	Tool string `json:"tool"` // whose graph is wanted
	At   int    `json:"at"`   // UTF-16 units before the cursor
}

type checkedJSON struct {
	Valid    bool          `json:"valid"` // the text can be served
	Findings []findingJSON `json:"findings"`
	Graph    *drawing      `json:"graph,omitempty"` // of the tool, when it can be built
}

// checkText checks a text that is not saved. The newest request of a page ends the one before: the
// browser drops that, and its context ends.
func (s *Server) checkText(r *http.Request, in draftJSON) (any, error) {
	if err := s.mayEdit(in.Text); err != nil {
		return nil, err
	}
	c, err := s.check(r.Context(), s.draft(in.Text), false)
	if err != nil {
		return nil, err
	}
	out := checkedJSON{Valid: c.Valid, Findings: s.findingsOf(c)}
	if c.Project != nil {
		if g, err := c.Project.Graph(in.Tool); err == nil {
			drawn := s.loaded().draw(r.Context(), g, c.Project.File.Secrets.Redact)
			out.Graph = &drawn
		}
	}
	return out, nil
}
