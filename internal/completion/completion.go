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

// Known is what the checks know of the last valid version of a file. It is safe for concurrent use.
type Known struct {
	File      *config.File
	Graphs    []*graph.Graph
	Upstreams flow.Upstreams             // may be nil
	Tools     func(server string) []Tool // as far as they are known without asking the server; may be nil

	mu    sync.Mutex
	flows map[string]*flow.Flow // by tool
}

// Tool is a tool of a server.
type Tool struct {
	Name, Description string
	Input             []byte // its JSON Schema; nil: unknown
}

// Candidate is a text that can be written at a place.
type Candidate struct {
	Label  string `json:"label"`
	Kind   string `json:"kind"`             // property, enum, node, server, tool, field, function, variable
	Detail string `json:"detail,omitempty"` // its type, in short
	Doc    string `json:"doc,omitempty"`
	Insert string `json:"insert,omitempty"` // what is written; empty: the label
	Rank   int    `json:"rank,omitempty"`   // a higher one comes first
}

// List are the candidates that replace the bytes from From to the place.
type List struct {
	From       int
	Candidates []Candidate
}

// mostCandidates bounds a list.
const mostCandidates = 300

// At returns what can be written at a byte of a text. An unknown place has no candidates. When ctx ends,
// some may be missing.
func At(ctx context.Context, src string, offset int, known *Known) List {
	c, ok := newCursor(ctx, src, offset, known)
	if !ok {
		return List{From: min(max(offset, 0), len(src))}
	}
	list := c.list()
	for i := range list {
		if list[i].Insert == list[i].Label {
			list[i].Insert = ""
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Or(b.Rank-a.Rank, 0) })
	return List{From: c.offset - len(c.prefix), Candidates: list[:min(len(list), mostCandidates)]}
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
		case list.kind == sequence && list.key == "nodes" && list.parent != nil && c.node == nil:
			c.node = at
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
	var out []Candidate
	all := c.schemas()
	if c.begun() {
		out = c.keys(all)
	}
	if !c.inKey {
		out = append(out, c.names()...)
		out = append(out, values(all)...)
		if c.glued {
			for i := range out {
				out[i].Insert = " " + cmp.Or(out[i].Insert, out[i].Label)
			}
		}
	}
	return out
}

// begun reports whether a mapping can begin at the cursor: where a key is written, in an item of a list,
// and in a line of its own.
func (c *cursor) begun() bool {
	return c.inKey || c.of.parent == nil || c.of.parent.kind == sequence || strings.Contains(c.src[min(c.of.at, c.offset):min(c.of.from, c.offset)], "\n")
}

// schemas returns the schemas of the item at the cursor.
func (c *cursor) schemas() []schema {
	for at := c.of; at != nil && at.parent != nil; at = at.parent {
		if key := at.key; at.parent.kind == mapping && (at.parent == c.tool && (key == "inputSchema" || key == "outputSchema") || at.parent == c.node && c.node != nil && key == "schema") {
			return schemasAt(jsonSchema, schema{"$ref": "#/$defs/schema"}, at, c.of)
		}
		if c.node != nil && at.parent == c.node && at.key == "args" {
			if input := c.input(); input != nil {
				return append(schemasAt(input, input, at, c.of), schemasAt(language(), schema{"$ref": "#/$defs/argument"}, at, c.of)...)
			}
		}
	}
	return schemasAt(language(), language(), c.root, c.of)
}
