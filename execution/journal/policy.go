package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/internal/base/wording"
)

// Retention bounds the recorded runs; a zero field has no bound. It never deletes a run that can
// continue: one that is in progress, waits for an answer, is interrupted, or has an in-doubt call. Bytes and runs are
// those of runs that it can delete.
type Retention struct {
	MaxAge   time.Duration `json:"maxAge,omitempty"` // since the run began
	MaxBytes int64         `json:"maxBytes,omitempty"`
	MaxRuns  int           `json:"maxRuns,omitempty"`
}

// String returns the bounds as messages have them.
func (r Retention) String() string {
	var bounds []string
	const day = 24 * time.Hour
	switch {
	case r.MaxAge >= day:
		bounds = append(bounds, wording.Count(int(r.MaxAge/day), "day"))
	case r.MaxAge > 0:
		bounds = append(bounds, r.MaxAge.String())
	}
	if r.MaxBytes > 0 {
		bounds = append(bounds, wording.Size(r.MaxBytes))
	}
	if r.MaxRuns > 0 {
		bounds = append(bounds, wording.Count(r.MaxRuns, "run"))
	}
	if len(bounds) == 0 {
		return "no bounds"
	}
	return strings.Join(bounds, ", ")
}

// Selector selects runs that have ended; an empty field selects all.
type Selector struct {
	Server string `json:"server,omitempty"` // server.name of the graph file
	Tool   string `json:"tool,omitempty"`
	Status Status `json:"status,omitempty"` // Finished, Failed or Cancelled
}

// String returns the conditions as messages have them.
func (s Selector) String() string {
	var all []string
	for _, c := range [][2]string{{"server ", s.Server}, {"tool ", s.Tool}, {"", wording.Status(s.Status)}} {
		if c[1] != "" {
			all = append(all, c[0]+c[1])
		}
	}
	return strings.Join(all, ", ")
}

func (s Selector) selects(server, tool string, status Status) bool {
	return (s.Server == "" || s.Server == server) && (s.Tool == "" || s.Tool == tool) && (s.Status == "" || s.Status == status)
}

// rank is higher for the selector that a run belongs to when several select it: the one with more conditions, of equally many
// the one with a tool, then with a server.
func (s Selector) rank() int {
	rank := 0
	for _, c := range []struct {
		has bool
		of  int
	}{{s.Tool != "", 13}, {s.Server != "", 12}, {s.Status != "", 10}} {
		if c.has {
			rank += c.of
		}
	}
	return rank
}

// Rule bounds the runs that it selects. It has all of their bounds: those of the policy that it does not have do not hold for
// them, but for the bytes and runs of the whole store.
type Rule struct {
	Selector
	Retention
}

// Policy is how long runs are recorded. Its own MaxAge is that of the runs that no rule selects; its MaxBytes and
// MaxRuns are those of all runs together, of which the oldest that no rule selects are deleted first.
type Policy struct {
	Retention
	Rules []Rule `json:"rules,omitempty"` // each Selector once, the highest rank first
}

// Equal reports whether two policies are the same.
func (p Policy) Equal(other Policy) bool {
	return p.Retention == other.Retention && slices.Equal(p.Rules, other.Rules)
}

// hasBounds reports whether the policy can delete anything.
func (p Policy) hasBounds() bool {
	return p.Retention != (Retention{}) || slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Retention != (Retention{}) })
}

// leastBytes returns the least of the bounds of bytes; 0 without one.
func (p Policy) leastBytes() int64 {
	least := p.MaxBytes
	for _, r := range p.Rules {
		if r.MaxBytes > 0 && (least == 0 || r.MaxBytes < least) {
			least = r.MaxBytes
		}
	}
	return least
}

// String returns the policy as messages have it.
func (p Policy) String() string {
	text := p.Retention.String()
	for _, r := range p.Rules {
		text += "; " + r.Selector.String() + ": " + r.Retention.String()
	}
	return text
}

// With returns the policy with a rule, in place of the one with the same selector.
func (p Policy) With(r Rule) Policy {
	p, _ = p.Without(r.Selector)
	p.Rules = append(p.Rules, r)
	slices.SortStableFunc(p.Rules, func(a, b Rule) int {
		return cmp.Or(b.rank()-a.rank(), strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool), strings.Compare(string(a.Status), string(b.Status)))
	})
	return p
}

// Without returns the policy without the rule of a selector; ok is false when it has none.
func (p Policy) Without(s Selector) (without Policy, ok bool) {
	without = p
	without.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r Rule) bool { return r.Selector == s })
	return without, len(without.Rules) < len(p.Rules)
}

// Rule returns the rule of a selector.
func (p Policy) Rule(s Selector) (r Rule, ok bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Selector == s })
	if i < 0 {
		return r, false
	}
	return p.Rules[i], true
}

// ruleOf returns the place of the rule for a run that has ended; -1 for none.
func (p Policy) ruleOf(server, tool string, status Status) int {
	return slices.IndexFunc(p.Rules, func(r Rule) bool { return r.selects(server, tool, status) })
}

// MostAge returns how long a run of a tool is recorded for certain, however it ends, unless there are too many; 0: without end.
func (p Policy) MostAge(server, tool string) time.Duration {
	var least time.Duration
	for _, status := range []Status{Finished, Failed, Cancelled} {
		age := p.MaxAge
		if at := p.ruleOf(server, tool, status); at >= 0 {
			age = p.Rules[at].MaxAge
		}
		if age > 0 && (least == 0 || age < least) {
			least = age
		}
	}
	return least
}

// Policy returns the bounds that are recorded in the store, for all processes that share it; ok is
// false for a store without a policy.
func (s *Store) Policy(ctx context.Context) (policy Policy, ok bool, err error) {
	db, err := s.data.Open(ctx, false)
	if errors.Is(err, ErrNoStore) {
		return Policy{}, false, nil
	}
	if err == nil {
		policy, ok, err = policyOf(ctx, db)
	}
	return policy, ok, s.readFault(err)
}

func policyOf(ctx context.Context, db *sql.DB) (policy Policy, ok bool, err error) {
	var text string
	if err := db.QueryRowContext(ctx, `SELECT policy FROM upkeep`).Scan(&text); err != nil {
		return policy, false, err
	}
	return readPolicy(text)
}

// errPolicy is the error of a policy that cannot be read.
var errPolicy = errors.New("the policy of the store cannot be read")

func readPolicy(text string) (policy Policy, ok bool, err error) {
	if text == "" {
		return policy, false, nil
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return Policy{}, false, fmt.Errorf("%w: %w; record it again with toolgraph retention set", errPolicy, err)
	}
	return policy, true, nil
}

// SetPolicy records the bounds for all processes that share the store. Those that record runs
// delete what is beyond them.
func (s *Store) SetPolicy(ctx context.Context, policy Policy) error {
	_, err := s.ChangePolicy(ctx, func(Policy, bool) (Policy, error) { return policy, nil })
	return err
}

// ChangePolicy records what change makes of the policy of the store, and returns it. A policy that cannot be read is replaced
// as if there were none, which is ok of change. It is called again when another process was faster.
func (s *Store) ChangePolicy(ctx context.Context, change func(was Policy, ok bool) (Policy, error)) (Policy, error) {
	db, err := s.data.Open(ctx, true)
	if err != nil {
		return Policy{}, s.writeFault(err)
	}
	for {
		var before string
		if err := db.QueryRowContext(ctx, `SELECT policy FROM upkeep`).Scan(&before); err != nil {
			return Policy{}, s.readFault(err)
		}
		was, ok, err := readPolicy(before)
		if err != nil {
			was, ok = Policy{}, false
		}
		now, err := change(was, ok)
		if err != nil {
			return was, err
		}
		text, err := json.Marshal(now)
		if err != nil {
			return was, err
		}
		end := s.turn()
		done, err := db.ExecContext(ctx, `UPDATE upkeep SET policy = $1, pruned = 0, old = 0 WHERE policy = $2`, string(text), before)
		end()
		another, err := HadNoRow(done, err)
		if err != nil {
			return was, s.writeFault(err)
		}
		if !another {
			return now, nil
		}
	}
}

// Settle returns the bounds by which this process deletes old runs: the policy of the store. If it has
// none, they are Options.Keep, which becomes the policy of a store on this machine with Options.SetsKeep. In a store that
// machines share one of them does not decide: it deletes nothing then.
func (s *Store) Settle(ctx context.Context) (Policy, error) {
	policy, ok, err := s.Policy(ctx)
	if err != nil || ok || !s.opts.SetsKeep {
		if !ok {
			policy = Policy{Retention: s.opts.Keep}
		}
		return policy, err
	}
	if s.IsShared() {
		return Policy{}, nil
	}
	return s.ChangePolicy(ctx, func(was Policy, ok bool) (Policy, error) { // another process may be faster
		if ok {
			return was, nil
		}
		return Policy{Retention: s.opts.Keep}, nil
	})
}

// IsShared reports whether the store is on a server, for processes of several machines.
func (s *Store) IsShared() bool {
	_, is := s.data.(Remote)
	return is
}
