package lock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/mcpclient"
)

// Entry is one pinned tool.
type Entry struct {
	Server, Tool string
	Identity     string // what the graph file names as the server: see config.Upstream.Identity
	Hash         string // "sha256:" and 64 hex digits, over the whole definition and Identity

	Title, Description         string   // as they may be shown: see shown
	Input, Output, Annotations []byte   // compact JSON, keys sorted; nil when the server gave none
	Omitted                    []string // which of inputSchema, outputSchema and annotations are too large to be kept
	Learned                    int      // from how many answers Output was learned; 0 when the server declares it
	Seal                       string   // a hash like Hash, over what is kept, where Hash cannot be computed from that; else ""
}

// Pin is the entry of a tool as its server tells it. Values of secrets that the server
// tells are left out; they count in the hash.
func Pin(server *config.Upstream, tool mcpclient.Tool, secrets *config.Secrets) Entry {
	e := Entry{
		Server: server.Name.Value, Tool: tool.Name, Identity: server.Identity, Hash: hash(server.Identity, tool),
		Title:       Shown(secrets.Redact(tool.Title), titleShown),
		Description: Shown(secrets.Redact(tool.Description), descriptionShown),
	}
	for _, part := range []struct {
		name string
		raw  []byte
		kept *[]byte
	}{
		{inputSchema, tool.InputSchema, &e.Input},
		{outputSchema, tool.OutputSchema, &e.Output},
		{annotations, tool.Annotations, &e.Annotations},
	} {
		if len(part.raw) == 0 {
			continue
		}
		if *part.kept = keepable(part.raw, secrets); *part.kept == nil {
			e.Omitted = append(e.Omitted, part.name)
		}
	}
	if hashOf(e.Identity, e.Tool, e.parts()) != e.Hash {
		e.Seal = e.seal()
	}
	return e
}

// pinnedParts are the parts of a definition that the hash is over, beside its name.
var pinnedParts = []string{title, description, inputSchema, outputSchema, annotations}

// Hints are what the tool's annotations say.
func (e Entry) Hints() Hints { return HintsOf(e.Annotations) }

// The parts of a definition, as MCP names them.
const (
	title        = "title"
	description  = "description"
	inputSchema  = "inputSchema"
	outputSchema = "outputSchema"
	annotations  = "annotations"
)

// hash is the canonical hash of a definition: of JSON with sorted keys, so that the
// order in which a server writes it does not count.
func hash(identity string, tool mcpclient.Tool) string {
	var parts map[string]json.RawMessage
	if json.Unmarshal(tool.Raw, &parts) != nil {
		parts = map[string]json.RawMessage{
			title: jsonText(tool.Title), description: jsonText(tool.Description),
			inputSchema: tool.InputSchema, outputSchema: tool.OutputSchema, annotations: tool.Annotations,
		}
	}
	if sum := hashOf(identity, tool.Name, parts); sum != "" {
		return sum
	}
	return hashBytes(append([]byte(identity+"\n"), tool.Raw...)) // deeper than we encode
}

// hashOf is the hash over the pinned parts of a definition; "" when they are deeper than
// we encode.
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
			pinned[part] = "not decodable: " + string(raw) // beyond our limits: its bytes count
		}
	}
	src, err := value.Encode(pinned)
	if err != nil {
		return ""
	}
	return hashBytes(src)
}

func hashBytes(src []byte) string {
	sum := sha256.Sum256(src)
	return hashPrefix + hex.EncodeToString(sum[:])
}

// jsonText is a text as JSON.
func jsonText(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a text always has JSON
	return raw
}

const hashPrefix = "sha256:"
