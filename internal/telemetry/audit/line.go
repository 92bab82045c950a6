package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// Kind is what a line reports.
type Kind string

// The kinds of lines.
const (
	FileBegun Kind = "file-begun" // the first line of each file
	Opened    Kind = "opened"     // a process begins to write
	Closed    Kind = "closed"     // it has ended in order
	Lost      Kind = "lost"       // before this line, a line was not written to its end, or lines could not be written
	RunBegun  Kind = "run-begun"
	RunEnded  Kind = "run-ended" // missing for a run that was suspended or interrupted
	CallBegun Kind = "call"      // before the call, or another attempt of it, is sent
	CallEnded Kind = "outcome"   // of that call
	Question  Kind = "question"
	Answer    Kind = "answer"
	Refusal   Kind = "refusal" // a step that was not allowed, or that the user did not agree to
)

// Entry is what a line reports. Which fields are set depends on Kind.
type Entry struct {
	Kind Kind `json:"kind"`

	Run  string            `json:"run,omitempty"`  // id of the run
	Tool string            `json:"tool,omitempty"` // of the run
	At   execution.Address `json:"at,omitempty"`
	Node string            `json:"node,omitempty"` // as mocks name it: its id, facts.weather or todos_of_file:read

	Graph    string    `json:"graph,omitempty"`      // run-begun: hash of the graph
	Resumed  bool      `json:"resumed,omitempty"`    // run-begun: the run was interrupted before
	Forked   string    `json:"forkedFrom,omitempty"` // run-begun: RUN/ADDRESS, whose steps before that one were copied
	Subject  string    `json:"subject,omitempty"`    // run-begun: whose access token its call had
	Call     *Call     `json:"call,omitempty"`       // call, outcome, refusal; question: those that wait for the answer
	Asked    *Asked    `json:"question,omitempty"`
	Answered *Answered `json:"answer,omitempty"`
	Outcome  *Outcome  `json:"outcome,omitempty"` // outcome, run-ended, refusal

	Version  string `json:"version,omitempty"`  // opened: of the program
	Previous string `json:"previous,omitempty"` // file-begun: name of the file before it
	Missing  *Gap   `json:"lost,omitempty"`     // lost: lines that could not be written
	Cut      *Cut   `json:"cut,omitempty"`      // lost: the incomplete line before this one
}

// Call is a call to an upstream tool.
type Call struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Effect  string `json:"effect"`            // read, write, destroy or unknown
	Attempt int    `json:"attempt,omitempty"` // from 2 on
	Args    *Args  `json:"args,omitempty"`    // of a call that begins
}

// Args describes arguments without their values.
type Args struct {
	Digest string `json:"digest"` // SHA-256 of the compact JSON, in hex
	Shape  string `json:"shape"`  // types and keys
}

// Asked is a question to the user, without its text.
type Asked struct {
	Kind   string `json:"kind"` // ask or confirmation
	Digest string `json:"digest"`
	Calls  int    `json:"calls,omitempty"` // that wait for the answer
}

// Answered is the answer to a question, without its content.
type Answered struct {
	Action execution.Action `json:"action"`
	Digest string           `json:"digest"` // of the question
}

// Outcome is how something ended.
type Outcome struct {
	Code string `json:"code"` // ok, or the code of the failure
	Ms   int64  `json:"ms"`   // that it took
}

// Gap is how many lines could not be written, and since when.
type Gap struct {
	Lines int       `json:"lines"`
	Since time.Time `json:"since"`
}

// Cut is a line that was not written to its end: what is in the file between the complete line
// before it and the line that has the Cut, without the line break before that one.
type Cut struct {
	Bytes  int64  `json:"bytes"`
	Digest string `json:"digest"` // SHA-256 in hex
}

// mark is a place in the chain: the number of a line, from 1, and its hash; zero before the first.
type mark struct {
	N    int64
	Hash string
}

// Line is a line of the log.
type Line struct {
	N    int64     `json:"n"`    // from 1, over all files
	Prev string    `json:"prev"` // hash of the line before it; empty for the first
	Time time.Time `json:"time"`
	Entry
	Hash string `json:"-"`

	text string // as it is in the file
}

// Text returns the line as it is in the file, without the line break; empty for one that was read.
func (l *Line) Text() string { return l.text }

func (l *Line) mark() mark { return mark{l.N, l.Hash} }

// IsWarning reports whether an operator should look at the line: a refusal, or lines that are lost.
func (l *Line) IsWarning() bool { return l.Kind == Refusal || l.Kind == Lost }

// Attributes returns what the line has by the names that spans of runs use.
func (l *Line) Attributes() map[string]string {
	all := map[string]string{"toolgraph.audit.kind": string(l.Kind), "toolgraph.audit.line": strconv.FormatInt(l.N, 10)}
	add := func(key, text string) {
		if text != "" {
			all[key] = text
		}
	}
	add("toolgraph.run.id", l.Run)
	add("gen_ai.tool.name", l.Tool)
	add("toolgraph.address", string(l.At))
	add("toolgraph.node.id", l.Node)
	if l.Call != nil {
		add("toolgraph.server", l.Call.Server)
		add("toolgraph.server.tool", l.Call.Tool)
		add("toolgraph.effect", l.Call.Effect)
	}
	if l.Outcome != nil && l.Outcome.Code != "ok" {
		add("error.type", l.Outcome.Code)
	}
	return all
}

// sealStart is what a line has between the bytes that are hashed and the hash, sealEnd what
// follows the hash.
const (
	sealStart = `,"hash":"`
	sealEnd   = `"}`
	sealSize  = len(sealStart) + 2*sha256.Size + len(sealEnd)
)

// maxLine bounds a line; names are truncated, so none is longer.
const maxLine = 64 << 10

// seal returns an entry as the line after a mark. The hash is that of all bytes before it.
func seal(e *Entry, after mark, now time.Time) (*Line, error) {
	l := &Line{N: after.N + 1, Prev: after.Hash, Time: now.UTC().Truncate(time.Millisecond), Entry: *e}
	src, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	if len(src)+sealSize > maxLine {
		return nil, fmt.Errorf("a line of %d bytes is too long", len(src))
	}
	src = src[:len(src)-1]
	l.Hash = digestOf(src)
	l.text = string(src) + sealStart + l.Hash + sealEnd
	return l, nil
}

// errIncomplete is the error of what may be the beginning of a line.
var errIncomplete = errors.New("found no complete line, expected JSON that ends with its hash")

// parse reads a line without its line break and checks its hash. The error says what was found and
// what was expected.
func parse(src []byte) (*Line, error) {
	body := len(src) - sealSize
	if body < 0 || !bytes.HasPrefix(src[body:], []byte(sealStart)) || !bytes.HasSuffix(src, []byte(sealEnd)) {
		return nil, errIncomplete
	}
	hash := string(src[body+len(sealStart) : len(src)-len(sealEnd)])
	if own := digestOf(src[:body]); own != hash {
		return nil, fmt.Errorf("the line was changed: found the hash %.16s…, expected %.16s… for its content", printable(hash), own)
	}
	l := Line{}
	if err := json.Unmarshal(append(src[:body:body], '}'), &l); err != nil {
		return nil, fmt.Errorf("found a line with a valid hash that is no entry of an audit log: %w", err)
	}
	l.Hash = hash
	return &l, nil
}

// printable returns a hash that was read from a file, or a note that it is none.
func printable(hash string) string {
	if _, err := hex.DecodeString(hash); err != nil {
		return "(not hexadecimal)"
	}
	return hash
}

func digestOf(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// effectOf returns the effect of a call as lines have it.
func effectOf(e config.Effect) string {
	if e == "" {
		return "unknown"
	}
	return string(e)
}
