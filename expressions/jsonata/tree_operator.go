package jsonata

import (
	"fmt"

	"toolgraph/internal/base/wording"
)

// operator reads what follows the operator, which has been passed; right is how
// strongly it binds that.
func (p *treeParser) operator(left Tree, t *token, right int) Tree {
	switch operator := t.text; operator {
	case "(":
		return p.call(left)
	case "[":
		return p.predicate(left)
	case ".":
		return p.path(left, p.expression(right))
	case "@", "#":
		kind := map[string]Kind{"@": FocusKind, "#": IndexKind}[operator]
		name := p.next("a $variable")
		if p.fault == nil && (name.kind != tokenVariable || name.value == "" || name.value == "$") {
			p.refuseToken(name, "a $variable")
		}
		return p.made(kind, name.value, left.Offset, left)
	case "{":
		parts := p.pairs([]Tree{left})
		return p.made(GroupKind, "", left.Offset, parts...)
	case "^":
		p.expect("(")
		return p.sort(left)
	case "?":
		parts := []Tree{left, p.expression(0)}
		if p.accept(":") {
			parts = append(parts, p.expression(0))
		}
		return p.made(ConditionalKind, "", left.Offset, parts...)
	case ":=":
		if left.Kind != VariableKind {
			p.fail(t.start, t.text, "found :=, expected a $variable before it")
		}
		value := p.expression(right)
		return p.made(AssignmentKind, "", left.Offset, left, value)
	}
	value := p.expression(right)
	made := p.made(OperatorKind, t.text, left.Offset, left, value)
	made.place = t.start
	return made
}

func (p *treeParser) call(callee Tree) Tree {
	kind, parts := CallKind, p.list(",", ")", []Tree{callee})
	for i := range parts {
		if parts[i].Kind == PlaceholderKind {
			kind = PartialCallKind
		}
	}
	return p.made(kind, "", callee.Offset, parts...)
}

// predicate reads a filter, an index, or the closing bracket of [].
func (p *treeParser) predicate(left Tree) Tree {
	if p.accept("]") {
		if left.Kind == KeepKind {
			left.End = p.end()
			return left
		}
		return p.made(KeepKind, "[]", left.Offset, left)
	}
	filter := p.expression(0)
	p.expect("]")
	if left.Kind == PredicateKind {
		return p.made(PredicateKind, "", left.Offset, append(left.Parts, filter)...)
	}
	return p.made(PredicateKind, "", left.Offset, left, filter)
}

// sort reads the terms of an order; its text is their directions, < or > each.
func (p *treeParser) sort(left Tree) Tree {
	parts, directions := []Tree{left}, ""
	for p.fault == nil {
		direction := "<"
		if !p.accept("<") && p.accept(">") {
			direction = ">"
		}
		directions += direction
		parts = append(parts, p.expression(0))
		if p.accept(")") {
			break
		}
		p.expectOne(",", ")")
	}
	return p.made(SortKind, directions, left.Offset, parts...)
}

// path adds a step; a text that is one is a name. The steps of left belong to this
// parser, which has no other use for them.
func (p *treeParser) path(left, right Tree) Tree {
	steps := left.Parts
	if left.Kind != PathKind {
		steps = []Tree{p.step(left)}
	}
	return p.made(PathKind, "", left.Offset, append(steps, p.step(right))...)
}

// step is a part as a step of a path.
func (p *treeParser) step(part Tree) Tree {
	switch part.Kind {
	case StringKind:
		part.Kind = NameKind
	case NumberKind, LiteralKind:
		p.fail(part.Offset, part.Text, fmt.Sprintf("found %s, which cannot be a step of a path", wording.Shorten(part.Text)))
		if p.fault.Offset == part.Offset {
			p.fault.Hint = "a field of that name is written `" + wording.Shorten(part.Text) + "`"
		}
	}
	return part
}
