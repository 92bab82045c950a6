package completion

import "strings"

// mark is put into the text at the cursor while it is read. No file has it: it is for private use.
const mark = "\ue000"

// kind is the kind of an item.
type kind uint8

const (
	missing kind = iota
	scalar
	mapping
	sequence
)

// item is a part of a file: a value with the key or the place that it has in its parent.
type item struct {
	kind   kind
	parent *item
	key    string // in a mapping; with the mark if the cursor is in it
	at     int    // byte of the key, of the dash, or of the value in brackets
	from   int    // byte of the value
	text   string // of a scalar, without quotes; with the mark if the cursor is in it
	column int    // of a block; -1 in brackets
	items  []*item
}

// get returns the value of a key, or nil; i may be nil.
func (i *item) get(key string) *item {
	if i == nil || i.kind != mapping {
		return nil
	}
	for _, of := range i.items {
		if of.key == key {
			return of
		}
	}
	return nil
}

// word returns the text of the scalar under a key, "" when there is none.
func (i *item) word(key string) string {
	if of := i.get(key); of != nil && of.kind == scalar {
		return strings.TrimSpace(strings.ReplaceAll(of.text, mark, ""))
	}
	return ""
}

func (i *item) add(child *item, of kind) *item {
	if i.kind != of { // what was read as something else was only begun
		i.kind, i.items = of, nil
	}
	child.parent = i
	i.items = append(i.items, child)
	return child
}

// place is where the cursor is.
type place struct {
	of     *item  // the value, or the mapping of the key
	inKey  bool   // the cursor is where a key is written
	before string // of the key or the scalar
}

// outline is the structure of a text as far as it can be seen.
type outline struct {
	src   string
	root  *item
	place *place // nil: there is nothing to complete at the cursor
	open  []*item
	steps int // bytes and items that were looked at
}

// mostSteps bounds the steps for each byte: a text with lines that are ever deeper, and is nothing else,
// is not read to its end.
const mostSteps = 60

// read returns the outline of a text with the mark in it. It takes time linear in the text; see mostSteps.
func read(src string) *outline {
	o := &outline{src: src, root: &item{column: -1}}
	for at := 0; at < len(src) && o.steps <= mostSteps*len(src); {
		end := o.lineEnd(at)
		from := at
		for from < end && src[from] == ' ' {
			from++
		}
		o.steps += from - at + 1
		next := end + 1
		switch rest := src[from:end]; {
		case rest == "" || rest[0] == '#' || rest == "\r":
		case rest == "---":
		default:
			next = o.block(from, from-at, end)
		}
		at = max(next, end+1)
	}
	return o
}

// lineEnd returns the byte at which the line of a byte ends.
func (o *outline) lineEnd(at int) int {
	if i := strings.IndexByte(o.src[min(at, len(o.src)):], '\n'); i >= 0 {
		return at + i
	}
	return len(o.src)
}

// block reads what begins in a line at a column, and returns the byte behind it.
func (o *outline) block(at, column, end int) int {
	for len(o.open) > 0 && o.top().column > column {
		o.open = o.open[:len(o.open)-1]
	}
	isItem := o.src[at] == '-' && (at+1 == len(o.src) || strings.IndexByte(" \n\r", o.src[at+1]) >= 0 || strings.HasPrefix(o.src[at+1:], mark))
	if top := o.top(); len(o.open) > 0 && !isItem && top.kind == sequence && top.column == column {
		o.open = o.open[:len(o.open)-1]
		if word := strings.TrimRight(o.src[at:end], " \r"); o.top().column < column && strings.Contains(word, mark) && isWord(word) { // an item without its dash
			o.found(top, false, word)
			return end
		}
	}
	if isItem {
		list := o.container(sequence, column)
		child := list.add(&item{at: at, from: at + 1}, sequence)
		inner := at + 1
		for inner < end && o.src[inner] == ' ' {
			inner++
		}
		if inner == end || o.src[inner] == '\r' {
			return end
		}
		return o.content(child, inner, column+inner-at, column, end)
	}
	return o.content(nil, at, column, column-1, end)
}

// top returns the innermost open block.
func (o *outline) top() *item {
	if len(o.open) == 0 {
		return o.root
	}
	return o.open[len(o.open)-1]
}

// slot returns the value that a block or a scalar at a column belongs to, a new one without a place when
// there is none.
func (o *outline) slot(column int) *item {
	top := o.top()
	if top == o.root && top.kind != mapping && top.kind != sequence {
		return top
	}
	if len(top.items) > 0 {
		if last := top.items[len(top.items)-1]; last.kind == missing || last.kind == scalar && column > top.column {
			return last
		}
	}
	return &item{parent: top, column: -1}
}

// container returns the open block of a kind at a column, a new one if need be.
func (o *outline) container(of kind, column int) *item {
	if top := o.top(); top.kind == of && top.column == column {
		return top
	}
	block := o.slot(column)
	block.kind, block.items, block.column = of, nil, column
	o.open = append(o.open, block)
	return block
}

// content reads a key with its value, or a value. slot is the item that it is the value of, nil for one
// that is found by the column; outer is the column of the block around it.
func (o *outline) content(slot *item, at, column, outer, end int) int {
	if key, behind, ok := o.blockKey(at, end); ok {
		if slot != nil {
			slot.kind, slot.column = mapping, column
			o.open = append(o.open, slot)
		}
		of := o.container(mapping, column)
		child := of.add(&item{key: key, at: at, from: behind}, mapping)
		if strings.Contains(key, mark) {
			o.found(of, true, key)
		}
		return o.value(child, behind, column, end)
	}
	rest := strings.TrimRight(o.src[at:end], " \r")
	if top := o.top(); slot == nil && top.kind == mapping && top.column == column && isWord(rest) { // a key that is being written
		if strings.Contains(rest, mark) {
			o.found(top, true, rest)
		}
		return end
	}
	if slot == nil {
		slot = o.slot(column)
	}
	return o.value(slot, at, outer, end)
}

func isWord(text string) bool {
	return text != "" && !strings.ContainsAny(text[:1], "{['\"|>-") && !strings.Contains(text, " ")
}

// blockKey reads a key in a line; behind is the byte after its colon.
func (o *outline) blockKey(at, end int) (key string, behind int, ok bool) {
	from := at
	if c := o.src[at]; c == '\'' || c == '"' {
		text, next := o.quoted(at, end)
		key, from = text, next
	} else if c == '{' || c == '[' || c == '#' || c == '|' || c == '>' {
		return "", 0, false
	}
	for i := from; i < end; i++ {
		o.steps++
		switch c := o.src[i]; {
		case c == ':' && (i+1 == end || o.src[i+1] == ' ' || o.src[i+1] == '\r' || strings.HasPrefix(o.src[i+1:], mark)):
			if from == at {
				key = strings.TrimSpace(o.src[at:i])
			}
			return key, i + 1, true
		case c == '#' && i > at && o.src[i-1] == ' ', from > at && c != ' ':
			return "", 0, false
		}
	}
	return "", 0, false
}

// value reads the value of an item in the block at the column outer, and returns the byte behind it.
func (o *outline) value(of *item, at, outer, end int) int {
	for at < end && (o.src[at] == ' ' || o.src[at] == '&' || o.src[at] == '!') {
		if o.src[at] != ' ' { // an anchor or a tag
			for at < end && o.src[at] != ' ' {
				at++
			}
			continue
		}
		at++
	}
	of.from = at
	if at >= end || o.src[at] == '#' || o.src[at] == '\r' {
		return end
	}
	switch o.src[at] {
	case '{', '[':
		return o.flow(of, at, o.blockEnd(end, outer), 0)
	case '\'', '"':
		text, next := o.quoted(at, o.blockEnd(end, outer))
		o.set(of, text)
		return next
	case '|', '>':
		stop := o.blockEnd(end, outer)
		if end < stop {
			o.set(of, o.src[end+1:stop])
		}
		return stop
	}
	rest := o.src[at:end]
	if i := strings.Index(rest, " #"); i >= 0 {
		rest = rest[:i]
	}
	o.set(of, strings.TrimSuffix(rest, "\r"))
	return end
}

// blockEnd returns the end of the lines after a line end that are deeper than a column, and empty ones.
func (o *outline) blockEnd(end, column int) int {
	for end < len(o.src) {
		from := end + 1
		next := o.lineEnd(from)
		text := from
		for text < next && o.src[text] == ' ' {
			text++
		}
		o.steps += next - from + 1
		if text < next && o.src[text] != '\r' && text-from <= column {
			return end
		}
		end = next
	}
	return min(end, len(o.src))
}

// set makes an item a scalar.
func (o *outline) set(of *item, text string) {
	of.kind, of.text, of.items = scalar, text, nil
	if strings.Contains(text, mark) {
		o.found(of, false, text)
	}
}

func (o *outline) found(of *item, inKey bool, text string) {
	before, _, _ := strings.Cut(text, mark)
	o.place = &place{of: of, inKey: inKey, before: before}
}
