package lock

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// parts are the pinned parts of a definition as the lock has them. What was learned is
// not the server's, and not among them.
func (e Entry) parts() map[string]json.RawMessage {
	parts := map[string]json.RawMessage{
		title: jsonText(e.Title), description: jsonText(e.Description),
		inputSchema: e.Input, outputSchema: e.Output, annotations: e.Annotations,
	}
	if e.Learned > 0 {
		parts[outputSchema] = nil
	}
	maps.DeleteFunc(parts, func(_ string, raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == `""` })
	return parts
}

// seal is the hash over what the lock has of a definition that it has not whole. It
// shows an edit, as Hash does for the others.
func (e Entry) seal() string {
	return hashOf(e.Identity+"\n"+e.Hash+"\n"+strings.Join(e.Omitted, " "), e.Tool, e.parts())
}

// consistent reports whether the hashes of an entry are those of what it has. Locks of the
// first format have no seals: there, an entry that does not have all that its hash is of
// passes.
func (e Entry) consistent(format int) bool {
	switch {
	case e.Seal != "":
		return e.Seal == e.seal()
	case hashOf(e.Identity, e.Tool, e.parts()) == e.Hash:
		return true
	}
	return format == firstFormat && (e.shortened() || e.hashesWithEmpty())
}

// shortened reports whether a part is not as the server told it: it is omitted,
// truncated, redacted, or has hidden characters marked.
func (e Entry) shortened() bool {
	all := bytes.Join([][]byte{[]byte(e.Title), []byte(e.Description), e.Input, e.Output, e.Annotations}, []byte("\n"))
	for _, mark := range []string{"<U+", "… (", "[redacted]"} {
		if bytes.Contains(all, []byte(mark)) {
			return true
		}
	}
	return len(e.Omitted) > 0
}

// hashesWithEmpty reports whether the hash is that of a definition with null or an empty
// text where the lock has no part: the first format kept these in the hash alone.
func (e Entry) hashesWithEmpty() bool {
	candidates := []map[string]json.RawMessage{e.parts()}
	for _, name := range pinnedParts {
		if len(candidates[0][name]) > 0 {
			continue
		}
		fillers := []string{"null"}
		if name == title || name == description {
			fillers = append(fillers, `""`)
		}
		for _, parts := range candidates[:len(candidates):len(candidates)] {
			for _, filler := range fillers {
				filled := maps.Clone(parts)
				filled[name] = json.RawMessage(filler)
				candidates = append(candidates, filled)
			}
		}
	}
	for _, parts := range candidates {
		if hashOf(e.Identity, e.Tool, parts) == e.Hash {
			return true
		}
	}
	return false
}
