package lsp

import "encoding/json"

// The types of the protocol that several features use. A type that one feature uses is in its file.

// Position is a place in a document: a line from 0, and units of the position encoding before it.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is from a position to another, which is not in it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit changes documents: each in a version, or, for clients that do not know this, by URI.
type WorkspaceEdit struct {
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
	Changes         map[string][]TextEdit `json:"changes,omitempty"`
}

type documentEdit struct {
	TextDocument versionedID `json:"textDocument"`
	Edits        []TextEdit  `json:"edits"`
}

// versionedID names a version of a document; a file that is not open has none, which is null.
type versionedID struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
}

// Markup is a text for people: plaintext or markdown, as the client can show it.
type Markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// documentID names a document.
type documentID struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
}

// aboutDocument are the parameters of a request about a document.
type aboutDocument struct {
	TextDocument documentID `json:"textDocument"`
}

// atPosition are the parameters of a request about a place in a document.
type atPosition struct {
	aboutDocument

	Position Position `json:"position"`
}

// Diagnostic is a finding.
type Diagnostic struct {
	Range           Range             `json:"range"`
	Severity        int               `json:"severity"`
	Code            string            `json:"code,omitempty"`
	CodeDescription *codeDescription  `json:"codeDescription,omitempty"`
	Source          string            `json:"source"`
	Message         string            `json:"message"`
	Tags            []int             `json:"tags,omitempty"`
	Related         []relatedLocation `json:"relatedInformation,omitempty"`
	Data            json.RawMessage   `json:"data,omitempty"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedLocation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// The severities of a Diagnostic.
const (
	severityError   = 1
	severityWarning = 2
)
