package jsonata

// path builds a path step by step: each dot may decide what an earlier step carries.
func (b *builder) path(t *Tree) *node {
	first := b.node(&t.Parts[0])
	n := first
	if n.kind != nodePath {
		n = &node{kind: nodePath, at: t.Offset, parts: []*node{first}}
		if first.kind == nodeParent {
			n.seeking = []*slot{first.parent}
		}
	}
	for _, step := range n.parts {
		n.keepSingleton = n.keepSingleton || step.keepArray
	}
	for i := range t.Parts[1:] {
		b.step(n, &t.Parts[1+i])
	}
	return n
}

// step adds a step to the path.
func (b *builder) step(n *node, t *Tree) {
	rest := b.node(t)
	added := []*node{rest}
	if rest.kind == nodePath {
		added = rest.parts
	} else {
		rest.stages, rest.predicates = append(rest.stages, rest.predicates...), nil
	}
	for _, step := range added {
		if step.kind == nodeLiteral {
			if name, ok := step.value.(string); ok {
				step.kind, step.text = nodeName, name
			} else {
				b.fail(t, "a number or a string cannot be a step of a path")
			}
		}
		n.keepSingleton = n.keepSingleton || step.keepArray
	}
	n.parts = append(n.parts, added...)
	if n.parts[0].kind == nodeArray {
		n.parts[0].cons = true
	}
	if last := n.parts[len(n.parts)-1]; last.kind == nodeArray {
		last.cons = true
	}
	b.resolve(n)
}

// lastStep is the last step of a path, to which filters behind it belong; n itself when it
// is not a path.
func (n *node) lastStep() *node {
	if n.kind == nodePath {
		return n.parts[len(n.parts)-1]
	}
	return n
}

// predicate builds the filtered part and its filters.
func (b *builder) predicate(t *Tree) *node {
	n := b.node(&t.Parts[0])
	for i := range t.Parts[1:] {
		b.filter(n, &t.Parts[1+i])
	}
	return n
}

func (b *builder) filter(n *node, t *Tree) {
	step := n.lastStep()
	if step.group != nil {
		b.fail(t, "a predicate cannot follow a grouping in a step")
		return
	}
	filter := b.node(t)
	if len(filter.seeking) > 0 {
		for _, s := range filter.slots() {
			if s.level == 1 {
				b.seek(step, s, t)
			} else {
				s.level--
			}
		}
		step.inherit(filter)
	}
	if n.kind == nodePath {
		step.stages = append(step.stages, stage{filter: filter})
	} else {
		step.predicates = append(step.predicates, stage{filter: filter})
	}
}

// keep is []: the part before it stays an array, also with filters in between.
func (b *builder) keep(t *Tree) *node {
	n := b.node(&t.Parts[0])
	n.keepArray = true
	inner := &t.Parts[0]
	for inner.Kind == PredicateKind || inner.Kind == KeepKind {
		inner = &inner.Parts[0]
	}
	if step := n.lastStep(); inner.Kind == NameKind || inner.Kind == FocusKind {
		step.keepArray = true
		n.keepSingleton = n.keepSingleton || inner.Kind == NameKind
	}
	return n
}

// focus is a@$v.
func (b *builder) focus(t *Tree) *node {
	n := b.node(&t.Parts[0])
	step := n.lastStep()
	switch {
	case len(step.stages) > 0 || len(step.predicates) > 0:
		b.fail(t, "@ must come before the predicates of its step")
	case step.kind == nodeSort:
		b.fail(t, "@ must come before the sort of its step")
	}
	step.focus, step.tuple = t.Text, true
	return n
}

// index is a#$i.
func (b *builder) index(t *Tree) *node {
	n := b.node(&t.Parts[0])
	step := n.lastStep()
	if n.kind != nodePath {
		n = &node{kind: nodePath, at: t.Offset, parts: []*node{step}}
		step.stages, step.predicates = append(step.stages, step.predicates...), nil
	}
	if len(step.stages) == 0 {
		step.index = t.Text
	} else {
		step.stages = append(step.stages, stage{index: t.Text})
	}
	step.tuple = true
	return n
}

// sort is a^(terms): one more step.
func (b *builder) sort(t *Tree) *node {
	n := b.node(&t.Parts[0])
	if n.kind != nodePath {
		n = &node{kind: nodePath, at: t.Offset, parts: []*node{n}}
	}
	step := &node{kind: nodeSort, at: t.Offset}
	for i := range t.Parts[1:] {
		by := b.node(&t.Parts[1+i])
		step.inherit(by)
		step.terms = append(step.terms, sortTerm{by: by, descending: t.Text[i] == '>'})
	}
	n.parts = append(n.parts, step)
	b.resolve(n)
	return n
}

// group is a{key: value}.
func (b *builder) group(t *Tree) *node {
	n := b.node(&t.Parts[0])
	if n.group != nil {
		b.fail(t, "a step can have only one grouping")
		return n
	}
	group := &node{kind: nodeObject, at: t.Parts[0].End}
	group.pairs = b.pairs(&node{}, t.Parts[1:])
	n.group = group
	return n
}

// slots are the slots of % in n whose parents are outside of n.
func (n *node) slots() []*slot {
	if n.kind == nodeParent {
		return append(n.seeking[:len(n.seeking):len(n.seeking)], n.parent)
	}
	return n.seeking
}

// inherit notes that the parents missing in part are outside of n too.
func (n *node) inherit(part *node) { n.seeking = append(n.seeking, part.slots()...) }

// resolve searches the steps of the path for the parents of its last step.
func (b *builder) resolve(path *node) {
	last := path.parts[len(path.parts)-1]
	for _, s := range last.slots() {
		i := len(path.parts) - 2
		for s.level > 0 {
			if i < 0 {
				path.seeking = append(path.seeking, s)
				break
			}
			step := path.parts[i]
			i--
			// Several steps with a focus in a row count as one.
			for i >= 0 && step.focus != "" && path.parts[i].focus != "" {
				step = path.parts[i]
				i--
			}
			b.seek(step, s, &Tree{Offset: s.owner.at})
		}
	}
}

// seek takes the parent's slot one step back, through n.
func (b *builder) seek(n *node, s *slot, place *Tree) {
	if b.seeks++; b.seeks > maxSeeks {
		b.fail(place, "too many % go back too far; split the expression")
		s.level = 0
		return
	}
	switch n.kind {
	case nodeName, nodeWildcard:
		if s.level--; s.level > 0 {
			return
		}
		if n.ancestor != nil {
			s.label = n.ancestor.label
		}
		n.ancestor, n.tuple = s, true
	case nodeParent:
		s.level++
	case nodeBlock:
		if len(n.parts) > 0 {
			n.tuple = true
			b.seek(n.parts[len(n.parts)-1], s, place)
		}
	case nodePath:
		n.tuple = true
		i := len(n.parts) - 1
		b.seek(n.parts[i], s, place)
		for i--; s.level > 0 && i >= 0; i-- {
			b.seek(n.parts[i], s, place)
		}
	default:
		b.fail(place, "% has no parent here; write a path of names before it")
		s.level = 0
	}
}
