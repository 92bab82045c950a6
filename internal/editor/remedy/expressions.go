package remedy

import (
	"context"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

var (
	convert   = wording.Pattern(`convert it: \$(\w+)\(`)
	addAtEnd  = wording.Pattern(`^add (?:a closing )?(\S+)$`)
	wholeList = wording.Pattern(`^write (\[.*\])$`)
	isField   = wording.Pattern(`one of its fields is a list: (\S+)$`)
)

// expressions mends the expression that the finding is in.
func (p *proposer) expressions() {
	t := p.text()
	at := p.offsetIn(t)
	if !t.IsSet() || at < 0 {
		return
	}
	if m := addAtEnd().FindStringSubmatch(p.hint); m != nil && p.finding.Code == "expression-syntax" {
		end := len(strings.TrimRight(t.Value, " \n"))
		p.edit("Add "+m[1], t, end, end, m[1], true)
	}
	if strings.HasSuffix(p.finding.Message, "without its opening bracket") && at < len(t.Value) {
		p.edit("Remove "+t.Value[at:at+1], t, at, at+1, "", true)
	}
	e, err := jsonata.Compile(context.Background(), t.Value)
	if err != nil {
		return
	}
	if m := wholeList().FindStringSubmatch(p.hint); m != nil && strings.HasPrefix(t.Value[at:], m[1][1:len(m[1])-1]) {
		end := at + len(m[1]) - len("[]")
		if rest := t.Value[end:]; strings.HasPrefix(rest, "[]") {
			end += len("[]") // the list is written around it instead
		}
		p.edit("Write "+m[1], t, at, end, m[1], true)
	}
	if m := isField().FindStringSubmatch(p.hint); m != nil {
		p.edit("Write "+m[1], t, 0, len(t.Value), m[1], true)
	}
	if strings.Contains(p.hint, "with $string") {
		p.edit("Make a text of it with $string", t, 0, len(t.Value), "$string("+t.Value+")", true)
	}
	part := partAt(e.Tree(), at)
	if part == nil {
		return
	}
	source := t.Value[part.Offset:part.End]
	if strings.Contains(p.hint, "join strings with &") {
		p.joined(t, e.Tree(), at)
	}
	if m := convert().FindStringSubmatch(p.hint); m != nil {
		p.edit("Convert it with $"+m[1], t, part.Offset, part.End, "$"+m[1]+"("+source+")", false)
	}
	if p.finding.Code == "history-null" {
		p.existence(t, e.Tree(), at)
	}
}

// partAt returns the longest part of an expression that begins at a byte, or the shortest path around it;
// nil when there is none.
func partAt(tree *jsonata.Tree, at int) *jsonata.Tree {
	if at < tree.Offset || at >= tree.End {
		return nil
	}
	if tree.Kind == jsonata.PathKind || tree.Kind == jsonata.CallKind || len(tree.Parts) == 0 {
		if tree.Offset == at || tree.Kind == jsonata.PathKind {
			return tree
		}
	}
	for i := range tree.Parts {
		if found := partAt(&tree.Parts[i], at); found != nil {
			return found
		}
	}
	return nil
}

// joined replaces each + by & in the sum that the finding is in.
func (p *proposer) joined(t config.Text, tree *jsonata.Tree, at int) {
	var parts []config.Replacement
	var walk func(tree *jsonata.Tree)
	walk = func(tree *jsonata.Tree) {
		if tree.Offset > at || tree.End <= at {
			return
		}
		for i := range tree.Parts {
			walk(&tree.Parts[i])
		}
		if tree.Kind == jsonata.OperatorKind && tree.Text == "+" && len(tree.Parts) == 2 {
			from := tree.Parts[0].End
			if i := strings.IndexByte(t.Value[from:tree.Parts[1].Offset], '+'); i >= 0 {
				parts = append(parts, config.Replacement{From: from + i, To: from + i + 1, Text: "&"})
			}
		}
	}
	walk(tree)
	if edits, ok := t.Replaced(parts...); ok && len(parts) > 0 {
		p.propose("Join them with &", edits, true)
	}
}

// existence replaces a comparison with null by a test whether there is a value.
func (p *proposer) existence(t config.Text, tree *jsonata.Tree, at int) {
	if at < tree.Offset || at >= tree.End {
		return
	}
	if tree.Kind == jsonata.OperatorKind && len(tree.Parts) == 2 && (tree.Text == "=" || tree.Text == "!=") {
		for i := range tree.Parts {
			other := &tree.Parts[1-i]
			if other.Kind != jsonata.LiteralKind || other.Text != "null" {
				continue
			}
			test := "$exists(" + t.Value[tree.Parts[i].Offset:tree.Parts[i].End] + ")"
			if tree.Text == "=" {
				test = "$not(" + test + ")"
			}
			p.edit("Test whether it exists", t, tree.Offset, tree.End, test, true)
		}
	}
	for i := range tree.Parts {
		p.existence(t, &tree.Parts[i], at)
	}
}

// guards gives a value that may be missing another one.
func (p *proposer) guards() {
	if p.finding.Code != "maybe-missing" {
		return
	}
	t := p.text()
	at := p.offsetIn(t)
	if !t.IsSet() || at < 0 {
		return
	}
	e, err := jsonata.Compile(context.Background(), t.Value)
	if err != nil {
		return
	}
	part := partAt(e.Tree(), at)
	if part == nil {
		return
	}
	for _, instead := range []string{"null", `""`, "0", "[]", "{}"} {
		if instead == "null" && strings.Contains(p.finding.Hint, `{"var": [`) {
			continue // which a rule takes for 0
		}
		p.edit("Use "+instead+" when there is no value", t, part.Offset, part.End, "("+t.Value[part.Offset:part.End]+" ?? "+instead+")", instead == "null")
	}
}
