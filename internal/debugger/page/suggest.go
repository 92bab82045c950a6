package page

import (
	"net/http"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/habit"
)

// suggestionsJSON are drafts of tools for what clients of the file do again and again.
type suggestionsJSON struct {
	Suggestions []habit.View `json:"suggestions"`
}

// getSuggestions returns drafts of tools from the recorded runs of the file.
func (s *Server) getSuggestions(r *http.Request) (any, error) {
	if s.opts.Store == nil {
		return nil, errorf(http.StatusNotFound, "runs are not recorded (history is off)")
	}
	since, err := timeOf(r.URL.Query().Get("since"), "since")
	if err != nil {
		return nil, err
	}
	_, views, err := habit.OfRuns(r.Context(), s.opts.Store, journal.Filter{File: s.loaded().path, Since: since, Limit: -1}, 0)
	return suggestionsJSON{views}, err
}

// takeJSON is a tool that is added to the file.
type takeJSON struct {
	Draft   string `json:"draft"`   // the tool as YAML
	Version string `json:"version"` // of the file that it is added to
}

// takeSuggestion adds a tool to the file, as saveSource saves a text.
func (s *Server) takeSuggestion(r *http.Request, in takeJSON) (any, error) {
	if err := s.mayEdit(in.Draft); err != nil {
		return nil, err
	}
	loaded := s.loaded()
	read, err := s.opts.File.Read()
	if err != nil {
		return nil, notSaved(loaded.File.Secrets.Redact, err)
	}
	tool, err := config.ParseData("the draft", []byte(in.Draft))
	if err != nil {
		return nil, errorf(http.StatusUnprocessableEntity, "%s", err)
	}
	text, err := config.AddTool(loaded.path, read, tool)
	if err != nil {
		return nil, notSaved(loaded.File.Secrets.Redact, err)
	}
	return s.saveSource(r, saveJSON{Text: loaded.File.Secrets.Redact(string(text)), Version: in.Version})
}
