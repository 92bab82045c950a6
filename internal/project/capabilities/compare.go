package capabilities

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph"
)

// Excess is one thing that tools can do and others cannot.
type Excess struct {
	Pos  config.Pos // of the node, or of the server, that makes it possible
	Call *Call      // nil: it is not about a call
	Text string     // on one line
	Else string     // the effects with which the others can make the call; empty: they cannot
}

// Beyond returns what these tools can do and the others, which may be an older state of the same
// file, cannot: calls, calls with a worse effect or without the user's agreement, questions, and
// variables that servers read. The order is that of the tools, then of the servers.
func (c *Capabilities) Beyond(other *Capabilities) []Excess {
	var more []Excess
	for _, t := range c.Tools {
		was := Tool{}
		if i := slices.IndexFunc(other.Tools, func(o Tool) bool { return o.Name == t.Name }); i >= 0 {
			was = other.Tools[i]
		}
		for i := range t.Calls {
			call := &t.Calls[i]
			if call.Refused || slices.ContainsFunc(was.Calls, call.within) {
				continue
			}
			more = append(more, Excess{
				Pos: call.Pos, Call: call, Text: fmt.Sprintf("tool %q: %s", t.Name, call.Line()), Else: was.effectsOf(call.Name()),
			})
		}
		if t.Asks && !was.Asks {
			more = append(more, Excess{Pos: t.askPos, Text: fmt.Sprintf("tool %q: asks the user", t.Name)})
		}
	}
	for _, s := range c.Servers {
		var was Server
		if i := slices.IndexFunc(other.Servers, func(o Server) bool { return o.Name == s.Name }); i >= 0 {
			was = other.Servers[i]
		}
		for _, v := range s.Variables {
			if !slices.Contains(was.Variables, v) {
				more = append(more, Excess{Pos: s.pos, Text: fmt.Sprintf("server %q: reads the environment variable %s", s.Name, v)})
			}
		}
	}
	return more
}

// within reports whether another call, of the same tool, could do as much.
func (c *Call) within(other Call) bool {
	return other.Name() == c.Name() && !other.Refused && (c.Confirmed || !other.Confirmed) && graph.Within(believed(c.Effect), believed(other.Effect))
}

// Line returns the call on one line: files.delete_file: destroy if confirmed.
func (c *Call) Line() string { return c.Name() + ": " + c.effect() }

// ifConfirmed follows the effect of a call to which the user must agree.
const ifConfirmed = " if confirmed"

func (c *Call) effect() string {
	if c.Confirmed {
		return string(c.Effect) + ifConfirmed
	}
	return string(c.Effect)
}

// effectsOf returns the effects with which the tool can call an upstream tool, as EffectsByName
// has them; empty when it cannot.
func (t *Tool) effectsOf(name string) string {
	var effects []string
	for _, c := range t.Calls {
		if c.Name() == name && !c.Refused {
			effects = append(effects, c.effect())
		}
	}
	return strings.Join(effects, ", ")
}

// EffectsByName returns the upstream tools that the tool can call, each with its effects, the
// worst first: files.delete_file with "destroy if confirmed, read".
func (t *Tool) EffectsByName() map[string]string {
	effects := map[string]string{}
	for _, c := range t.Calls {
		if !c.Refused {
			effects[c.Name()] = t.effectsOf(c.Name())
		}
	}
	return effects
}

// SetEffects is the reverse of EffectsByName for one upstream tool. It reports whether it has
// understood the effects.
func (t *Tool) SetEffects(name, effects string) bool {
	server, tool, isCall := strings.Cut(name, ".")
	for text := range strings.SplitSeq(effects, ", ") {
		effect, confirmed := strings.CutSuffix(text, ifConfirmed)
		if !isCall || !slices.Contains(Effects, config.Effect(effect)) {
			return false
		}
		t.Calls = append(t.Calls, Call{Server: server, Tool: tool, Effect: config.Effect(effect), Confirmed: confirmed})
	}
	return true
}
