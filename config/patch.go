package config

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Patcher makes edits of a YAML file by the places of its parts, and leaves the rest as it is. It is not
// safe for concurrent use.
type Patcher struct {
	e     *editor
	whole []byte // the file, a byte order mark included
}

// NewPatcher returns a patcher of a file; nil when the file cannot be read as YAML. path is for places.
func NewPatcher(path string, src []byte) *Patcher {
	clean, _ := cleanText(path, src)
	if clean == nil {
		return nil
	}
	root, found := parseTree(clean)
	if found != nil {
		return nil
	}
	return &Patcher{&editor{src: clean, root: root, edits: map[int]edit{}}, src}
}

// level is a node and what it is in.
type level struct {
	in *yaml.Node
	i  int // of the item, or of the key, in in.Content
}

// around returns the parts that contain a place, from the root inwards.
func (p *Patcher) around(at Pos) (levels []level) {
	offset := p.e.src.offset(at.Line, at.Column)
	for n := p.e.root; n != nil; {
		in := n
		n = nil
		step := 1
		if in.Kind == yaml.MappingNode {
			step = 2
		} else if in.Kind != yaml.SequenceNode {
			break
		}
		for i := 0; i+step <= len(in.Content); i += step {
			last := in.Content[i+step-1]
			if p.e.start(in.Content[i]) <= offset && offset <= max(p.e.end(last), p.e.end(in.Content[i])) {
				levels = append(levels[:len(levels):len(levels)], level{in, i})
				n = last
			}
		}
	}
	return levels
}

// RemoveKey removes the innermost key around a place with its value; RemoveItem the innermost item of a
// list. What would be empty then is removed with it.
func (p *Patcher) RemoveKey(at Pos) []Edit { return p.remove(at, yaml.MappingNode) }

// RemoveItem is described at RemoveKey.
func (p *Patcher) RemoveItem(at Pos) []Edit { return p.remove(at, yaml.SequenceNode) }

// RemoveNamed removes a key of the innermost mapping around a place that has it. Otherwise it is like RemoveKey.
func (p *Patcher) RemoveNamed(at Pos, key string) []Edit {
	n := p.having(at, key)
	if n == nil {
		return nil
	}
	levels := p.around(at)
	if i := slices.IndexFunc(levels, func(l level) bool { return l.in == n }); i >= 0 {
		levels = levels[:i]
	}
	return p.removeLast(append(levels, level{n, pair(n, key)}))
}

func (p *Patcher) remove(at Pos, kind yaml.Kind) []Edit {
	levels := p.around(at)
	for len(levels) > 0 && levels[len(levels)-1].in.Kind != kind {
		levels = levels[:len(levels)-1]
	}
	return p.removeLast(levels)
}

// removeLast removes the innermost part, and those around it that would be empty then.
func (p *Patcher) removeLast(levels []level) []Edit {
	for len(levels) > 1 {
		last := levels[len(levels)-1]
		if n := len(last.in.Content); n > 2 || n == 2 && last.in.Kind == yaml.SequenceNode {
			break
		}
		levels = levels[:len(levels)-1]
	}
	if len(levels) == 0 {
		return nil
	}
	l := levels[len(levels)-1]
	p.e.edits = map[int]edit{}
	if l.in.Kind == yaml.MappingNode {
		p.e.removePair(l.in, l.i)
	} else {
		p.e.removeItem(l.in, l.i)
	}
	return p.edits()
}

// removeItem removes an item of a list.
func (e *editor) removeItem(list *yaml.Node, i int) {
	item := list.Content[i]
	from, to := e.start(item), e.end(item)
	if list.Style&yaml.FlowStyle != 0 {
		if i+1 < len(list.Content) {
			to = e.start(list.Content[i+1])
		} else if i > 0 {
			from = e.end(list.Content[i-1])
		}
	} else {
		from, to = e.lineStart(from), e.nextLine(e.stop(item))
	}
	e.replace(from, to, "")
}

// AddKey adds "key: text" at the end of the innermost mapping around a place that has another key, or any with ""; text is
// YAML on one line.
func (p *Patcher) AddKey(at Pos, having, key, text string) []Edit {
	n := p.having(at, having)
	if n == nil || pair(n, key) >= 0 {
		return nil
	}
	last := len(n.Content) - 1
	p.e.edits = map[int]edit{}
	end := max(p.e.end(n.Content[last]), p.e.end(n.Content[last-1]))
	if n.Style&yaml.FlowStyle != 0 {
		p.e.replace(end, end, ", "+key+": "+text)
		return p.edits()
	}
	end = p.e.pairStop(n.Content[last-1], n.Content[last])
	p.e.replace(end, end, p.e.newline()+strings.Repeat(" ", n.Content[0].Column-1)+key+": "+text)
	return p.edits()
}

// SetKey replaces the value, on one line, of a key of the innermost mapping around a place that has it.
func (p *Patcher) SetKey(at Pos, key, text string) []Edit {
	n := p.having(at, key)
	if n == nil {
		return nil
	}
	value := n.Content[pair(n, key)+1]
	from, to := p.e.start(value), p.e.end(value)
	if value.Kind != yaml.ScalarNode || bytes.ContainsRune(p.e.src.data[from:to], '\n') {
		return nil
	}
	p.e.edits = map[int]edit{}
	p.e.replace(from, to, text)
	return p.edits()
}

// valueAt returns the key or the value that begins at a place, or nil.
func (p *Patcher) valueAt(at Pos) *yaml.Node {
	levels := p.around(at)
	if len(levels) == 0 {
		return nil
	}
	inner := levels[len(levels)-1]
	for _, n := range inner.in.Content[inner.i:] {
		if pos := p.e.text(n).Pos; pos.Line == at.Line && pos.Column == at.Column {
			return n
		}
	}
	return nil
}

// textAt returns the scalar that begins at a place; not set when there is none.
func (p *Patcher) textAt(at Pos) Text {
	n := p.valueAt(at)
	if n == nil || n.Kind != yaml.ScalarNode {
		return Text{}
	}
	return p.e.text(n)
}

// setValue replaces an empty mapping, or a scalar on one line, at a place.
func (p *Patcher) setValue(at Pos, text string) []Edit {
	n := p.valueAt(at)
	if n == nil || n.Kind == yaml.AliasNode || len(n.Content) > 0 {
		return nil
	}
	from, to := p.e.start(n), p.e.end(n)
	if bytes.ContainsRune(p.e.src.data[from:to], '\n') {
		return nil
	}
	if from > 0 && p.e.src.data[from-1] == ':' {
		text = " " + text
	}
	p.e.edits = map[int]edit{}
	p.e.replace(from, to, text)
	return p.edits()
}

// AddItem adds an item to the list under a key of the innermost mapping around a place that has the key, at
// its beginning or its end; text is YAML on one line.
func (p *Patcher) AddItem(at Pos, key, text string, first bool) []Edit {
	n := p.having(at, key)
	if n == nil {
		return nil
	}
	list := followed(n.Content[pair(n, key)+1])
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil
	}
	item := list.Content[len(list.Content)-1]
	if first {
		item = list.Content[0]
	}
	p.e.edits = map[int]edit{}
	switch flow, start := list.Style&yaml.FlowStyle != 0, p.e.start(item); {
	case flow && first:
		p.e.replace(start, start, text+", ")
	case flow:
		p.e.replace(p.e.end(item), p.e.end(item), ", "+text)
	case first:
		line := p.e.lineStart(start)
		p.e.replace(line, line, strings.Repeat(" ", list.Column-1)+"- "+text+p.e.newline())
	default:
		end := p.e.stop(item)
		p.e.replace(end, end, p.e.newline()+strings.Repeat(" ", list.Column-1)+"- "+text)
	}
	return p.edits()
}

// having returns the innermost mapping around a place that has a key.
func (p *Patcher) having(at Pos, key string) *yaml.Node {
	levels := p.around(at)
	if len(levels) == 0 {
		return nil
	}
	inner := levels[len(levels)-1]
	last := inner.i
	if inner.in.Kind == yaml.MappingNode {
		last++
	}
	candidates := []*yaml.Node{inner.in.Content[last]}
	for i := len(levels) - 1; i >= 0; i-- {
		candidates = append(candidates, levels[i].in)
	}
	for _, n := range candidates {
		if n.Kind == yaml.MappingNode && len(n.Content) > 0 && (key == "" || pair(n, key) >= 0) {
			return n
		}
	}
	return nil
}

// edits returns the edits, with places that count a byte order mark.
func (p *Patcher) edits() []Edit {
	var all []Edit
	for _, ed := range p.e.edits {
		all = append(all, Edit{ed.from + p.e.src.mark, ed.to + p.e.src.mark, ed.text})
	}
	return all
}

// Inline returns data as YAML on one line.
func Inline(d *Data) string { return inline(d) }
