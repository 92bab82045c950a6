package lock

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/graph/flow"
	"toolgraph/internal/project/capabilities"
)

// Lock has the pinned tools that one graph file calls. It is immutable and may be used by
// several goroutines. A nil Lock has no entries.
type Lock struct {
	Name    string  // of its file, without directories
	Entries []Entry // by server, then tool; each once

	// Capabilities is what the listed tools of the graph file can do, as far as the lock has it;
	// nil for a lock that was written before locks had them.
	Capabilities *capabilities.Capabilities
}

// Path returns the path of the lock of a graph file: graph.lock.yaml beside graph.yaml.
func Path(graphFile string) string {
	ext := filepath.Ext(graphFile)
	if ext == ".yaml" || ext == ".yml" || ext == ".json" {
		graphFile = strings.TrimSuffix(graphFile, ext)
	}
	return graphFile + config.LockEnding
}

// Of returns a lock with these entries; of two for the same tool the last counts.
func Of(name string, entries ...Entry) *Lock {
	l := &Lock{Name: filepath.Base(name)}
	for _, e := range entries {
		if i, known := l.search(e.Server, e.Tool); known {
			l.Entries[i] = e
		} else {
			l.Entries = slices.Insert(l.Entries, i, e)
		}
	}
	return l
}

// copied returns a lock with the same content, whose entries may be changed.
func (l *Lock) copied() *Lock {
	other := Of(l.Name, l.Entries...)
	other.Capabilities = l.Capabilities
	return other
}

// Entry returns the entry of a tool; false when it is not pinned.
func (l *Lock) Entry(server, tool string) (Entry, bool) {
	i, known := l.search(server, tool)
	if !known {
		return Entry{}, false
	}
	return l.Entries[i], true
}

func (l *Lock) search(server, tool string) (int, bool) {
	if l == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(l.Entries, [2]string{server, tool}, func(e Entry, want [2]string) int {
		return cmp.Or(cmp.Compare(e.Server, want[0]), cmp.Compare(e.Tool, want[1]))
	})
}

// Tool returns a pinned tool for the checks of graphs: a Lock is a flow.Upstreams.
func (l *Lock) Tool(server, tool string) (flow.Tool, bool) {
	e, known := l.Entry(server, tool)
	if !known {
		return flow.Tool{}, false
	}
	hints := e.Hints()
	return flow.Tool{
		InputSchema: e.Input, OutputSchema: e.Output, Learned: e.Learned > 0, From: l.Name, Believed: true,
		ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, Idempotent: hints.Idempotent,
	}, true
}

// Believe returns a tool as its server lists it now, with the annotations that count: those of the
// lock where the tool is pinned, else its own, if the server is trusted.
func (l *Lock) Believe(server, name string, listed flow.Tool, trusted bool) flow.Tool {
	listed.Believed = trusted
	if pinned, known := l.Tool(server, name); known {
		listed.ReadOnly, listed.Destructive, listed.Idempotent, listed.Believed = pinned.ReadOnly, pinned.Destructive, pinned.Idempotent, true
	}
	return listed
}

// Hints are the effects of a tool in its annotations; nil when they do not say.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
	OpenWorld   *bool `json:"openWorldHint"`
}

// Effect is graph.HintedEffect of these hints.
func (h Hints) Effect() config.Effect { return graph.HintedEffect(h.ReadOnly, h.Destructive) }

// Repeatable reports whether calls of a tool with these hints are safe to repeat: those of an
// idempotent one, and of a read-only one unless the file gives another effect.
func (h Hints) Repeatable(effect config.Effect) bool {
	return effect == "" && h.Effect() == config.ReadEffect || h.Idempotent != nil && *h.Idempotent
}

// HintsOf reads annotations, JSON or nil. Annotations of a wrong kind have no hints.
func HintsOf(annotations []byte) Hints {
	var h Hints
	if len(annotations) > 0 && json.Unmarshal(annotations, &h) != nil {
		return Hints{}
	}
	return h
}
