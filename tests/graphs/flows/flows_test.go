package flows

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"toolgraph/config"
	address "toolgraph/execution/call"
	"toolgraph/tests/thorough"
)

// The programs that every test runs; make random runs a tenth of what make flows does, of which half begin with a tool
// of five steps and more.
const defaultSeed = 20261126

var defaultCount = uint64(thorough.Times(40, 2200))

// parallels are the values of maxParallel at which every program runs; at 1 nothing runs at the same time.
var parallels = []int{1, 2, 8, 64}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

func TestRandomFlows(t *testing.T) {
	seed, count := fromEnv(t, "FLOWS_SEED", defaultSeed), fromEnv(t, "FLOWS_COUNT", defaultCount)
	first := uint64(0)
	if os.Getenv("FLOWS_ONLY") != "" {
		first, count = fromEnv(t, "FLOWS_ONLY", 0), 1
	}
	sum := newTally()
	for i := first; i < first+count && !t.Failed(); i++ {
		compare(t, sum, seed, i)
	}
	t.Log(sum)
	if seed == defaultSeed && count >= 200 {
		sum.enough(t)
	}
}

// compare runs one program in both at each maxParallel. The first difference is shrunk and
// reported.
func compare(t *testing.T, sum *tally, seed, index uint64) {
	t.Helper()
	p := makeProgram(seed, index)
	b, err := p.build(t.Context())
	if err != nil {
		t.Fatalf("program %d does not build: %v\n%s", index, err, p.yaml(1))
	}
	for i, maxParallel := range parallels {
		both := b.runBoth(t, maxParallel, index<<3+uint64(i))
		sum.add(&both)
		if i == 0 {
			sum.steps.add(&both)
		}
		if len(both.differences()) == 0 {
			continue
		}
		differs := func(p *program) []string {
			b, err := p.build(t.Context())
			if err != nil {
				return nil
			}
			both := b.runBoth(t, maxParallel, index<<3+uint64(i))
			return both.differences()
		}
		p = shrink(p, func(p *program) bool { return len(differs(p)) > 0 })
		found := differs(p)
		t.Errorf("engine and interpreter differ; run it with\nFLOWS_SEED=%d FLOWS_ONLY=%d go test ./tests/graphs/flows -run TestRandomFlows\n\nmaxParallel %d, arguments %s\n%s\n%s",
			seed, index, maxParallel, p.input, strings.Join(found[:min(len(found), 6)], "\n"), p.yaml(maxParallel))
		return
	}
}

// tally counts what the programs reach.
type tally struct {
	runs, raced, repeated int
	ends, kinds, handled  map[string]int
	steps                 stepTally
}

// stepTally counts what the programs reach whose first tool is at least five steps.
type stepTally struct{ tools, write, nested, conditional, failed, taken, notRun, items, turns, mixed int }

func (s *stepTally) add(b *pair) {
	tool := b.mine.file.Tools[0].Nodes[1]
	if len(tool.Steps) < 5 {
		return
	}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	blocks, ifs := false, false
	tool.EachStep(func(n *config.Node) {
		blocks = blocks || n.Type == config.StepsNode
		ifs = ifs || n.Step.If.IsSet()
	})
	seen := map[string]bool{}
	for at, o := range b.mine.seen {
		_, _, part := at.Split()
		seen["taken"] = seen["taken"] || part != "" && o.handled != nil
		seen["not run"] = seen["not run"] || o.notRun
		seen["items"] = seen["items"] || part != "" && address.IsItem(at.Name())
		seen["turns"] = seen["turns"] || strings.HasSuffix(part, "@"+at.Name())
		seen["mixed"] = seen["mixed"] || at.Depth() > 1 && part == ""
	}
	s.tools++
	count(&s.write, b.mine.writes(tool, map[string]bool{}))
	count(&s.nested, blocks)
	count(&s.conditional, ifs)
	count(&s.failed, b.failed != nil)
	count(&s.taken, seen["taken"])
	count(&s.notRun, seen["not run"])
	count(&s.items, seen["items"])
	count(&s.turns, seen["turns"])
	count(&s.mixed, seen["mixed"])
}

// enough checks that the tools of steps are what they are for: half of them write, a third have blocks in them, a third
// an if, and failures are taken and not.
func (s *stepTally) enough(t *testing.T) {
	t.Helper()
	for name, share := range map[string]struct{ n, of int }{
		"with a write": {s.write, 2}, "with a block": {s.nested, 3}, "with an if": {s.conditional, 3}, "with a failure that ends it": {s.failed, 4},
		"with a failure that onError takes": {s.taken, 4}, "with a step that is not run": {s.notRun, 4}, "with items": {s.items, 4},
		"with turns": {s.turns, 10}, "that call another tool": {s.mixed, 10},
	} {
		if share.n*share.of < s.tools || s.tools == 0 {
			t.Errorf("only %d of %d tools of steps are one %s, want one in %d", share.n, s.tools, name, share.of)
		}
	}
}

func newTally() *tally {
	return &tally{ends: map[string]int{}, kinds: map[string]int{}, handled: map[string]int{}}
}

func (s *tally) add(b *pair) {
	s.runs++
	if len(b.mine.raced)+len(b.mine.beside) > 0 {
		s.raced++
	}
	end := "value"
	if b.failed != nil {
		end = string(b.failed.code)
	}
	s.ends[end]++
	for at, o := range b.mine.seen {
		if _, _, part := at.Split(); part != "" {
			s.kinds["part"]++
		}
		s.kinds["depth "+strconv.Itoa(at.Depth())]++
		if o.handled != nil {
			s.handled[string(o.handled.code)]++
		}
		if o.attempts > 1 {
			s.repeated++
		}
	}
}

func (s *tally) String() string {
	return fmt.Sprintf("%d runs, in %d a failure ended parts; ends %v; executions %v; %d calls repeated; onError took %v\nsteps: %+v",
		s.runs, s.raced, s.ends, s.kinds, s.repeated, s.handled, s.steps)
}

// enough checks that the programs reach what they are for.
func (s *tally) enough(t *testing.T) {
	t.Helper()
	s.steps.enough(t)
	for name, n := range map[string]int{
		"a value": s.ends["value"], "a limit": s.ends["limit"], "a failure of a tool": s.ends["tool-error"], "an expression": s.ends["expression"],
		"parts": s.kinds["part"], "frames": s.kinds["depth 2"], "frames in frames": s.kinds["depth 3"], "repeated calls": s.repeated,
		"an error taken": s.handled["tool-error"], "a poll given up": s.handled["not-yet"], "races": s.raced,
	} {
		if n < 10 {
			t.Errorf("only %d of the programs come to %s", n, name)
		}
	}
}

// The same seed makes the same programs.
func TestProgramsAreTheSameEachTime(t *testing.T) {
	for i := range uint64(50) {
		if a, b := makeProgram(defaultSeed, i), makeProgram(defaultSeed, i); a.yaml(3) != b.yaml(3) || a.input != b.input {
			t.Fatalf("program %d differs from itself", i)
		}
	}
}
