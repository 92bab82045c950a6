package habit

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

// Draft is a tool that makes the calls of jobs.
type Draft struct {
	Steps   *config.Data
	Return  *config.Data // of a plan; nil: the value of the last step
	Inputs  []*Input
	Todos   []Todo
	Notes   map[*config.Data]string
	Left    []string      // calls that are left out, a line each
	Jobs    []Job         // the jobs that have the shape
	Args    []value.Value // for each job, the arguments with which the tool does it
	Parts   []error       // for each job, where the tool parts from it; nil: it makes the same calls
	Chain   []string      // the tools in order, * after one that is repeated
	Secrets *Secrets
	runs    []*recorded // of the jobs
}

// Input is an argument of the tool.
type Input struct {
	Name   string
	Values []value.Value // one for each job; nil: the job does not give it
	Secret bool
}

// Todo is a value that the agent worked out itself.
type Todo struct {
	Step, Argument string
	Seen           []value.Value // the first of what it was
	data           *config.Data
}

// String says what is to be done.
func (t Todo) String() string {
	return fmt.Sprintf("TODO: say how %s of %s is worked out", t.Argument, t.Step)
}

// Note adds a comment above a part of the draft.
func (d *Draft) Note(part *config.Data, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if before := d.Notes[part]; before != "" {
		text = before + "\n" + text
	}
	d.Notes[part] = text
}

// The bounds of a draft.
const (
	MostCalls = 5000 // of all jobs
	mostSeen  = 3    // examples of a value
)

// maker makes one draft.
type maker struct {
	evaluator
	jobs    []Job
	secrets *Secrets
	draft   *Draft
	outer   []*env // of each job
	inputs  Names
	used    Names // ids of steps
	said    []string
}

// New makes a draft of jobs of one shape: as short as it can be while it makes the calls of the jobs. The error says why
// there is none.
func New(ctx context.Context, jobs []Job) (*Draft, error) {
	var calls [][]*Call
	var left []string
	count := 0
	for _, j := range jobs {
		useful, dropped := j.useful()
		calls, left, count = append(calls, useful), append(left, dropped...), count+len(useful)
		if len(useful) == 0 {
			return nil, errors.New("none of the calls has succeeded")
		}
	}
	if count > MostCalls {
		return nil, fmt.Errorf("found %d calls, expected at most %d", count, MostCalls)
	}
	var best *Draft
	for _, how := range []folding{patterns, neighbours, single} {
		d := draftOf(ctx, jobs, calls, how)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if best == nil || d.Reproduced() > best.Reproduced() {
			best = d
		}
		if best.Reproduced() == len(jobs) {
			break
		}
	}
	best.Left = append(left, best.Left...)
	return best, nil
}

// newDraft returns a draft without steps.
func newDraft(secrets *Secrets) *Draft {
	return &Draft{Notes: map[*config.Data]string{}, Secrets: secrets}
}

// draftOf makes a draft of the useful calls of jobs.
func draftOf(ctx context.Context, jobs []Job, calls [][]*Call, how folding) *Draft {
	d := newDraft(SecretsOf(slices.Concat(calls...)))
	shapes, parts := common(calls, how)
	var found [][]part
	for i, p := range parts {
		if p == nil {
			d.Left = append(d.Left, fmt.Sprintf("a job of %s, which has another shape", wording.Count(len(calls[i]), "call")))
			continue
		}
		found, d.Jobs = append(found, p), append(d.Jobs, Job{Calls: calls[i], Said: jobs[i].Said})
	}
	m := newMaker(ctx, d)
	d.Steps = m.steps(shapes, found, m.outer, true)
	d.Args = m.args()
	d.Parts = d.verify(ctx)
	d.finish()
	return d
}

// Reproduced counts the jobs whose calls the tool makes.
func (d *Draft) Reproduced() (n int) {
	for _, err := range d.Parts {
		if err == nil {
			n++
		}
	}
	return n
}

// steps returns the steps of shapes. Each environment has its parts; the values of the steps are added to it.
func (m *maker) steps(shapes []*shape, parts [][]part, envs []*env, outer bool) *config.Data {
	list := config.NewList()
	for at := 0; at < len(shapes); at++ {
		s := shapes[at]
		step, ids := config.NewObject(), m.used.Unique(stepName(s))
		step.Set("id", ids)
		if !s.loops {
			m.call(step, ids, s, column(parts, at), envs)
		} else if !m.pages(step, ids, s, column(parts, at), envs) && !m.loop(step, ids, s, column(parts, at), envs) {
			if apart, each := unfolded(shapes, at, parts); apart != nil && outer {
				delete(m.used, ids)
				shapes, parts = apart, each
				at--
				continue
			}
			m.chosen(step, ids, s, column(parts, at), envs)
		}
		list.Items = append(list.Items, step)
	}
	if outer {
		m.draft.Chain = chainOf(shapes)
	}
	return list
}

// column returns the part of each environment at a place.
func column(parts [][]part, at int) (all []part) {
	for _, p := range parts {
		all = append(all, p[at])
	}
	return all
}

// stepName returns a name for the step of a shape: that of its tool, or of the first tool that is repeated.
func stepName(s *shape) string {
	if s.call != nil {
		return Identifier(s.call.Tool, "call")
	}
	return "each_" + stepName(s.body[0])
}

// chainOf returns the tools of shapes in order.
func chainOf(shapes []*shape) (all []string) {
	for _, s := range shapes {
		names := []string{s.name}
		if s.body != nil {
			names = chainOf(s.body)
		}
		for _, name := range names {
			if s.loops && !strings.HasSuffix(name, "*") {
				name += "*"
			}
			all = append(all, name)
		}
	}
	return all
}

// call completes the step of a call that is made once in each environment.
func (m *maker) call(step *config.Data, id string, s *shape, parts []part, envs []*env) {
	calls := make([]*Call, len(parts))
	for i, p := range parts {
		calls[i] = p.calls[0]
		envs[i].now = calls[i].Asked
	}
	m.arguments(step, id, s, calls, envs)
	for i, c := range calls {
		envs[i].step(id, c.Result, c.Answered)
	}
}

// arguments sets call and args of a step.
func (m *maker) arguments(step *config.Data, id string, s *shape, calls []*Call, envs []*env) {
	step.Set("call", s.name)
	args := m.object(argsOf(calls), envs, id)
	if len(args.Items) > 0 {
		step.Set("args", args)
	}
}

// argsOf returns the arguments of each call.
func argsOf(calls []*Call) (all []value.Value) {
	for _, c := range calls {
		all = append(all, c.Args)
	}
	return all
}

// seen lists the first values, shortened and without secrets.
func (m *maker) seen(values []value.Value) string {
	var words []string
	for _, v := range values[:min(len(values), mostSeen)] {
		words = append(words, wording.Truncate(shown(m.secrets.Without(v)), mostShown))
	}
	return wording.List(words)
}
