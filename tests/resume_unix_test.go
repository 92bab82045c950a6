//go:build unix

package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// paying makes the given number of turns: each looks something up, which is safe to
// repeat, and pays, which is not.
const paying = `version: "1.0"
server: {name: paying, version: 1.0.0}
mcpServers:
  looks: {command: $FAKE, args: [ledger=$DIR/looks]}
  pays: {command: $FAKE, args: [ledger=$DIR/pays]}
tools:
  - name: pay
    description: pays
    inputSchema: {type: object, properties: {turns: {type: integer}}, required: [turns]}
    nodes:
      - {id: entry, type: entry, next: look}
      - {id: look, type: mcp, server: looks, tool: enter, onCrash: rerun, args: {n: {expr: $executionCount("look") * 10}, ms: 1}, next: pay}
      - {id: pay, type: mcp, server: pays, tool: enter, args: {n: {expr: '$executionCount("pay") = 0 ? 0 : $.pay'}, ms: 1}, next: more}
      - id: more
        type: switch
        conditions: [{rule: {"<": [{var: '$executionCount("pay")'}, {var: $.entry.turns}]}, next: look}]
        next: end
      - {id: end, type: transform, transform: {expr: '{"paid": $nodeExecutions("pay"), "looked": $nodeExecutions("look")}'}, next: exit}
      - {id: exit, type: exit}
`

const payingTurns = 40

// victim is a run that is killed and resumed.
type victim struct {
	t      *testing.T
	bin    string
	dir    string
	random *rand.Rand
	log    *testbin.Said // of the server that serves
}

// A run that is killed at any moment and resumed ends with the value that it would have
// had: no payment is made twice and none is lost. TOOLGRAPH_SOAK=1 kills fifty times.
func TestResumeAfterKill(t *testing.T) {
	t.Parallel()
	kills := 5
	if os.Getenv("TOOLGRAPH_SOAK") != "" {
		kills = 50
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	unknown := 0
	for n := 0; n < kills; {
		v := victim{t: t, bin: testbin.Build(t, "toolgraph"), dir: t.TempDir(), random: random}
		v.write()
		said := v.exec("run", "graph.yaml", "pay", fmt.Sprintf("turns=%d", payingTurns))
		for said.killed || said.key != "" {
			var found []string
			if said.killed {
				n++
			} else {
				unknown++
				found = v.lookUp(said.key)
			}
			if said = v.exec(append([]string{"resume", "last"}, found...)...); said.nothing {
				break // killed before anything was kept, and before anything was called
			}
		}
		v.check(said)
	}
	t.Logf("%d kills; %d runs with an unknown outcome", kills, unknown)
}

func (v *victim) write() {
	fake := testbin.Build(v.t, "toolgraph/tests/fakeserver")
	src := strings.NewReplacer("$FAKE", fake, "$DIR", v.dir).Replace(paying)
	if err := os.WriteFile(filepath.Join(v.dir, "graph.yaml"), []byte(src), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// said is what one invocation came to.
type said struct {
	value   []byte
	killed  bool
	nothing bool   // there is no run
	key     string // of a call whose outcome is unknown
}

var unknownKey = regexp.MustCompile(`idempotency key (\S+/\d+), with the arguments`)

// exec runs the program and, more often than not, kills it at a random moment.
func (v *victim) exec(args ...string) said {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	defer cancel()
	if v.random.IntN(4) > 0 {
		timer := time.AfterFunc(20*time.Millisecond+time.Duration(v.random.Int64N(int64(350*time.Millisecond))), cancel)
		defer timer.Stop()
	}
	cmd := exec.CommandContext(ctx, v.bin, append(args, "--state", filepath.Join(v.dir, "state"))...)
	cmd.Dir = v.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if code == -1 {
		return said{killed: true}
	}
	if key := unknownKey.FindStringSubmatch(errs.String()); key != nil {
		return said{key: key[1]}
	}
	nothing := strings.Contains(errs.String(), "no runs are recorded yet")
	if code != 0 && !nothing {
		v.t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return said{value: out.Bytes(), nothing: nothing}
}

// lookUp does what the message asks for: it looks whether the payment was made.
func (v *victim) lookUp(key string) []string {
	for _, line := range v.lines("pays") {
		if entered, answer, _ := strings.Cut(line, " "); entered == key {
			return []string{"--answer", answer}
		}
	}
	return []string{"--repeat"}
}

func (v *victim) lines(ledger string) []string {
	src, err := os.ReadFile(filepath.Join(v.dir, ledger))
	if err != nil && !os.IsNotExist(err) {
		v.t.Fatal(err)
	}
	return strings.FieldsFunc(string(src), func(r rune) bool { return r == '\n' })
}

// check checks the value of a run that ended, and that nothing was paid twice.
func (v *victim) check(end said) {
	v.t.Helper()
	paid := map[string]bool{}
	for _, line := range v.lines("pays") {
		if paid[line] {
			v.t.Errorf("paid twice: %s", line)
		}
		paid[line] = true
	}
	if end.nothing {
		return
	}
	var value struct{ Paid, Looked []int }
	if err := json.Unmarshal(end.value, &value); err != nil {
		v.t.Fatalf("%s: %v", end.value, err)
	}
	if len(value.Paid) != payingTurns || len(value.Looked) != payingTurns || len(paid) != payingTurns {
		v.t.Fatalf("%d payments and %d looks in the value, %d payments in the ledger, want %d of each",
			len(value.Paid), len(value.Looked), len(paid), payingTurns)
	}
	for i := range payingTurns {
		if value.Paid[i] != i+1 || value.Looked[i] != i*10+1 {
			v.t.Errorf("turn %d: paid %d, looked %d", i, value.Paid[i], value.Looked[i])
		}
	}
}

// A server resumes interrupted runs; when it ends before the run does, the next one
// continues from there.
func TestServeResumes(t *testing.T) {
	t.Parallel()
	v := victim{t: t, bin: testbin.Build(t, "toolgraph"), dir: t.TempDir(), random: rand.New(rand.NewPCG(1, 1))}
	v.write()
	path := filepath.Join(v.dir, "graph.yaml")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"tool: enter, args: {n: {expr: '$exec": "tool: enter, onCrash: rerun, args: {n: {expr: '$exec",
		"ledger=" + v.dir + "/pays":            "ledger=" + v.dir + "/pays, upto=" + v.dir + "/upto",
	} {
		if !bytes.Contains(src, []byte(from)) {
			t.Fatalf("no %q in the graph", from)
		}
		src = bytes.Replace(src, []byte(from), []byte(to), 1)
	}
	if err := os.WriteFile(path, src, 0o600); err != nil {
		t.Fatal(err)
	}
	v.payUpTo(payingTurns / 4) // so that the run still lives when it is killed, on a slow machine too
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	run := exec.CommandContext(ctx, v.bin, "run", path, "pay", fmt.Sprintf("turns=%d", payingTurns), "--state", filepath.Join(v.dir, "state"))
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a quarter is paid and recorded", func() bool {
		// Calls that are safe to repeat do not wait for the store.
		return len(v.lines("pays")) >= payingTurns/4 && exec.CommandContext(t.Context(), v.bin, "runs", "show", "last", "--state", filepath.Join(v.dir, "state")).Run() == nil
	})
	kill()
	_ = run.Wait() // it was killed
	v.payUpTo(payingTurns / 2)
	v.serve(path, func() bool { return len(v.lines("pays")) >= payingTurns/2 }, "a resumed run is suspended until")
	v.payUpTo(2 * payingTurns)
	v.serve(path, func() bool { return strings.Contains(v.log.String(), "a resumed run has finished") }, "a resumed run has finished")
	out, err := exec.CommandContext(t.Context(), v.bin, "resume", "last", "--state", filepath.Join(v.dir, "state")).Output()
	if err != nil || !bytes.Contains(out, []byte(fmt.Sprintf("%d\n  ],", payingTurns))) {
		t.Errorf("%v\n%s", err, out)
	}
}

// payUpTo lets the server take payments until its ledger has n.
func (v *victim) payUpTo(n int) {
	v.t.Helper()
	path := filepath.Join(v.dir, "upto")
	if err := errors.Join(os.WriteFile(path+".new", fmt.Append(nil, n), 0o600), os.Rename(path+".new", path)); err != nil {
		v.t.Fatal(err)
	}
}

// serve serves with --resume until something has come to be, and checks the log.
func (v *victim) serve(path string, until func() bool, logged string) {
	v.t.Helper()
	cmd := exec.CommandContext(v.t.Context(), v.bin, "serve", "-g", path, "--resume", "--log-level", "info", "--state", filepath.Join(v.dir, "state"))
	v.log = &testbin.Said{}
	cmd.Stderr = v.log
	in, err := cmd.StdinPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	for deadline := time.Now().Add(answerTimeout); !until() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		v.t.Errorf("%v\n%s", err, v.log.String())
	}
	if !strings.Contains(v.log.String(), logged) {
		v.t.Errorf("the log does not say %q:\n%s", logged, v.log.String())
	}
}
