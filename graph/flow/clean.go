package flow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"sync"

	"toolgraph/config"
	"toolgraph/graph"
)

// mostClean is how many hashes of clean graphs are remembered at least; twice as many at most, of 32 bytes each.
const mostClean = 4000

// Clean remembers the graphs whose nodes have no finding, by hashes of all that findings of a graph follow from. It is
// for an editor, which checks a file again after each change of a few characters. A graph with a finding is checked
// again each time: its findings have places, and fixes that are good for one version of the text alone. The zero
// Clean is empty. Safe for concurrent use; a nil one remembers nothing.
type Clean struct {
	mu          sync.Mutex
	fresh, old  map[cleanKey]struct{} // old is forgotten when fresh is full
	checked, of int                   // how many graphs were checked, and of how many
}

type cleanKey [sha256.Size]byte

// CheckAll is CheckAll for graphs of a file, which may be those of its tools without errors.
func (c *Clean) CheckAll(ctx context.Context, file *config.File, graphs []*graph.Graph, up Upstreams) (config.Diagnostics, error) {
	if c == nil {
		return CheckAll(ctx, graphs, up)
	}
	known := &knownClean{clean: c}
	if parts, ok := file.Portions(); ok {
		known.keys = keysOf(parts, graphs, up)
	}
	return checkAll(ctx, graphs, up, known)
}

// Counts returns how many graphs CheckAll has checked so far, and how many it was given. A graph whose constants have defaults
// counts once for each pass over it.
func (c *Clean) Counts() (checked, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checked, c.of
}

// has reports whether a graph is remembered, and counts it.
func (c *Clean) has(key cleanKey, keyed bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, isFresh := c.fresh[key]
	_, isOld := c.old[key]
	c.of++
	if !keyed || !isFresh && !isOld {
		c.checked++
		return false
	}
	if !isFresh {
		c.put(key)
	}
	return true
}

func (c *Clean) add(key cleanKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key)
}

// put adds a key. c.mu is held.
func (c *Clean) put(key cleanKey) {
	if len(c.fresh) >= mostClean {
		c.fresh, c.old = nil, c.fresh
	}
	if c.fresh == nil {
		c.fresh = map[cleanKey]struct{}{}
	}
	c.fresh[key] = struct{}{}
}

// knownClean is what is known of the graphs of one check; nil: nothing.
type knownClean struct {
	clean *Clean
	keys  map[*graph.Graph]cleanKey // a graph without one is checked each time
}

// unless makes the check of a graph, unless it is known to find nothing. defaults are those of the flows.
func (k *knownClean) unless(ctx context.Context, g *graph.Graph, defaults []string, check func() (config.Diagnostics, error)) (config.Diagnostics, error) {
	if k == nil {
		return check()
	}
	key, keyed := k.keys[g]
	key = sha256.Sum256(fmt.Appendf(key[:], "%q", defaults))
	if k.clean.has(key, keyed) {
		return nil, nil
	}
	found, err := check()
	if keyed && err == nil && len(found) == 0 && ctx.Err() == nil {
		k.clean.add(key)
	}
	return found, err
}

// keysOf returns the keys of the graphs whose calls end: of each, its own lines, what all tools share, what is known of
// the tools that it calls, and the keys of the graphs that it calls. What is found in graphs that call each
// other in a ring depends on which of them is followed first, so they have none.
func keysOf(parts config.Portions, graphs []*graph.Graph, up Upstreams) map[*graph.Graph]cleanKey {
	keys, tools := make(map[*graph.Graph]cleanKey, len(graphs)), map[[2]string]cleanKey{}
	shared := hashOf(parts.Shared...)
	waits, callers := map[*graph.Graph]int{}, map[*graph.Graph][]*graph.Graph{}
	var ready []*graph.Graph
	for _, g := range graph.Reached(graphs) {
		for _, n := range g.CallNodes() {
			if sub, isGraph := n.(*graph.SubGraph); isGraph && sub.Graph != nil {
				waits[g]++
				callers[sub.Graph] = append(callers[sub.Graph], g)
			}
		}
		if waits[g] == 0 {
			ready = append(ready, g)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		g := ready[0]
		sum := sha256.New()
		sum.Write(shared[:])
		put(sum, parts.Lines[g.Tool], g.Tool.Name.Value)
		for _, n := range g.CallNodes() {
			switch n := n.(type) {
			case *graph.SubGraph:
				called := keys[n.Graph] // of no graph, zeros
				sum.Write(called[:])
			case *graph.MCP:
				of := [2]string{n.Server, n.Tool}
				if _, known := tools[of]; !known {
					tools[of] = toolKey(up, n.Server, n.Tool)
				}
				known := tools[of]
				sum.Write(known[:])
			case *graph.Entry, *graph.Parallel, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit: // call nothing themselves
			}
		}
		keys[g] = cleanKey(sum.Sum(nil))
		for _, caller := range callers[g] {
			if waits[caller]--; waits[caller] == 0 {
				ready = append(ready, caller)
			}
		}
	}
	return keys
}

// toolKey is the hash of the name of a tool and of all that is known of it.
func toolKey(up Upstreams, server, tool string) cleanKey {
	raw, err := json.Marshal(knownTool(up, server, tool)) // byte slices become base64
	if err != nil {
		raw = nil // cannot happen: a Tool has texts and booleans alone
	}
	return hashOf(server, tool, string(raw))
}

func hashOf(texts ...string) cleanKey {
	sum := sha256.New()
	put(sum, texts...)
	return cleanKey(sum.Sum(nil))
}

// put adds texts with their lengths, so that no others have the same hash.
func put(sum hash.Hash, texts ...string) {
	for _, text := range texts {
		sum.Write(strconv.AppendInt(nil, int64(len(text)), 10))
		sum.Write([]byte{':'})
		sum.Write([]byte(text))
	}
}
