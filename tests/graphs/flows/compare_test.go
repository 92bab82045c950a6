package flows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// engineRun is a run of the engine.
type engineRun struct {
	history []execution.Record
	value   value.Value
	failed  *failure
	calls   []*sent // that left the engine, in their order
}

// pair is both runs of one program.
type pair struct {
	mine   *interpreter
	value  value.Value
	failed *failure
	engine engineRun
	paths  map[execution.Address][]execution.Address
}

// built is a program that was built, once for all its runs.
type built struct {
	file  *config.File
	graph *graph.Graph
	args  value.Value
}

// build builds a program.
func (p *program) build(ctx context.Context) (*built, error) {
	file, err := config.Parse("random.yaml", []byte(p.yaml(anyParallel)), config.Options{})
	if err != nil {
		return nil, err
	}
	graphs, found, err := graph.Build(ctx, file)
	if err := errors.Join(err, found.Err()); err != nil {
		return nil, err
	}
	args, err := value.Decode([]byte(p.input))
	return &built{file, graphs[0], args}, err
}

// anyParallel is the maxParallel of a built program that stands for that of the run.
const anyParallel = 255

// setParallel sets the maxParallel of the next run.
func (b *built) setParallel(maxParallel int) (restore func()) {
	var places []*int
	add := func(place *int) {
		if *place == anyParallel {
			places = append(places, place)
		}
	}
	for _, t := range b.file.Tools {
		for _, n := range t.Nodes {
			if n.ForEach != nil {
				add(&n.ForEach.MaxParallel)
			}
			n.EachStep(func(s *config.Node) { add(&s.Step.MaxParallel) })
		}
	}
	for _, g := range b.graph.Reached() {
		for _, n := range g.CallNodes() {
			if each := graph.CallingOf(n).ForEach; each != nil {
				add(&each.MaxParallel)
			}
		}
		if steps := g.Steps(); steps != nil {
			steps.EachStep(func(s *graph.Step) { add(&s.MaxParallel) })
		}
	}
	set := func(n int) {
		for _, place := range places {
			*place = n
		}
	}
	set(maxParallel)
	return func() { set(anyParallel) }
}

// runBoth runs a program in both, with answer times of a seed.
func (b *built) runBoth(t *testing.T, maxParallel int, times uint64) pair {
	t.Helper()
	defer b.setParallel(maxParallel)()
	var both pair
	both.mine, both.value, both.failed = interpret(t.Context(), b.file, b.file.Tools[0].Name.Value, b.args, answer)
	synctest.Test(t, func(t *testing.T) {
		var opts []execution.Option
		if maxParallel == 1 {
			opts = append(opts, execution.WithSequentialParts())
		}
		both.engine = runEngine(t.Context(), b.graph, b.args, times, opts...)
	})
	return both
}

func runEngine(ctx context.Context, g *graph.Graph, args value.Value, times uint64, opts ...execution.Option) (run engineRun) {
	opts = append(opts, execution.WithUser(user{}), execution.WithReads(func(_ context.Context, _, tool string) bool { return onlyReads(tool) }))
	result, err := execution.New(caller(times, &run.calls)).Run(ctx, g, args, opts...)
	run.history, run.value = result.History(), orNull(result.Value)
	if err != nil {
		run.failed = &failure{code: config.FailureCode("not a failure: " + err.Error())}
		var failed *execution.Failure
		var refused *execution.ArgumentsError
		switch {
		case errors.As(err, &failed):
			run.failed = &failure{code: codeOf(failed), node: failed.Node}
		case errors.As(err, &refused):
			run.failed = &failure{code: config.FailInvalidArguments}
		}
	}
	return run
}

// codeOf is the code of a failure as onError names it; the codes that it cannot name are themselves.
func codeOf(f *execution.Failure) config.FailureCode {
	switch {
	case f.Code == execution.CodeTool || f.Code == execution.CodeGraph || f.Code == execution.CodeUser:
		return config.FailureCode(f.Detail)
	case f.Code == execution.CodeExpression && f.Detail == "D3137": // $error
		return config.FailRaised
	case f.Code == execution.CodeResult:
		return config.FailOutputMismatch
	}
	return config.FailureCode(f.Code)
}

// differences are where both runs disagree, the first by address first.
func (b *pair) differences() []string {
	var found []string
	differ := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	theirs := map[execution.Address]bool{}
	for _, r := range b.engine.history {
		at := r.At()
		if theirs[at] {
			differ("%s: two records", at)
		}
		theirs[at] = true
		mine, known := b.mine.seen[at]
		switch certain, beside := b.certain(at); {
		case !known && r.Error != nil && (b.mine.hangs > 0 || b.isLimit()): // something ended it, and it has a record or has not
		case !known && (certain || beside && !b.isLimit() && !b.mine.undecided):
			differ("%s: only the engine executes %s", at, r.Name())
		case known && beside && mine.failed != nil && mine.failed.code == failLimit: // of what it uses here, others may have used less
		case known && (certain || beside && r.Error == nil):
			if ours, other := describe(mine), describeRecord(r); ours != other {
				differ("%s: engine       %.600s\n    interpreter  %.600s", at, other, ours)
			}
		}
	}
	for at, mine := range b.mine.seen {
		if mine.failed != nil && mine.failed.code == failLimit { // whether a limit leaves records is not described
			continue
		}
		if certain, _ := b.certain(at); certain && !theirs[at] {
			differ("%s: only the interpreter executes %s: %.300s", at, mine.node, describe(mine))
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		first, _, _ := strings.Cut(a, ":")
		second, _, _ := strings.Cut(b, ":")
		return execution.Address(first).Compare(execution.Address(second))
	})
	return slices.Concat(found, b.effects(), b.ends())
}

// effects are calls with other arguments, and calls that begin before others have ended that come before them.
func (b *pair) effects() (found []string) {
	calls := b.engine.calls
	for i, c := range calls {
		args, known := b.mine.sent[c.at]
		if certain, beside := b.certain(c.at); known && (certain || beside) && args != c.args && len(found) == 0 {
			found = append(found, fmt.Sprintf("%s: engine sends  %.600s\n    interpreter  %.600s", c.at, c.args, args))
		}
		for _, later := range calls[i+1 : min(len(calls), i+40)] {
			tooLate, _ := b.order(later.at, c.at)
			tooEarly, _ := b.order(c.at, later.at)
			if tooLate || tooEarly && (c.ended == 0 || c.ended > later.begun) {
				found = append(found, fmt.Sprintf("%s and %s: the engine calls them at the same time, or in the other order", c.at, later.at))
				return found
			}
		}
	}
	return found
}

// isLimit reports whether a limit may have ended the run.
func (b *pair) isLimit() bool {
	return b.engine.failed != nil && b.engine.failed.code == failLimit
}

// certain reports whether an execution happens in every run of the program, in the same way: it
// has ended before each execution of which a failure ends parts that may overlap. Beside reports
// whether it is one of these parts, inside one, or at the same time in another part.
func (b *pair) certain(at execution.Address) (certain, beside bool) {
	certain = true
	note := func(before, same, open bool) bool {
		certain, beside = certain && (before || !same && !open), beside || same
		return before || same || !open // else it is after, or around it
	}
	limited := b.isLimit() || b.failed != nil && slices.ContainsFunc(b.failed.all(), func(f *failure) bool { return f.code == failLimit })
	for raced, open := range b.mine.raced {
		if before, same := b.order(at, raced); !note(before, same, open || limited) {
			return false, false
		}
	}
	for raced, open := range b.mine.beside {
		before, same := b.order(at, raced)
		if !note(before, same || at == raced, open || limited) {
			return false, false
		}
	}
	return certain, beside
}

// order reports whether an execution has ended before another one begins, and whether it may run
// at the same time or is inside it.
func (b *pair) order(at, other execution.Address) (before, same bool) {
	x, y := b.path(at), b.path(other)
	for i := range x {
		switch {
		case i == len(y):
			return false, true // inside it
		case x[i] != y[i]:
			return b.orderIn(x[i], y[i])
		}
	}
	return false, false // the other one, or an execution around it
}

// orderIn is order for two executions that are directly in the same one.
func (b *pair) orderIn(x, y execution.Address) (before, same bool) {
	whole := x.Outer()
	if whole == x || whole != y.Outer() { // of a frame
		_, first, _ := x.Split()
		_, second, _ := y.Split()
		return first < second, false
	}
	if block := b.mine.blocks[whole]; block != nil {
		i, j := slices.Index(block.ids, x.Name()), slices.Index(block.ids, y.Name())
		return block.needs[j][i], !block.needs[j][i] && !block.needs[i][j]
	}
	first, _ := strconv.Atoi(x.Name())
	second, _ := strconv.Atoi(y.Name())
	if b.mine.order[whole] || x[len(whole)] == '@' {
		return first < second, false
	}
	return false, true
}

// path are the executions around an address, outermost first, and itself.
func (b *pair) path(at execution.Address) []execution.Address {
	if path := b.paths[at]; path != nil {
		return path
	}
	var path []execution.Address
	for around := at; around != ""; around = around.Around() {
		path = append(path, around)
	}
	slices.Reverse(path)
	if b.paths == nil {
		b.paths = map[execution.Address][]execution.Address{}
	}
	b.paths[at] = path
	return path
}

// ends compares how the runs ended.
func (b *pair) ends() []string {
	mine, theirs := "value "+textOf(b.value), "value "+textOf(b.engine.value)
	if b.engine.failed != nil {
		theirs = string("failed " + b.engine.failed.code)
	}
	possible := []string{mine}
	if b.failed != nil {
		possible = nil
		for _, f := range b.failed.all() {
			possible = append(possible, string("failed "+f.code))
		}
	}
	switch {
	case slices.Contains(possible, theirs):
		return nil
	case b.mine.undecided:
		return nil
	case len(b.mine.raced)+len(b.mine.beside) > 0 && (b.isLimit() || slices.Contains(possible, "failed "+string(failLimit))):
		return nil // parts that ran at once have used more, or less, before the failure
	}
	return []string{fmt.Sprintf("the run: engine       %.600s\n    interpreter  %.600s", theirs, strings.Join(possible, ", or "))}
}

func describe(o outcome) string {
	text := o.node + " = " + textOf(o.value)
	if o.notRun {
		text = o.node + " was not run"
	}
	if o.failed != nil {
		text = fmt.Sprintf("%s failed: %s", o.node, o.failed.code)
	}
	if o.handled != nil {
		text += fmt.Sprintf(" (onError took %s)", o.handled.code)
	}
	return text + repeated(o.attempts-1)
}

func repeated(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" after %d failed attempts", n)
}

func describeRecord(r execution.Record) string {
	text := r.Name() + " = " + textOf(r.Output)
	if r.Skipped {
		text = r.Name() + " was not run"
	}
	if r.Error != nil {
		text = fmt.Sprintf("%s failed: %s", r.Name(), codeOf(r.Error))
	}
	if r.Handled != nil {
		text += fmt.Sprintf(" (onError took %s)", codeOf(r.Handled))
	}
	return text + repeated(len(r.Attempts))
}
