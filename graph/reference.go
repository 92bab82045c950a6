package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// checkReference reports a path or a history function that does not name a node: it never has a
// value, since the keys of the context are node ids.
func (c *compiler) checkReference(text *config.Places, ref jsonata.Reference, bound variables) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, ok := c.byID[name]; ok {
		return
	}
	hint, near := c.suggest(name, func() []string { return c.ids }, "a path begins with a node's id: ")
	fix := replaceIn(text.Text, ref.Offset, name, near)
	if entry := c.entryID(); entry != "" && c.tool.InputSchema.Get("properties").Get(name) != nil {
		hint = fmt.Sprintf("for the tool's argument write $.%s.%s", entry, name)
		fix = replaceIn(text.Text, ref.Offset, name, entry+"."+name)
	}
	if id, start := c.unquotedID(text.Text.Value, ref); id != "" {
		if _, isNode := c.byID[plainStart(id)]; start < ref.Offset && !isNode {
			return // its first word is reported
		}
		hint = "write `" + id + "` in backticks"
		fix = config.Replace("Write it in backticks", text.Text, config.Replacement{From: start, To: start + len(id), Text: "`" + id + "`"})
	}
	tool := c.tool.Name.Value
	message := fmt.Sprintf("%q is not a node of tool %q, so this path never has a value", name, tool)
	if other, variable := c.otherwise(ref, bound); other != "" {
		hint, fix = other, replaceIn(text.Text, ref.Offset, name, variable)
	}
	if ref.Function != "" {
		message = fmt.Sprintf("$%s asks for %q, which is not a node of tool %q", ref.Function, name, tool)
	}
	d := c.found.Add(text.At(ref.Offset), "unknown-node-reference", message, hint).Fixed(fix)
	if strings.HasPrefix(text.Text.Value[max(ref.Offset, 0):], name) {
		d.Until(text.At(ref.Offset + len(name)))
	}
}

// otherwise returns the remedy for a path that begins with what is no node, but something else of the language, and the
// variable that was meant by its first name; empty when there is none.
func (c *compiler) otherwise(ref jsonata.Reference, bound variables) (hint, variable string) {
	name := ref.Path[0]
	switch {
	case ref.Function != "":
	case strings.Contains(name, "${"):
		return "backticks quote a name in JSONata: join texts with &, as in \"from \" & $.a", ""
	case name == expressions.VarVars && c.constants != nil, slices.Contains(bound, name):
		return wording.Meant("$" + strings.Join(ref.Path, ".")), "$" + name
	}
	return "", ""
}

// entryID returns the id of the tool's entry; empty when it needs backticks in a path.
func (c *compiler) entryID() string {
	for _, node := range c.tool.Nodes {
		if node.Type == config.EntryNode && isPlain(node.ID.Value) {
			return node.ID.Value
		}
	}
	return ""
}

// unquotedID returns the node id that a path is probably a word of, and the offset of the id in
// the source: without backticks my-node means my minus node.
func (c *compiler) unquotedID(source string, ref jsonata.Reference) (id string, start int) {
	if ref.Function != "" || ref.Offset < 0 || ref.Offset >= len(source) {
		return "", 0
	}
	for _, id := range c.ids {
		if id == "" || isPlain(id) {
			continue
		}
		from := max(0, ref.Offset-len(id)+1)
		to := min(len(source), ref.Offset+len(id))
		if i := strings.Index(source[from:to], id); i >= 0 {
			return id, from + i
		}
	}
	return "", 0
}

// checkElement warns of a path that begins with a node's id in the body of map, filter and the
// like: paths are read from the element there.
func (c *compiler) checkElement(rule *config.Data, place []any, text config.Text, ref jsonata.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	name := ref.Path[0]
	if _, isNode := c.byID[name]; !isNode || name == "current" || name == "accumulator" || c.elementHas(rule, place, name) {
		return
	}
	c.found.Warn(text.At(ref.Offset), "element-relative-var",
		fmt.Sprintf("inside the body of an iteration, %q is read from each element, not from node %q", strings.Join(ref.Path, "."), name),
		fmt.Sprintf("write $ctx.%s to read the node's output", strings.Join(ref.Path, "."))).
		Fixed(config.Replace("Read it from the context", text, config.Replacement{From: ref.Offset, To: ref.Offset, Text: "$ctx."}))
}

// elementHas reports whether the innermost iteration around a place in a rule is over an argument of the tool whose items have a
// property of that name by inputSchema.
func (c *compiler) elementHas(rule *config.Data, place []any, name string) bool {
	for i := len(place) - 2; i >= 0; i-- {
		operator, isOperator := place[i].(string)
		if !isOperator || place[i+1] != 1 || !slices.Contains([]string{"map", "filter", "all", "some", "none"}, operator) {
			continue
		}
		source, _ := rule.At(place[:i+1]...).At(0).Get("var").Value().(string)
		path := strings.Split(strings.TrimPrefix(source, "$."), ".")
		if path[0] != c.entryID() {
			return false
		}
		part := c.tool.InputSchema
		for _, step := range path[1:] {
			part = part.Get("properties").Get(step)
		}
		return part.Get("items").Get("properties").Get(name) != nil
	}
	return false
}

// maxID is the length, in code points, from which an id is too long to read well.
const maxID = 64

// checkID checks a node's id. Odd ids are warnings: files of other systems have them, and
// expressions can write most of them in backticks.
func (c *compiler) checkID(n *config.Node) {
	id := n.ID.Value
	pos := orPos(n.ID.Pos, n.Pos)
	const code = "odd-node-id"
	switch {
	case id == "":
		c.found.Add(pos, "bad-node-id", fmt.Sprintf("a node of tool %q has no id, expected a name", c.tool.Name.Value), "write a name such as fetch_page")
	case !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl):
		c.found.Add(pos, "bad-node-id", fmt.Sprintf("node id %q has control characters, expected a name", id), "write a name such as fetch_page")
	case strings.Contains(id, "`"):
		c.found.Warn(pos, code, fmt.Sprintf("node id %q has a backtick, which expressions cannot write", id), "rename it").Over(n.ID).Fixed(config.PlainName(n.ID))
	case id == "__proto__":
		c.found.Warn(pos, code, fmt.Sprintf("node id %q has a special meaning in JavaScript engines", id), "rename it")
	case isReserved(id) || !isPlain(id): // see checkOddIDs
	case utf8.RuneCountInString(id) > maxID:
		c.found.Warn(pos, code, fmt.Sprintf("node id %q is %d characters long, more than the recommended %d", id, utf8.RuneCountInString(id), maxID), "shorten it")
	}
}

// checkOddIDs warns of ids that need backticks in expressions, when an expression has them
// without.
func (c *compiler) checkOddIDs() {
	odd, bare := oddIDsOf(c.tool), map[string]bool{}
	if len(odd.ids) == 0 {
		return
	}
	for _, w := range c.written {
		odd.bare(w, bare)
	}
	for _, n := range c.tool.Nodes {
		id := n.ID.Value
		if !bare[id] {
			continue
		}
		message := fmt.Sprintf("node id %q is not a plain name (letters, digits and _)", id)
		if isReserved(id) {
			message = fmt.Sprintf("node id %q is a word of JSONata", id)
		}
		c.found.Warn(orPos(n.ID.Pos, n.Pos), "odd-node-id", message+", and an expression writes it without backticks", backticks(id)).Over(n.ID).Fixed(config.PlainName(n.ID))
	}
}

func backticks(id string) string {
	return "write it in backticks in expressions, $.`" + id + "`, or rename it"
}

// isReserved reports whether JSONata reads a word as something else than a name.
func isReserved(id string) bool {
	switch id {
	case "and", "or", "in", "true", "false", "null", "function":
		return true
	}
	return false
}

// isPlain reports whether JSONata and every other notation read an id as a name.
func isPlain(id string) bool {
	for i, r := range id {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return id != ""
}

// plainStart returns the plain name at the start of an id, or "".
func plainStart(id string) string {
	n := 0
	for n < len(id) && isPlain(id[:n+1]) {
		n++
	}
	return id[:n]
}

// written is the source of an expression, and its references.
type written struct {
	source string
	reads  []jsonata.Reference
}

// oddIDs are node ids that need backticks in expressions.
type oddIDs struct {
	ids     map[string]bool
	lengths []int // of the ids, each once
}

func oddIDsOf(tool *config.Tool) oddIDs {
	odd := oddIDs{ids: map[string]bool{}}
	for _, n := range tool.Nodes {
		id := n.ID.Value
		if id == "" || len(id) > utf8.UTFMax*maxID || strings.Contains(id, "`") || isPlain(id) && !isReserved(id) {
			continue
		}
		odd.ids[id] = true
		if !slices.Contains(odd.lengths, len(id)) {
			odd.lengths = append(odd.lengths, len(id))
		}
	}
	return odd
}

// bare adds to found the ids that the expression has at the start of a path without backticks,
// where JSONata reads something else.
func (o oddIDs) bare(w written, found map[string]bool) {
	reads := make(map[int]string, len(w.reads))
	for _, r := range w.reads {
		if r.Function == "" && len(r.Path) > 0 {
			reads[r.Offset] = r.Path[0]
		}
	}
	for at := 0; at < len(w.source); {
		if n := quotedSize(w.source[at:]); n > 0 {
			at += n
			continue
		}
		if beginsPath(w.source, at) {
			for _, n := range o.lengths {
				if at+n > len(w.source) {
					continue
				}
				id := w.source[at : at+n]
				if o.ids[id] && reads[at] != id && isPath(w.source, at+n, isReserved(id)) {
					found[id] = true
				}
			}
		}
		_, size := utf8.DecodeRuneInString(w.source[at:])
		at += size
	}
}

// beginsPath reports whether the first name of a path over the context may begin at an offset.
func beginsPath(source string, at int) bool {
	before := source[:at]
	for _, root := range []string{"$$.", "$."} {
		if strings.HasSuffix(before, root) {
			return true
		}
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return last != '.' && last != '$' && !isWord(last)
}

// isPath reports whether a name may end at an offset. A reserved word is a name only when a path
// continues after it.
func isPath(source string, end int, reserved bool) bool {
	if reserved {
		rest := strings.TrimLeft(source[end:], " \t\r\n")
		return strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[")
	}
	next, _ := utf8.DecodeRuneInString(source[end:])
	return end == len(source) || !isWord(next)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// quotedSize returns the length of the string, the name in backticks or the comment at the start
// of an expression; 0 when it starts with something else.
func quotedSize(s string) int {
	if strings.HasPrefix(s, "/*") {
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	}
	quote := s[0]
	if quote != '"' && quote != '\'' && quote != '`' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}
