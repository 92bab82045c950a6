package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/mcpclient"
)

// Entry is one pinned tool.
type Entry struct {
	Server, Tool string
	Identity     string // the definition of the server in the graph file: see config.Upstream.Identity
	Hash         string // "sha256:" and 64 hex digits, over the whole definition and Identity

	Title, Description         string   // in the form that may be shown: see Shown
	Input, Output, Annotations []byte   // compact JSON, keys sorted; nil when the server lists none
	Omitted                    []string // which of inputSchema, outputSchema and annotations are too large to be stored
	Learned                    int      // the number of answers from which Output was learned; 0 when the server declares it
	TaskRequired               bool     // it can only be called as a task; not part of Hash, and nothing is permitted because of it
	Seal                       string   // a hash like Hash, over the stored parts, where Hash cannot be computed from them; else ""
}

// The parts of a definition, with their names in MCP.
const (
	title        = "title"
	description  = "description"
	inputSchema  = "inputSchema"
	outputSchema = "outputSchema"
	annotations  = "annotations"
)

// texts returns the parts of the definition that are strings.
func (e *Entry) texts() map[string]*string {
	return map[string]*string{title: &e.Title, description: &e.Description}
}

// documents are the names of the parts of a definition that are JSON, in order.
var documents = []string{inputSchema, outputSchema, annotations}

// document returns the part of that name.
func (e *Entry) document(name string) *[]byte {
	return map[string]*[]byte{inputSchema: &e.Input, outputSchema: &e.Output, annotations: &e.Annotations}[name]
}

// Pin returns the entry of a tool that its server lists. Values of secrets in the
// definition are left out; they count in the hash.
func Pin(server *config.Upstream, tool mcpclient.Tool, secrets *config.Secrets) Entry {
	e := Entry{
		Server: server.Name.Value, Tool: tool.Name, Identity: server.Identity, Hash: hash(server.Identity, tool),
		TaskRequired: tool.TaskRequired(),
		Title:        Shown(secrets.Redact(tool.Title), titleShown),
		Description:  Shown(secrets.Redact(tool.Description), descriptionShown),
	}
	listed := partsOf(tool)
	for _, name := range documents {
		if len(listed[name]) == 0 {
			continue
		}
		stored := storable(listed[name], secrets)
		if *e.document(name) = stored; stored == nil {
			e.Omitted = append(e.Omitted, name)
		}
	}
	if hashOf(e.Identity, e.Tool, e.parts()) != e.Hash {
		e.Seal = e.seal()
	}
	return e
}

// Hints returns the hints in the tool's annotations.
func (e Entry) Hints() Hints { return HintsOf(e.Annotations) }

// partsOf returns the parts of a definition.
func partsOf(tool mcpclient.Tool) map[string]json.RawMessage {
	return map[string]json.RawMessage{
		title: jsonText(tool.Title), description: jsonText(tool.Description),
		inputSchema: tool.InputSchema, outputSchema: tool.OutputSchema, annotations: tool.Annotations,
	}
}

// parts returns the stored parts of the definition. A learned schema is not part of it.
func (e Entry) parts() map[string]json.RawMessage {
	parts := partsOf(mcpclient.Tool{Title: e.Title, Description: e.Description, InputSchema: e.Input, OutputSchema: e.Output, Annotations: e.Annotations})
	if e.Learned > 0 {
		parts[outputSchema] = nil
	}
	maps.DeleteFunc(parts, func(_ string, raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == `""` })
	return parts
}

// hash returns the canonical hash of a definition: over JSON with sorted keys, so that the
// order in which a server writes them does not count.
func hash(identity string, tool mcpclient.Tool) string {
	var parts map[string]json.RawMessage
	if json.Unmarshal(tool.Raw, &parts) != nil {
		parts = partsOf(tool)
	}
	if sum := hashOf(identity, tool.Name, parts); sum != "" {
		return sum
	}
	return hashBytes(append([]byte(identity+"\n"), tool.Raw...)) // nested too deep to be encoded
}

// pinnedParts are the parts of a definition that the hash covers, beside its name.
var pinnedParts = append([]string{title, description}, documents...)

// hashOf returns the hash over the pinned parts of a definition; "" when they are nested
// too deep to be encoded.
func hashOf(identity, name string, parts map[string]json.RawMessage) string {
	pinned := map[string]any{"name": name, "server": identity}
	for _, part := range pinnedParts {
		raw := parts[part]
		if len(raw) == 0 {
			continue
		}
		if v, err := value.Decode(raw); err == nil {
			pinned[part] = value.Plain(v)
		} else {
			pinned[part] = "not decodable: " + string(raw) // beyond the limits: its bytes count
		}
	}
	src, err := value.Encode(pinned)
	if err != nil {
		return ""
	}
	return hashBytes(src)
}

const hashPrefix = "sha256:"

func hashBytes(src []byte) string {
	sum := sha256.Sum256(src)
	return hashPrefix + hex.EncodeToString(sum[:])
}

// jsonText returns a string as JSON.
func jsonText(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // never fails for a string
	return raw
}

// seal returns the hash over the stored parts of a definition that is not stored whole. It
// reveals an edit, as Hash does for the others.
func (e Entry) seal() string {
	return hashOf(e.Identity+"\n"+e.Hash+"\n"+strings.Join(e.Omitted, " "), e.Tool, e.parts())
}

// consistent reports whether the hashes of an entry match its parts. Locks of the first
// format have no seals: there, an entry that is not stored whole passes.
func (e Entry) consistent(format int) bool {
	switch {
	case e.Seal != "":
		return e.Seal == e.seal()
	case hashOf(e.Identity, e.Tool, e.parts()) == e.Hash:
		return true
	}
	return format == firstFormat && (e.shortened() || e.hashesWithEmpty())
}

// shortened reports whether a part differs from the server's: it is omitted, truncated,
// redacted, or has hidden characters marked.
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
// string for parts that are not stored: the first format stored these in the hash alone.
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
