package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// settings are what the user has set in the editor, under the name toolgraph.
type settings struct {
	DebounceMs  *int  // the pause after a change before the text is checked
	HoverValues *bool // whether hovers show values of the last recorded run
	InlayHints  *bool
	State       string // the directory or database of recorded runs; "": the usual one
	MCP         string // a file with more servers, as --mcp
	Live        bool   // servers may be started to list their tools, after a question
}

const (
	usualDebounce = 150 * time.Millisecond
	mostDebounce  = 10 * time.Second
)

func (s settings) debounce() time.Duration {
	if s.DebounceMs == nil {
		return usualDebounce
	}
	return min(max(time.Duration(*s.DebounceMs)*time.Millisecond, 0), mostDebounce)
}

func (s settings) hoverValues() bool { return s.HoverValues == nil || *s.HoverValues }

func (s settings) inlayHints() bool { return s.InlayHints == nil || *s.InlayHints }

// serversFile is the file with more servers that the user has set. A relative path is below the first folder of
// the workspace. Server.mu is held.
func (s *Server) serversFile() string {
	if path := s.settings.MCP; path == "" || filepath.IsAbs(path) || len(s.folders) == 0 {
		return path
	}
	return filepath.Join(s.folders[0], s.settings.MCP)
}

// readSettings changes settings to those that a client sends, which may be under the name toolgraph. The
// error says which one cannot be read; it and those that are not sent stay as they are.
func readSettings(raw json.RawMessage, usual settings) (settings, error) {
	var named struct {
		Toolgraph json.RawMessage `json:"toolgraph"`
	}
	if json.Unmarshal(raw, &named) == nil && named.Toolgraph != nil {
		raw = named.Toolgraph
	}
	if len(raw) == 0 {
		return usual, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return usual, err
	}
	err := errors.Join(
		set(fields, "debounceMs", &usual.DebounceMs), set(fields, "hoverValues", &usual.HoverValues), set(fields, "inlayHints", &usual.InlayHints),
		set(fields, "state", &usual.State), set(fields, "mcp", &usual.MCP), set(fields, "live", &usual.Live),
	)
	return usual, err
}

// set changes a setting that is sent and can be read.
func set[T any](fields map[string]json.RawMessage, name string, into *T) error {
	raw := fields[name]
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	*into = value
	return nil
}
