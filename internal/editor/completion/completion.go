package completion

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
)

// Kind is the kind of a file.
type Kind uint8

// A graph file; a file with tests of one, mocks included; the lock beside one.
const (
	GraphFile Kind = iota
	TestFile
	LockFile
)

// Known is what the checks know of the last valid version of a graph file: the one at hand, or the one that
// a test or a lock belongs to. It is safe for concurrent use.
type Known struct {
	Kind      Kind
	Form      []byte // the JSON Schema of a TestFile; nil for others
	File      *config.File
	Graphs    []*graph.Graph
	Upstreams flow.Upstreams             // may be nil
	Tools     func(server string) []Tool // as far as they are known without asking the server; may be nil

	own    inferred
	shared *inferred // of another Known of the same graph file; nil: own
}

// As returns what is known for a file of another kind that belongs to the same graph file.
func (k *Known) As(kind Kind, form []byte) *Known {
	return &Known{Kind: kind, Form: form, File: k.File, Graphs: k.Graphs, Upstreams: k.Upstreams, Tools: k.Tools, shared: k.inferred()}
}

// inferred is what was found out already.
type inferred struct {
	mu    sync.Mutex
	flows map[string]*flow.Flow // by tool
	tests schema                // Known.Form, decoded
}

func (k *Known) inferred() *inferred {
	if k.shared != nil {
		return k.shared
	}
	return &k.own
}

// Tool is a tool of a server.
type Tool struct {
	Name, Description string
	Input             []byte // its JSON Schema; nil: unknown
}

// Candidate is a text that can be written at a place.
type Candidate struct {
	Label  string `json:"label"`
	Kind   string `json:"kind"`             // property, enum, node, server, tool, field, function, variable, snippet
	Detail string `json:"detail,omitempty"` // its type, in short
	Doc    string `json:"doc,omitempty"`
	Insert string `json:"insert,omitempty"` // what is written; empty: the label
	Rank   int    `json:"rank,omitempty"`   // a higher one comes first

	// Snippet is what an editor writes that knows snippets as the Language Server Protocol defines them;
	// empty: as Insert says. Further lines begin at the indentation of the first one's line; those of
	// Insert begin at the margin.
	Snippet string `json:"-"`

	of schema // of the value of a key; nil: unknown
}

// List are the candidates that replace the bytes from From to the place. To is the end of the word around
// the place: an editor can replace that as well.
type List struct {
	From, To   int
	Candidates []Candidate
	More       bool // there are more, which a longer word selects
}

// mostCandidates bounds a list.
const mostCandidates = 300

// At returns what can be written at a byte of a text. An unknown place has no candidates. When ctx ends,
// some may be missing.
func At(ctx context.Context, src string, offset int, known *Known) List {
	c, ok := newCursor(ctx, src, offset, known)
	if !ok {
		at := min(max(offset, 0), len(src))
		return List{From: at, To: at}
	}
	list := c.list()
	for i := range list {
		if list[i].Insert == list[i].Label {
			list[i].Insert = ""
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return b.Rank - a.Rank })
	return List{From: c.offset - len(c.prefix), To: c.wordEnd(), Candidates: list[:min(len(list), mostCandidates)], More: len(list) > mostCandidates}
}

// wordEnd is the end of the word that the cursor is in.
func (c *cursor) wordEnd() int {
	to := c.offset
	for to < len(c.src) && (c.src[to] >= utf8.RuneSelf || isLetter(c.src[to]) || strings.IndexByte("_-", c.src[to]) >= 0) {
		to++
	}
	return to
}

// hasValue reports whether the key at the cursor has its colon already.
func (c *cursor) hasValue() bool {
	return c.inKey && strings.HasPrefix(strings.TrimLeft(c.src[c.wordEnd():], `"' `), ":")
}

// cursor is a place in a text, and what is known there.
type cursor struct {
	*place
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	known  *Known
	src    string
	offset int
	prefix string // the word before the cursor, which a candidate replaces
	glued  bool   // the cursor is directly behind a colon
	root   *item
	tool   *item // the tool around the cursor; nil: none
	node   *item // the node, or the branch of one
	of     *item // the item that the cursor is in
}

func newCursor(ctx context.Context, src string, offset int, known *Known) (*cursor, bool) {
	offset = min(max(offset, 0), len(src))
	for offset > 0 && offset < len(src) && !utf8.RuneStart(src[offset]) {
		offset--
	}
	if len(src) > config.MaxFileBytes || strings.Contains(src, mark) {
		return nil, false
	}
	o := read(src[:offset] + mark + src[offset:])
	if o.place == nil {
		return nil, false
	}
	c := &cursor{place: o.place, ctx: ctx, known: known, src: src, offset: offset, root: o.root, of: o.place.of}
	c.prefix = wordAtEnd(c.before, "_-.")
	c.glued = strings.HasSuffix(src[:offset], ":") && !c.inKey
	for at := c.of; at != nil && at.parent != nil; at = at.parent {
		switch list := at.parent; {
		case known.Kind != GraphFile:
		case list.kind == sequence && (list.key == "nodes" || list.key == "steps") && list.parent != nil && c.node == nil:
			c.node = at
		case list.kind == mapping && at.key == "return" && list.get("steps") != nil && c.node == nil:
			c.node = list // the tool, or the block
		case list.kind == mapping && list.key == "branches" && c.node == nil:
			c.node = at
		case list.kind == sequence && list.key == "tools" && list.parent == o.root:
			c.tool = at
		}
	}
	return c, true
}

// wordAtEnd returns the letters, digits and other characters at the end of a text.
func wordAtEnd(text, others string) string {
	from := len(text)
	for from > 0 {
		b := text[from-1]
		if b < utf8.RuneSelf && !isLetter(b) && strings.IndexByte(others, b) < 0 {
			break
		}
		from--
	}
	return text[from:]
}

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// path returns the keys from an item to the cursor; items of lists are "".
func (c *cursor) path(from *item) []string {
	var keys []string
	for at := c.of; at != nil && at != from; at = at.parent {
		keys = append(keys, at.key)
	}
	slices.Reverse(keys)
	return keys
}

// list returns all candidates, in no order.
func (c *cursor) list() []Candidate {
	if c.node != nil {
		if source, ok := c.expression(); ok {
			return c.inExpression(source)
		}
	}
	if in := placeholder().FindStringSubmatch(c.before); in != nil && !c.inKey && c.known.Kind == GraphFile {
		c.prefix = in[1]
		return c.placeholders()
	}
	var out []Candidate
	all := c.schemas()
	if c.begun() {
		out = c.keys(all)
	}
	if c.begun() || c.glued || c.before == "" {
		out = append(out, c.snippets(all)...)
	}
	if !c.inKey {
		out = append(out, c.names()...)
		out = append(out, c.described(values(all))...)
		if c.glued {
			for i := range out {
				out[i].Insert = " " + cmp.Or(out[i].Insert, out[i].Label)
				if out[i].Snippet != "" {
					out[i].Snippet = " " + out[i].Snippet
				}
			}
		}
	}
	return out
}

// described adds to the types of nodes what such nodes do.
func (c *cursor) described(values []Candidate) []Candidate {
	if c.node != nil && c.of.key == "type" && c.of.parent == c.node {
		for i := range values {
			values[i].Doc = text(schemaOf(schemaOf(language()["$defs"])["node-"+values[i].Label])["description"])
		}
	}
	return values
}

// begun reports whether a mapping can begin at the cursor: where a key is written, in an item of a list,
// and in a line of its own.
func (c *cursor) begun() bool {
	return c.inKey || c.of.parent == nil || c.of.kind == sequence || c.of.parent.kind == sequence || strings.Contains(c.src[min(c.of.at, c.offset):min(c.of.from, c.offset)], "\n")
}

// schemas returns the schemas of the item at the cursor.
func (c *cursor) schemas() []schema {
	switch c.known.Kind {
	case TestFile:
		return c.testSchemas()
	case LockFile:
		return schemasAt(lockForm(), lockForm(), c.root, c.of)
	case GraphFile:
	}
	for at := c.of; at != nil && at.parent != nil; at = at.parent {
		if key := at.key; at.parent.kind == mapping && (at.parent == c.tool && (key == "inputSchema" || key == "outputSchema") || c.node != nil && key == "schema" && (at.parent == c.node || at.parent.key == "ask" && at.parent.parent == c.node)) {
			words := schemasAt(jsonSchema(), schema{"$ref": "#/$defs/schema"}, at, c.of)
			if key == "inputSchema" { // it has words of the language, too
				words = append(words, schemasAt(language(), language(), c.root, c.of)...)
			}
			return words
		}
		if c.node != nil && at.parent == c.node && at.key == "args" {
			if raw, _ := c.schemasOf(c.node); raw != nil {
				input := decoded(raw)
				return append(schemasAt(input, input, at, c.of), schemasAt(language(), schema{"$ref": "#/$defs/argument"}, at, c.of)...)
			}
		}
	}
	return schemasAt(language(), language(), c.root, c.of)
}
