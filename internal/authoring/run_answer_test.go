package authoring

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/serving/toolset"
)

// A secret that lies where an output is truncated is redacted before.
func TestStepsWithinBounds(t *testing.T) {
	secret := "the-secret-token"
	for _, bytes := range []int{shortOutput, 4 * mostShown, mostOutput} {
		text := strings.Repeat("é", (bytes-len(secret)/2)/2) + secret + strings.Repeat("x", mostOutput)
		history := []execution.Record{{Output: text}, {Error: &execution.Failure{Message: text}}}
		steps, note := stepsOf(t.Context(), history, detail{10, bytes, false}, config.NewSecrets(secret))
		raw, err := toolset.JSON(steps)
		if err != nil || strings.Contains(string(raw), secret[:6]) || note == "" {
			t.Errorf("%d: %s, %q, %v", bytes, raw, note, err)
		}
	}
	var history []execution.Record
	for range 5001 {
		history = append(history, execution.Record{Index: len(history), Output: strings.Repeat("y", 1500)})
	}
	steps, note := stepsOf(t.Context(), history, detail{mostSteps, mostOutput, false}, nil)
	raw, _ := toolset.JSON(steps)
	if len(steps) != mostSteps || steps[mostSteps-1].Index != 5000 || len(raw) > 4*mostOutputs || !strings.Contains(note, "5001 executions") {
		t.Errorf("%d steps in %d bytes, %q", len(steps), len(raw), note)
	}
}

// sized is the bytes of an answer of runGraphTool, on a loop with these many turns over
// outputs of so many bytes.
func sized(t *testing.T, k *Toolkit, turns, bytes int, more string) int {
	t.Helper()
	tool := fmt.Sprintf(`{"name":"loop","description":"d","nodes":[{"id":"entry","type":"entry","next":"t"},`+
		`{"id":"t","type":"transform","transform":{"expr":"$pad(\"\", %d, \"x\")"},"next":"more"},`+
		`{"id":"more","type":"switch","conditions":[{"rule":{">=":[{"var":"$executionCount(\"t\")"},%d]},"next":"end"}],"next":"t"},`+
		`{"id":"end","type":"transform","transform":{"expr":"t"},"next":"exit"},{"id":"exit","type":"exit"}]}`, bytes, turns)
	got := k.answerTo(t, "runGraphTool", `{"toolDefinition":`+tool+`,"arguments":{}`+more+`}`)
	if !strings.Contains(got, `"result":"xxx`) {
		t.Fatalf("got %.500s", got)
	}
	return len(got)
}

// An answer has the result once, and of each execution a little: its size depends neither
// on how large the outputs are nor, beyond the path, on how many executions there were.
func TestRunAnswerIsSmall(t *testing.T) {
	k := kit(t, graphFile)
	const head = 200 // of a step: index, node, type, times, and that it is truncated
	const note = 400
	for _, bytes := range []int{10, 1000, 100_000} {
		got := sized(t, k, 3, bytes, "")
		if most := bytes + 9*(shortOutput+head) + note; got > most {
			t.Errorf("outputs of %d bytes: the answer has %d, want at most %d", bytes, got, most)
		}
	}
	few, many := sized(t, k, 100, 1000, ""), sized(t, k, 200, 1000, "")
	if grown := many - few; grown > 200*len(`"more",`)+50 {
		t.Errorf("100 turns more make the answer %d bytes larger, which is more than the path", grown)
	}
	if short, long := sized(t, k, 3, 1000, ""), sized(t, k, 3, 1000, `,"valueBytes":4096`); long < short+4*700 {
		t.Errorf("with valueBytes the answer has %d bytes, without %d", long, short)
	}
	if n := sized(t, k, 200, 1000, `,"valueBytes":200`); n < 3*many {
		t.Errorf("with valueBytes all executions have %d bytes, a few %d", n, many)
	}
}
