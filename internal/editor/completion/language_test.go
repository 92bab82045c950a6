package completion

import (
	"strings"
	"testing"

	"toolgraph/config"
)

// Every node type, and every key that a node of the type, a tool and the file can have, is offered.
func TestLanguageIsOffered(t *testing.T) {
	known := knownOf(t, file)
	const last = "      - {id: exit, type: exit}\n  - name"
	types, keys := "", map[string]string{}
	for _, d := range config.Language() {
		if d.Of == "" {
			types += d.Name + " "
		} else {
			keys[d.Of] += d.Name + " "
		}
	}
	offers(t, known, file, last, "      - id: x\n        type: ‸\n  - name", types, "")
	for name := range strings.FieldsSeq(types) {
		of := keys["a "+name+" node"] + keys["an "+name+" node"]
		if of == "" {
			t.Errorf("no keys of %s", name)
		}
		offers(t, known, file, last, "      - id: x\n        type: "+name+"\n        ‸\n  - name", without(of, "id type"), "")
	}
	offers(t, known, file, "  - name: other\n    description: e\n    nodes:", "  - ‸\n  - name: other\n    description: e\n    nodes:", without(keys["a tool"], ""), "")
	offers(t, known, file, "vars: {region: eu, top: 3}\n", "‸\n", without(keys["the graph file"], "version server mcpServers tools"), "")
}

// without returns words without others.
func without(words, others string) string {
	var left []string
	for word := range strings.FieldsSeq(words) {
		if !strings.Contains(" "+others+" ", " "+word+" ") {
			left = append(left, word)
		}
	}
	return strings.Join(left, " ")
}
