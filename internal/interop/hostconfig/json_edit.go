package hostconfig

import (
	"bytes"
	"slices"
	"strings"

	"toolgraph/config"
)

// jsonEditor changes values in JSON with comments and trailing commas.
type jsonEditor struct {
	layout
	src, plain []byte // plain has spaces in the place of comments
	commas     []int  // trailing ones
	spans      map[*config.Data]span
	keys       map[*config.Data][]int // where the keys of an object begin
	edits      []edit
}

// editJSON is the edit of jsonSyntax.
func editJSON(path string, src []byte, want *config.Data, wanted []string) ([]byte, error) {
	plain, commas, _ := withoutComments(src)
	if len(bytes.TrimSpace(plain)) == 0 {
		e := jsonEditor{layout: layoutOf(src)}
		comments := bytes.TrimSpace(src)
		if len(comments) > 0 {
			comments = append(bytes.TrimRight(src, "\r\n"), e.newline...)
		}
		return append(comments, e.text(want, "")+e.newline...), nil
	}
	r := newJSONReader(path, plain)
	r.spans, r.keys = map[*config.Data]span{}, map[*config.Data][]int{}
	old, err := r.root(wanted)
	if err != nil {
		return nil, err
	}
	e := &jsonEditor{layout: layoutOf(src), src: src, plain: plain, commas: commas, spans: r.spans, keys: r.keys}
	e.change(old, want)
	return apply(src, e.edits), nil
}

// change makes a value another one. A key or item that stays is changed alone, new ones are added at the end, and
// others are removed; a value that loses keys and has new ones is replaced as a whole.
func (e *jsonEditor) change(old, want *config.Data) {
	switch {
	case same(old, want):
	case old.Kind == config.KindObject && want.Kind == config.KindObject && hasKeys(want, old):
		added := &config.Data{Kind: config.KindObject}
		for i, key := range want.Keys {
			if before := old.Get(key.Value); before != nil {
				e.change(before, want.Items[i])
			} else {
				added.Keys, added.Items = append(added.Keys, key), append(added.Items, want.Items[i])
			}
		}
		e.add(e.spans[old], added)
	case old.Kind == config.KindObject && want.Kind == config.KindObject && hasKeys(old, want):
		parts, stays := make([]span, len(old.Items)), make([]bool, len(old.Items))
		for i, key := range old.Keys {
			parts[i] = span{e.keys[old][i], e.spans[old.Items[i]].to}
			after := want.Get(key.Value)
			if stays[i] = after != nil; stays[i] {
				e.change(old.Items[i], after)
			}
		}
		e.removeParts(parts, stays, e.spans[old].to-1)
	case old.Kind == config.KindArray && want.Kind == config.KindArray && isPrefix(old.Items, want.Items):
		e.add(e.spans[old], &config.Data{Kind: config.KindArray, Items: want.Items[len(old.Items):]})
	case old.Kind == config.KindArray && want.Kind == config.KindArray && isPart(want.Items, old.Items):
		e.remove(old, want)
	default:
		at := e.spans[old]
		text := e.text(want, indentOf(e.src, at.from))
		if e.isOneLine(at) {
			text = string(want.JSON())
		}
		e.edits = append(e.edits, edit{at, text})
	}
}

// remove removes the items of a list that another one lacks.
func (e *jsonEditor) remove(old, want *config.Data) {
	parts, stays := make([]span, len(old.Items)), make([]bool, len(old.Items))
	staying := 0
	for i, item := range old.Items {
		parts[i] = e.spans[item]
		if staying < len(want.Items) && same(item, want.Items[staying]) {
			stays[i], staying = true, staying+1
		}
	}
	e.removeParts(parts, stays, e.spans[old].to-1)
}

// removeParts removes the items of a list, or the keys of an object with their values, that do not stay: each with one
// comma, and with its lines when nothing else is on them. end is the offset of the closing bracket.
func (e *jsonEditor) removeParts(parts []span, stays []bool, end int) {
	last := -1 // the last part that stays
	for i := range stays {
		if stays[i] {
			last = i
		}
	}
	comma := func(from, to int) int {
		return slices.IndexFunc(e.plain[from:to], func(b byte) bool { return b == ',' }) + from
	}
	trailing := slices.IndexFunc(e.commas, func(at int) bool { return at >= parts[len(parts)-1].to && at < end })
	for i, at := range parts {
		if stays[i] {
			continue
		}
		own := -1 // the comma after the part
		switch {
		case i+1 < len(parts):
			own = comma(at.to, parts[i+1].from)
		case trailing >= 0:
			own = e.commas[trailing]
		}
		if trailing < 0 && last >= 0 && i == last+1 { // nothing follows the last one that stays
			before := comma(parts[last].to, at.from)
			e.edits = append(e.edits, edit{span{before, before + 1}, ""})
		}
		if own >= at.to && len(bytes.TrimSpace(e.src[at.to:own])) == 0 {
			at.to, own = own+1, -1
		}
		if own >= 0 {
			e.edits = append(e.edits, edit{span{own, own + 1}, ""})
		}
		start := at.from - len(indentOf(e.src, at.from))
		rest, _, found := bytes.Cut(e.src[at.to:], []byte("\n"))
		if found && (start == 0 || e.src[start-1] == '\n') && len(bytes.TrimSpace(rest)) == 0 {
			at = span{start, at.to + len(rest) + 1}
		}
		e.edits = append(e.edits, edit{at, ""})
	}
}

// isPart reports whether all items are in another list, in the same order.
func isPart(items, of []*config.Data) bool {
	for _, item := range of {
		if len(items) > 0 && same(items[0], item) {
			items = items[1:]
		}
	}
	return len(items) == 0
}

// isOneLine reports whether what is added to a value stays on its line: it has something already, or
// the whole file is one line.
func (e *jsonEditor) isOneLine(at span) bool {
	bracketed := e.plain[at.from] == '{' || e.plain[at.from] == '['
	has := bracketed && len(bytes.TrimSpace(e.plain[at.from+1:at.to-1])) > 0
	return !bytes.Contains(e.src[at.from:at.to], []byte("\n")) && (has || at.from > 0 && !bytes.Contains(e.src, []byte("\n")))
}

// add adds keys or items at the end of an object or a list.
func (e *jsonEditor) add(at span, added *config.Data) {
	if len(added.Items) == 0 {
		return
	}
	end := at.to - 1 // of the bracket
	last := at.from + len(bytes.TrimRight(e.plain[at.from:end], " \t\r\n"))
	tail := at.from + len(bytes.TrimRight(e.src[at.from:end], " \t\r\n")) // after comments, which stay where they are
	isComma := func(offset int) bool { return last <= offset && offset < end }
	empty := last == at.from+1
	if !empty && !slices.ContainsFunc(e.commas, isComma) {
		e.edits = append(e.edits, edit{span{last, last}, ","})
	}
	outer := indentOf(e.src, at.from)
	before, text := e.newline+e.inside(at, outer), ""
	if e.isOneLine(at) {
		if before = " "; empty {
			before = ""
		}
		compact := added.JSON()
		text = before + string(compact[1:len(compact)-1])
	} else {
		for i, item := range added.Items {
			if text += before; added.Kind == config.KindObject {
				text += quoted(added.Keys[i].Value, false) + ": "
			}
			if text += e.text(item, before[len(e.newline):]); i < len(added.Items)-1 {
				text += ","
			}
		}
		if !bytes.Contains(e.src[tail:end], []byte("\n")) {
			text += e.newline + outer
		}
	}
	e.edits = append(e.edits, edit{span{tail, tail}, text})
}

// inside returns the indentation of what is in an object or a list: that of the first thing in it
// that begins a line, or one unit more than its own.
func (e *jsonEditor) inside(at span, outer string) string {
	for line := range bytes.Lines(e.plain[at.from+1 : at.to-1]) {
		if text := bytes.TrimLeft(line, " \t"); len(bytes.TrimSpace(text)) > 0 && &line[0] != &e.plain[at.from+1] {
			return string(line[:len(line)-len(text)])
		}
	}
	return outer + e.unit
}

// text returns a value over several lines; indent is that of the line in which it begins.
func (e *jsonEditor) text(d *config.Data, indent string) string {
	if d.Kind != config.KindObject && d.Kind != config.KindArray || len(d.Items) == 0 {
		if text, isText := d.Scalar.(string); isText {
			return quoted(text, false)
		}
		return string(d.JSON())
	}
	brackets := "[]"
	if d.Kind == config.KindObject {
		brackets = "{}"
	}
	var b strings.Builder
	b.WriteString(brackets[:1])
	for i, item := range d.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e.newline + indent + e.unit)
		if d.Kind == config.KindObject {
			b.WriteString(quoted(d.Keys[i].Value, false) + ": ")
		}
		b.WriteString(e.text(item, indent+e.unit))
	}
	b.WriteString(e.newline + indent + brackets[1:])
	return b.String()
}

// hasKeys reports whether an object has all keys of another one.
func hasKeys(d, of *config.Data) bool {
	return !slices.ContainsFunc(of.Keys, func(key config.Text) bool { return d.Get(key.Value) == nil })
}

func isPrefix(items, of []*config.Data) bool {
	return len(items) <= len(of) && slices.EqualFunc(items, of[:len(items)], same)
}
