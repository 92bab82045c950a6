package graph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
)

// maxID is the length, in code points, from which an id is too long to read well.
const maxID = 64

// checkID checks a node's id. Odd ids are only warned of: files of other systems
// have them, and backticks can write nearly all of them in an expression.
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
		c.found.Warn(pos, code, fmt.Sprintf("node id %q has a backtick, which no path of an expression can write", id), "rename it")
	case id == "__proto__":
		c.found.Warn(pos, code, fmt.Sprintf("node id %q has a special meaning in JavaScript engines", id), "rename it")
	case isReserved(id) || !isPlain(id): // see checkOddIDs
	case utf8.RuneCountInString(id) > maxID:
		c.found.Warn(pos, code, fmt.Sprintf("node id %q is %d characters long, at most %d read well", id, utf8.RuneCountInString(id), maxID), "shorten it")
	}
}

// checkOddIDs warns of ids that expressions can only write in backticks, where one of the
// expressions writes them without.
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
		c.found.Warn(orPos(n.ID.Pos, n.Pos), "odd-node-id", message+", and an expression writes it without backticks", backticks(id))
	}
}

func backticks(id string) string {
	return "write it in backticks in expressions, $.`" + id + "`, or rename it"
}

// isReserved tells the words that JSONata reads as something else than a name.
func isReserved(id string) bool {
	switch id {
	case "and", "or", "in", "true", "false", "null", "function":
		return true
	}
	return false
}

// isPlain tells a name that JSONata and every other notation read as one.
func isPlain(id string) bool {
	for i, r := range id {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return id != ""
}

// plainStart is the plain name that an id begins with, or "".
func plainStart(id string) string {
	n := 0
	for n < len(id) && isPlain(id[:n+1]) {
		n++
	}
	return id[:n]
}
