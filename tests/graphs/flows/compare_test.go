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
	calls   int // that left the engine
}

// pair is both runs of one program.
type pair struct {
	mine   *interpreter
	value  value.Value
	failed *failure
	engine engineRun
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
	for _, t := range b.file.Tools {
		for _, n := range t.Nodes {
			if n.ForEach != nil && n.ForEach.MaxParallel == anyParallel {
				places = append(places, &n.ForEach.MaxParallel)
			}
		}
	}
	for _, g := range b.graph.Reached() {
		for _, n := range g.CallNodes() {
			if each := graph.CallingOf(n).ForEach; each != nil && each.MaxParallel == anyParallel {
				places = append(places, &each.MaxParallel)
			}
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
		both.engine = runEngine(t.Context(), b.graph, b.args, times)
	})
	return both
}

func runEngine(ctx context.Context, g *graph.Graph, args value.Value, times uint64) (run engineRun) {
	result, err := execution.New(caller(times, &run.calls)).Run(ctx, g, args)
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
	case f.Code == execution.CodeTool || f.Code == execution.CodeGraph:
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
		case !known && (certain || beside && !b.isLimit() && b.mine.reruns <= mostReruns):
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
	return append(found, b.ends()...)
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
	for raced := range b.mine.raced {
		before, same := order(at, raced)
		if !before && !same { // it is after, or around it
			return false, false
		}
		certain, beside = certain && before, beside || same
	}
	return certain, beside
}

// order reports whether an execution has ended before another one begins, and whether it may run
// at the same time or is inside it.
func order(at, other execution.Address) (before, same bool) {
	x, y := strings.Split(string(at), "/"), strings.Split(string(other), "/")
	for i := range x {
		switch {
		case i == len(y):
			return false, true // inside it
		case x[i] == y[i]:
			continue
		}
		own, _, isPart := strings.Cut(x[i], ".")
		its, _, _ := strings.Cut(y[i], ".")
		if own != its {
			first, _ := strconv.Atoi(own)
			second, _ := strconv.Atoi(its)
			return first < second, false
		}
		return false, isPart // another part, or a part of it; or the node that has it as a part
	}
	return false, false // the other one, or an execution around it
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
	case len(b.mine.raced) > 0 && (b.isLimit() || slices.Contains(possible, "failed "+string(failLimit))):
		return nil // parts that ran at once have used more, or less, before the failure
	}
	return []string{fmt.Sprintf("the run: engine       %.600s\n    interpreter  %.600s", theirs, strings.Join(possible, ", or "))}
}

func describe(o outcome) string {
	text := o.node + " = " + textOf(o.value)
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
	if r.Error != nil {
		text = fmt.Sprintf("%s failed: %s", r.Name(), codeOf(r.Error))
	}
	if r.Handled != nil {
		text += fmt.Sprintf(" (onError took %s)", codeOf(r.Handled))
	}
	return text + repeated(len(r.Attempts))
}
