package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// trial compares one episode.
type trial struct {
	c        *Comparison
	episode  Episode
	before   outcome
	unsteady []change            // of the result, without any change of the servers
	present  map[string]*present // of its calls, by callKey
}

// look finds out what a call gives now, and notes what its definition says.
func (t *trial) look(ctx context.Context, m *made) {
	c, key := t.c, callKey(&m.call)
	if t.present[key] != nil || ctx.Err() != nil {
		return
	}
	if known := c.answers[key]; known != nil {
		t.present[key] = known
	} else if _, listed := c.servers.Listed[m.call.Server]; !listed {
		return // it cannot be reached, which its caller reports
	}
	d, gone := c.servers.definitionOf(&m.call)
	p := &present{def: d}
	if t.present[key] == nil {
		t.present[key] = p
	}
	if gone != "" {
		t.drift(m, change{field: toolField, what: "is gone: " + gone}, t.failing(m))
		return
	}
	may, now := c.servers.mayCall(&d, m.node, m.call.Server)
	if now != "" {
		t.drift(m, change{field: hintField, what: now}, "it was not called; a run may ask the user, or refuse the call")
	}
	refused := d.arguments(ctx, m.call.Args)
	for _, r := range refused {
		if may && !d.locked {
			t.note(m, r) // the answer shows what the server thinks of it
			continue
		}
		t.drift(m, r, t.failing(m))
	}
	if c.answers[key] != nil {
		return
	}
	c.answers[key] = p
	switch why := lacking(m.call.Args); {
	case !may && now == "":
		c.uncompared(m, notReading(m.node != nil && m.node.Effect != "" || d.locked))
	case !may, d.locked && len(refused) > 0:
	case why != "":
		c.uncompared(m, why)
	default:
		t.ask(ctx, m, p)
	}
}

// notReading says why a call was not made.
func notReading(known bool) string {
	if known {
		return "it may change something"
	}
	return "what it does is unknown; write effect: read at the node, or run toolgraph lock"
}

// ask makes a call again. One over the limit, and one whose server does not answer, are reported and not compared.
func (t *trial) ask(ctx context.Context, m *made, p *present) {
	err := t.c.ask(ctx, &t.episode, m, p)
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, errLimit):
		p.made = false
		t.c.uncompared(m, err.Error())
	default:
		p.made = false
		t.c.unreachable(m.call.Server, err.Error())
	}
}

// failing is the effect of a call that its server refuses.
func (t *trial) failing(m *made) string {
	return fmt.Sprintf("the call of node %q fails", wording.OneLine(m.call.Name()))
}

// find runs the episode on the present answers, and finds the changes that reach its result.
func (t *trial) find(ctx context.Context) {
	found := t.differences()
	if len(found) == 0 || ctx.Err() != nil {
		return
	}
	whole := t.effect(t.with(ctx, found))
	if whole == "" {
		for _, d := range found {
			t.note(d.at, d.change)
		}
		return
	}
	alone := make([]string, len(found))
	for i := range found {
		if t.c.replays >= t.c.limits.Replays || ctx.Err() != nil {
			break
		}
		alone[i] = t.effect(t.with(ctx, found[i:i+1]))
	}
	together := !slices.ContainsFunc(alone, func(effect string) bool { return effect != "" })
	for i, d := range found {
		switch {
		case together:
			t.drift(d.at, d.change, whole)
		case alone[i] != "":
			t.drift(d.at, d.change, alone[i])
		default:
			t.note(d.at, d.change)
		}
	}
}

// difference is a change in the answers of all calls of a node.
type difference struct {
	at *made // the first
	change
}

// isOf reports whether a call of the same node and tool has this change, in this field.
func (d *difference) isOf(m *made, field string) bool {
	return d.field == field && d.at.call.Name() == m.call.Name() && d.at.call.Tool == m.call.Tool && d.at.call.Server == m.call.Server
}

// differences returns how the present answers differ from the recorded ones, each node and field once.
func (t *trial) differences() (all []difference) {
	for i := range t.before.calls {
		m := &t.before.calls[i]
		p := t.present[callKey(&m.call)]
		v, err, changed := p.answer(m)
		if !changed || m.err != nil && t.succeeds(m) {
			continue
		}
		note := func(c change) bool {
			if !slices.ContainsFunc(all, func(d difference) bool { return d.isOf(m, c.field) }) {
				all = append(all, difference{m, c})
			}
			return true
		}
		switch {
		case err != nil:
			note(change{what: "is an error now: " + wording.OneLine(t.c.servers.File.Secrets.Redact(err.Error())), was: m.value})
		case m.err != nil:
			note(change{what: "was an error and is an answer now", is: v})
		default:
			merge("", m.value, v, note)
		}
	}
	return all
}

// succeeds reports whether another attempt of an equal call has an answer: then the failure is left as it was.
func (t *trial) succeeds(failed *made) bool {
	key := callKey(&failed.call)
	return slices.ContainsFunc(t.before.calls, func(m made) bool { return m.err == nil && callKey(&m.call) == key })
}

// with runs the episode with these differences, the other answers as they were recorded.
func (t *trial) with(ctx context.Context, taken []difference) outcome {
	return t.c.play(ctx, t.episode, func(m *made) (value.Value, error) {
		takes := func(field string) bool {
			return slices.ContainsFunc(taken, func(d difference) bool { return d.isOf(m, field) })
		}
		v, err, changed := t.present[callKey(&m.call)].answer(m)
		switch {
		case !changed || m.err != nil && t.succeeds(m):
			return m.value, m.err
		case err != nil || m.err != nil:
			if takes("") {
				return v, err
			}
			return m.value, m.err
		}
		return merge("", m.value, v, func(c change) bool { return takes(c.field) }), nil
	})
}

// effect says how an outcome differs from the recorded one; "" when it does not.
func (t *trial) effect(now outcome) string {
	secrets := t.c.servers.File.Secrets
	was := t.before
	if len(now.missed) > 0 {
		call := now.missed[0]
		return fmt.Sprintf("node %q calls %s.%s with other arguments: %s", call.Name(), call.Server, call.Tool, text(secrets, call.Args))
	}
	if effect := t.failure(now); effect != "" {
		return effect
	}
	for _, c := range changes(was.value, now.value) {
		if slices.ContainsFunc(t.unsteady, func(u change) bool { return strings.HasPrefix(c.field, u.field) }) {
			continue
		}
		return "the result differs: " + place(c.field) + " " + c.what + values(secrets, c)
	}
	return t.unmade(now)
}

// failure says how the failure of the run differs; "" when it does not.
func (t *trial) failure(now outcome) string {
	secrets := t.c.servers.File.Secrets
	message := func(err error) string {
		if err == nil {
			return ""
		}
		return wording.Shorten(wording.OneLine(secrets.Redact(err.Error())))
	}
	was, is := message(t.before.err), message(now.err)
	switch {
	case was == is || was != "" && is != "" && t.before.err.Error() == now.err.Error():
		return ""
	case is == "":
		return "the run succeeds, and failed before: " + was
	}
	return "the run fails: " + is
}

// unmade says which call that may change something is not made, or made more often; "" without one.
func (t *trial) unmade(now outcome) string {
	counts := map[string]int{}
	for i := range t.before.calls {
		counts[callKey(&t.before.calls[i].call)]++
	}
	for i := range now.calls {
		counts[callKey(&now.calls[i].call)]--
	}
	for i := range t.before.calls {
		m := &t.before.calls[i]
		key := callKey(&m.call)
		if p := t.present[key]; counts[key] > 0 && (p == nil || !p.made) {
			return fmt.Sprintf("node %q does not call %s.%s any more", m.call.Name(), m.call.Server, m.call.Tool)
		}
	}
	return ""
}

// drift adds a finding that reaches the tool of the file.
func (t *trial) drift(m *made, c change, effect string) {
	f := t.finding(m, c)
	f.Effect = effect
	add(&t.c.report.Drift, f)
}

// note adds a finding that does not.
func (t *trial) note(m *made, c change) { add(&t.c.report.Notes, t.finding(m, c)) }

// finding describes a change in the answer of a call, with the lock's difference beside it.
func (t *trial) finding(m *made, c change) Finding {
	s := t.c.servers
	f := Finding{
		Tool: t.episode.Graph.Tool.Name.Value, Episodes: []string{t.episode.Name}, Step: string(m.call.At()), Node: m.call.Name(),
		Calls: m.call.Server + "." + m.call.Tool, Field: c.field, What: s.File.Secrets.Redact(c.what), Was: text(s.File.Secrets, c.was), Is: text(s.File.Secrets, c.is),
	}
	if m.node != nil {
		f.Pos = m.node.Pos()
	}
	d, _ := s.definitionOf(&m.call)
	f.Lock = s.difference(&d, &m.call)
	return f
}

// place names a field; "" is the value as a whole.
func place(field string) string {
	if field == "" {
		return "it"
	}
	return field
}

// values returns both values of a change for a message.
func values(secrets *config.Secrets, c change) string {
	was, is := text(secrets, c.was), text(secrets, c.is)
	switch {
	case was != "" && is != "":
		return ", " + was + " → " + is
	case is != "":
		return ", " + is
	}
	return ""
}
