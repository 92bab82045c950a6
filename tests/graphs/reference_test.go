package graphs

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/tests/npm"
)

// The packages that the reference is made of.
const (
	jsonataPackage   = "jsonata@2.2.2"
	jsonLogicPackage = "json-logic-js@2.0.5"
)

// answer is the result of an evaluation, the program's or the reference's.
type answer struct {
	Value   json.RawMessage `json:"value"`
	Nothing bool            `json:"nothing"`
	Error   string          `json:"error"`

	// What only the reference says:
	Odd   bool              `json:"odd"`   // the value had a number that JSON does not have
	Meant map[string]answer `json:"meant"` // the answer with operators that are meant to differ
}

// String is the answer in one canonical line.
func (a answer) String() string {
	switch {
	case a.Error != "":
		return "error: " + a.Error
	case a.Nothing:
		return "nothing"
	}
	v, err := value.Decode(a.Value)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	text, err := value.Encode(v)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	return string(text)
}

// agrees reports whether both are the same, where any error is like any other.
func (a answer) agrees(b answer) bool {
	if a.Error != "" || b.Error != "" {
		return a.Error != "" && b.Error != ""
	}
	return a.String() == b.String()
}

// refStep is one execution of the reference.
type refStep struct {
	Node string `json:"node"`
	answer
	Rules []answer `json:"rules"`
}

// refRun is a run of the reference.
type refRun struct {
	Steps  []refStep `json:"steps"`
	Failed string    `json:"failed"` // "", "limit" or "error"
	At     string    `json:"at"`     // the node that failed or was not run
}

// reference is the process that answers for jsonata and json-logic-js. It belongs to
// one test.
type reference struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Reader
}

// startReference starts it; the test is skipped where it may not or cannot run.
func startReference(t *testing.T) *reference {
	t.Helper()
	if os.Getenv("TOOLGRAPH_GRAPHS") != "1" {
		t.Skip("installs jsonata and json-logic-js from npm; set TOOLGRAPH_GRAPHS=1 (make graphs)")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, err := npm.Install(ctx, jsonataPackage, jsonLogicPackage)
	if err != nil {
		t.Fatal(err)
	}
	// It ends with its input, after the context of the test.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", "reference/main.mjs", dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &reference{t, in, bufio.NewReader(out)}
}

// ask sends a request and reads its answer.
func (r *reference) ask(request, into any) {
	r.t.Helper()
	line, err := json.Marshal(request)
	if err != nil {
		r.t.Fatalf("%v: %+v", err, request)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		r.t.Fatal(err)
	}
	said, err := r.lines.ReadBytes('\n')
	if err != nil {
		r.t.Fatalf("the reference ended: %v after %.2000s", err, line)
	}
	if err := json.Unmarshal(said, into); err != nil {
		r.t.Fatalf("%v: %.300s", err, said)
	}
}

func (r *reference) run(s sample) refRun {
	r.t.Helper()
	var got refRun
	r.ask(map[string]any{"graph": s.file, "arguments": json.RawMessage(s.input)}, &got)
	return got
}
