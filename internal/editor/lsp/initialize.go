package lsp

import (
	"context"
	"encoding/json"
	"slices"
)

// clientCan is what a client has said that it can do.
type clientCan map[string]any

// get returns the value at the path of a capability; nil: the client has not said.
func (c clientCan) get(path ...string) any {
	at := any(map[string]any(c))
	for _, key := range path {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return at
}

// has reports whether a capability is true.
func (c clientCan) has(path ...string) bool { return c.get(path...) == true }

// accepts reports whether a capability that is a list has a value.
func (c clientCan) accepts(value string, path ...string) bool {
	list, _ := c.get(path...).([]any)
	return slices.Contains(list, any(value))
}

// markup is the kind of texts that the client can show in a feature, whose capability is at the path.
func (c clientCan) markup(path ...string) string {
	if c.accepts("markdown", path...) {
		return "markdown"
	}
	return "plaintext"
}

type initializeParams struct {
	Capabilities          clientCan       `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	RootURI               string          `json:"rootUri"`
	WorkspaceFolders      []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
}

func (s *Server) initialize(raw json.RawMessage) (any, error) {
	var p initializeParams
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, errorf(codeInvalidParams, "the parameters cannot be read: %s", err)
	}
	s.client = p.Capabilities
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.settings, err = readSettings(p.InitializationOptions, s.settings); err != nil {
		s.log.Warn("a setting was ignored", "error", err)
	}
	for _, f := range p.WorkspaceFolders {
		s.folders = append(s.folders, pathOf(f.URI))
	}
	if len(s.folders) == 0 && p.RootURI != "" {
		s.folders = []string{pathOf(p.RootURI)}
	}
	capabilities := map[string]any{
		"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]any{"includeText": false}},
	}
	for _, units := range []string{utf8Units, utf16Units, utf32Units} { // in the order in which they are cheap
		if s.client.accepts(units, "general", "positionEncodings") {
			s.units, capabilities["positionEncoding"] = units, units
			break
		}
	}
	for _, f := range features() {
		f.provide(&s.client, capabilities)
	}
	return map[string]any{"capabilities": capabilities, "serverInfo": map[string]any{"name": "toolgraph", "version": s.opts.Version}}, nil
}

// isReady handles initialized: the server may send requests from now on.
func (s *Server) isReady(json.RawMessage) error {
	if s.client.has("workspace", "didChangeWatchedFiles", "dynamicRegistration") {
		watch := map[string]any{"registrations": []any{map[string]any{
			"id": "files", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": map[string]any{"watchers": []any{map[string]any{"globPattern": "**/*.{yaml,yml}"}}},
		}}}
		s.background(func(ctx context.Context) {
			if err := s.ask(ctx, "client/registerCapability", watch, nil); err != nil && ctx.Err() == nil {
				s.log.Warn("changes of files are not watched; a file that is saved is checked again", "error", err)
			}
		})
	}
	s.askSettings()
	return nil
}

// configured handles a change of settings. Some clients send them, others wait to be asked.
func (s *Server) configured(params json.RawMessage) error {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	if s.client.has("workspace", "configuration") {
		s.askSettings()
		return nil
	}
	return s.configure(p.Settings)
}

func (s *Server) askSettings() {
	if !s.client.has("workspace", "configuration") {
		return
	}
	s.background(func(ctx context.Context) {
		var got []json.RawMessage
		err := s.ask(ctx, "workspace/configuration", map[string]any{"items": []any{map[string]any{"section": "toolgraph"}}}, &got)
		if err == nil && len(got) == 1 {
			err = s.configure(got[0])
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("settings were ignored", "error", err)
		}
	})
}

// configure changes the settings, and checks all documents again.
func (s *Server) configure(raw json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.settings
	now, err := readSettings(raw, was)
	s.settings = now
	if was.MCP != now.MCP || was.Live != now.Live {
		for _, d := range s.docs {
			s.renew(d)
			s.learn(d)
		}
	}
	return err
}
