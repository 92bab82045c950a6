// Package lsp is the language server of toolgraph lsp: messages of an editor go in, findings, completions
// and other answers come out.
//
// One goroutine reads messages (server.go), and changes the documents in the order of their changes
// (documents.go). Each version of a document is a snapshot (snapshot.go): its text, its lines, what the
// checks find in it, and what the last valid version is known to have. Requests are answered from the
// snapshot that they were sent for, each in a goroutine of its own (requests.go). The checks follow the
// changes after a pause (diagnose.go), and a result is published for the version that it belongs to or not
// at all.
//
// Each other feature is a file with its capability and its handlers, listed in features.go. They only
// translate: what is known of a graph file comes from the rooms below.
//
// The protocol is spoken by code of its own (wire.go, protocol.go); docs/adr/0024 says why.
package lsp
