package mcpclient

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

// expansionMost is how many schemas may apply to one value, references followed.
const expansionMost = 100_000

var errExpansion = errors.New("it refers to itself so often that a check could take for ever")

// expansion counts how many schemas a check may have to try. A few lines of a schema
// can ask for more of them than there is time, and a check cannot be interrupted; such
// schemas of others are not used. A reference back to a schema that is being tried is
// counted once: it goes down into the value, which is finite.
type expansion struct {
	root    any
	anchors map[string]any
	refs    map[string]int  // what references lead to, counted
	open    map[string]bool // the references that are being followed
}

// checkExpansion is an error when a schema asks for too much.
func checkExpansion(schema []byte) error {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	e := &expansion{root: root, anchors: map[string]any{}, refs: map[string]int{}, open: map[string]bool{}}
	e.findAnchors(root)
	if e.count(root) > expansionMost {
		return errExpansion
	}
	return nil
}

func (e *expansion) findAnchors(part any) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			e.findAnchors(item)
		}
	case map[string]any:
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := part[key].(string); ok {
				e.anchors["#"+name] = part
			}
		}
		for _, item := range part {
			e.findAnchors(item)
		}
	}
}

// count is the number of schemas in a part, at most a little over expansionMost. What
// is no schema is counted too: only its size matters.
func (e *expansion) count(part any) int {
	total := 0
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			if total += e.count(item); total > expansionMost {
				return total
			}
		}
	case map[string]any:
		total = 1
		for key, item := range part {
			if ref, isText := item.(string); isText && (key == "$ref" || key == "$dynamicRef") {
				total += e.follow(ref)
			} else {
				total += e.count(item)
			}
			if total > expansionMost {
				return total
			}
		}
	}
	return total
}

// follow counts what a reference leads to, once for all that refer to it.
func (e *expansion) follow(ref string) int {
	if n, known := e.refs[ref]; known {
		return n
	}
	if e.open[ref] {
		return 1
	}
	target, found := e.resolve(ref)
	if !found {
		return expansionMost + 1 // nobody knows what it leads to
	}
	e.open[ref] = true
	n := e.count(target)
	delete(e.open, ref)
	e.refs[ref] = n
	return n
}

func (e *expansion) resolve(ref string) (any, bool) {
	if ref == "#" || ref == "#/" {
		return e.root, true
	}
	if !strings.HasPrefix(ref, "#/") {
		part, found := e.anchors[ref]
		return part, found
	}
	at := e.root
	path, err := url.PathUnescape(ref[2:])
	if err != nil {
		return nil, false
	}
	for token := range strings.SplitSeq(path, "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false // into a list: nobody writes that
		}
		if at, ok = object[token]; !ok {
			return nil, false
		}
	}
	return at, true
}
