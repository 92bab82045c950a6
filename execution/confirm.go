package execution

import (
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// agreement is the answer of the user about a call, or about all calls of a forEach.
type agreement struct {
	confirmed *Confirmation // nil: none was needed
	failed    *Failure      // of each of the calls; nil: they may be made
}

// prepared are the arguments of a part that were evaluated before the question.
type prepared struct {
	args value.Value
	err  error
}

// needsAgreement reports whether the user must agree before a call, and returns its effect. A call
// that allow refuses needs no agreement, and one of a tool of the file only in a plan.
func (s *site) needsAgreement(node graph.Node) (effect config.Effect, needed bool) {
	n, isMCP := node.(*graph.MCP)
	if !isMCP {
		p := s.plan()
		if p == nil || s.permitInPlan(node) != nil {
			return "", false
		}
		hooks := s.frame.live.hooks
		return hooks.effectOf(s.ctx, node), hooks.asksAbout(s.ctx, p, s.step)
	}
	if n.Confirm == nil && len(s.frame.allow) == 0 && s.plan() == nil {
		return "", false
	}
	effect, refused := s.permit(n)
	return effect, refused == nil && s.confirms(n, effect)
}

// agree asks the user to agree to the calls with these arguments.
func (l *live) agree(s *site, node graph.Node, effect config.Effect, all []value.Value) (agreement, error) {
	n, isMCP := node.(*graph.MCP)
	if s.plan() != nil || !isMCP {
		return l.agreeInPlan(&callsToAgree{s, node, effect, all})
	}
	q := s.question(s.confirmation(n, effect, all), []any{n.Server, n.Tool, all})
	q.Calls, q.Server, q.Tool, q.Effect = len(all), n.Server, n.Tool, effect
	a, failed, err := l.put(s, q, graph.DefaultAskTimeout)
	if err != nil || failed != nil {
		return agreement{failed: failed}, err
	}
	return agreement{confirmed: &Confirmation{At: a.Time, Digest: q.Digest}}, nil
}

// agreed returns the agreement of the user to a call, nil when none is needed, or the
// failure of one that is not agreed to.
func (l *live) agreed(s *site, n graph.Node, args value.Value) (*Confirmation, *Failure, error) {
	if s.agreed != nil {
		return s.agreed.confirmed, s.agreed.failed, nil
	}
	effect, needed := s.needsAgreement(n)
	if !needed || l.past.isResolved(s.address()) { // a resolved call is not made
		return nil, nil, nil
	}
	a, err := l.agree(s, n, effect, []value.Value{args})
	return a.confirmed, a.failed, err
}

// agreeAll asks about all calls of a forEach at once. The arguments are evaluated before; an item
// whose arguments fail is not asked about, and fails when its turn comes.
func (l *live) agreeAll(f *fan) error {
	s := f.site
	if graph.CallingOf(s.node) == nil || l.past.hasFailedPart(s.address()) {
		return nil
	}
	effect, needed := s.needsAgreement(s.node)
	if !needed {
		return nil
	}
	ready := make([]prepared, len(f.records))
	all := make([]value.Value, 0, len(ready))
	for i := range ready {
		p := &ready[i]
		if p.args, p.err = f.part(i).arguments(); p.err == nil {
			all = append(all, p.args)
		}
	}
	if len(all) == 0 {
		return nil
	}
	agreed, err := l.agree(s, s.node, effect, all)
	if err != nil {
		return err
	}
	part := f.part
	f.part = func(i int) *site {
		s := part(i)
		s.ready, s.agreed = &ready[i], &agreed
		return s
	}
	return nil
}

const (
	argumentsOfOne  = 1500 // bytes of arguments that the question about one call shows
	argumentsOfMany = 300  // bytes that the question about several calls shows of each
	callsShown      = 5
)

// confirmation is the question whether calls may be made.
func (s *site) confirmation(n *graph.MCP, effect config.Effect, all []value.Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Tool %s is about to call %s.%s", wording.Quote(s.frame.graph.Tool.Name.Value), n.Server, n.Tool)
	does := map[config.Effect]string{
		config.ReadEffect:    "which changes nothing (effect: read)",
		config.WriteEffect:   "which adds or changes something (effect: write)",
		config.DestroyEffect: "which removes or overwrites something (effect: destroy)",
		"":                   "whose effect is unknown: it may remove or overwrite something",
	}[effect]
	if len(all) == 1 {
		fmt.Fprintf(&b, ", %s.\nArguments: %s\nAllow this call?", does, s.shown(all[0], argumentsOfOne))
		return b.String()
	}
	fmt.Fprintf(&b, " %d times, %s.\n", len(all), does)
	for i, args := range all[:min(len(all), callsShown)] {
		fmt.Fprintf(&b, "%d. %s\n", i+1, s.shown(args, argumentsOfMany))
	}
	if more := len(all) - callsShown; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	b.WriteString("Allow all these calls?")
	return b.String()
}

// shown returns arguments for a question, without secrets. Where they are too long, each long text in
// them is truncated by itself, so that one argument cannot hide another; what is missing is said.
func (s *site) shown(args value.Value, most int) string {
	secrets, meter := s.frame.graph.Secrets, value.Until(s.work)
	src, err := value.EncodeWithin(meter, args)
	if err != nil {
		return "cannot be shown"
	}
	text, err := secrets.RedactWithin(s.work, string(src))
	if err != nil {
		return "cannot be shown"
	}
	if len(text) <= most {
		return text
	}
	for _, each := range []int{200, 50, 20} {
		short, err := truncated(meter, args, each, secrets)
		if err != nil {
			return "cannot be shown"
		}
		src, err := value.EncodeWithin(meter, short)
		if short := secrets.Redact(string(src)); err == nil && len(short) <= most {
			return short + fmt.Sprintf(" (%d bytes; long texts are truncated)", len(text))
		}
	}
	return wording.Truncate(text, most) + fmt.Sprintf(" (%d bytes, only the first %d are shown)", len(text), most)
}

// truncated returns a value whose texts have at most so many bytes each. The error is the meter's.
func truncated(m *value.Meter, v value.Value, most int, secrets *config.Secrets) (value.Value, error) {
	err := m.Spend(1)
	switch v := v.(type) {
	case string:
		return wording.Truncate(secrets.Redact(v), most), err
	case []any:
		items := make([]any, len(v))
		for i := 0; i < len(v) && err == nil; i++ {
			items[i], err = truncated(m, v[i], most, secrets)
		}
		return items, err
	case value.Object:
		keys := v.Keys()
		values := make([]value.Value, len(keys))
		for i := 0; i < len(keys) && err == nil; i++ {
			member, _ := v.Get(keys[i])
			values[i], err = truncated(m, member, most, secrets)
		}
		return value.NewObject(keys, values), err
	}
	return v, err
}
