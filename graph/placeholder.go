package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Placeholder is a {{path}} in a text.
type Placeholder struct {
	Path
	Text string // with its braces
}

// SplitPlaceholders splits a text: texts[i] is before found[i], and the last one is after all. The
// error says which braces do not close, or what is wrong in a path.
func SplitPlaceholders(text string) (texts []string, found []Placeholder, err error) {
	for {
		before, after, opens := strings.Cut(text, "{{")
		texts = append(texts, before)
		if !opens {
			return texts, found, nil
		}
		inner, rest, closes := strings.Cut(after, "}}")
		if !closes || strings.Contains(inner, "{{") {
			return nil, nil, fmt.Errorf("the braces of %s do not close, expected {{name.field}}", wording.Quote("{{"+after))
		}
		path, err := ParsePath(inner)
		if err != nil {
			return nil, nil, err
		}
		found, text = append(found, Placeholder{Path: path, Text: "{{" + inner + "}}"}), rest
	}
}

// References lets texts of args hold placeholders, and rules be paths, instead of expressions: the
// id of a node by the name by which they refer to its output.
type References map[string]string

// filled is a text with placeholders.
type filled struct {
	pos   config.Pos
	texts []string
	found []Placeholder
	nodes []string // the nodes to whose outputs they refer
	most  int      // bytes; all texts of the same args together have at most maxNodeOutputBytes
}

// compileText returns a text as an argument; its placeholders are paths to known results.
func (c *compiler) compileText(data *config.Data, text string, args *Args) *arg {
	constant := &arg{constant: text, kind: data.Kind}
	texts, found, err := SplitPlaceholders(text)
	if err != nil {
		c.found.Add(data.Pos, "expression-syntax", err.Error(), "")
		return constant
	}
	if len(found) == 0 {
		return constant
	}
	f := &filled{pos: data.Pos, texts: texts, found: found}
	for _, p := range found {
		node, known := c.references[p.Name]
		if !known {
			c.found.Add(data.Pos, "expression-syntax", fmt.Sprintf("%s refers to an unknown result", p.Text), "")
			return constant
		}
		f.nodes = append(f.nodes, node)
	}
	args.texts = append(args.texts, f)
	return &arg{text: f, kind: data.Kind}
}

// bound divides what the texts with placeholders may have together among them.
func (a *Args) bound(most int) {
	for _, f := range a.texts {
		f.most = most / len(a.texts)
	}
}

// eval returns the text with the values of its placeholders; a text that is one placeholder is its
// value. Values are never looked through for placeholders. The error is a *PlacedError.
func (f *filled) eval(scope *expressions.Scope) (value.Value, error) {
	if len(f.found) == 1 && f.texts[0] == "" && f.texts[1] == "" {
		return f.value(scope, 0)
	}
	joined := []byte(f.texts[0])
	for i := range f.found {
		v, err := f.value(scope, i)
		if err != nil {
			return nil, err
		}
		if text, isText := v.(string); isText {
			joined = append(joined, text...)
		} else if joined, err = value.AppendMost(nil, joined, v, max(0, f.most-len(joined))); err != nil && !errors.Is(err, value.ErrTooLong) {
			return nil, &PlacedError{Pos: f.pos, Err: err}
		}
		joined = append(joined, f.texts[i+1]...)
		if len(joined) > f.most {
			return nil, &PlacedError{Pos: f.pos, Err: fmt.Errorf("with its placeholders a text of args has more than %d bytes, its part of executionLimits.maxNodeOutputBytes; refer to less", f.most)}
		}
	}
	return string(joined), nil
}

// value returns the value of a placeholder.
func (f *filled) value(scope *expressions.Scope, i int) (value.Value, error) {
	r := reference{f.found[i].Path, f.nodes[i]}
	v, why := r.value(scope)
	if v == nil {
		return nil, &PlacedError{Pos: f.pos, Err: &MissingValueError{Placeholder: f.found[i].Text, Why: why}}
	}
	return v, nil
}

// compilePath returns a rule that is a path to a known result.
func (c *compiler) compilePath(ctx context.Context, data *config.Data, text string) *Rule {
	path, err := ParsePath(text)
	node, known := c.references[path.Name]
	if err == nil && !known {
		err = fmt.Errorf("the path %s refers to an unknown result", wording.Quote(text))
	}
	if err != nil {
		c.found.Add(data.Pos, "expression-syntax", err.Error(), "")
		return nil
	}
	r := &reference{path, node}
	rule, err := r.rule(ctx)
	if err != nil {
		c.addRule(data, err)
		return nil
	}
	return &Rule{Rule: rule, Data: data, path: r}
}
