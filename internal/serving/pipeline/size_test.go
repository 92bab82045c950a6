package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// X03: the assembled result of a pipeline counts against maxNodeOutputBytes before anything makes a text
// of it, and what a failed run answers fits too.
func TestX03StepsThatDouble(t *testing.T) {
	const limit = 1 << 20
	p := loaded(t, "executionLimits: {maxNodeOutputBytes: 1048576}"+strings.Replace(twoServers, `'"hello " & $.entry.name'`, `$.entry.name & $.entry.name`, 1))
	steps := []string{`{"id":"s0","tool":"greet","args":{"name":"` + strings.Repeat("x", 1000) + `"}}`}
	for i := range 8 { // the last output has 512,000 bytes
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":"greet","args":{"name":"{{s%d}}"}}`, i+1, i))
	}
	g, args, err := p.Pipeline.Compile(t.Context(), parsed(t, `{"steps":[`+strings.Join(steps, ",")+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	engine := execution.New(&upstream{})
	var result *execution.Result
	cost.Below(t, 16*limit, func() { result, err = engine.Run(t.Context(), g, args) })
	var failed *execution.Failure
	if !errors.As(err, &failed) || failed.Code != execution.CodeLimit || !strings.Contains(err.Error(), "maxNodeOutputBytes is 1048576 bytes") {
		t.Fatalf("got %v", err)
	}
	if size := value.Size(result.Partial); size > limit {
		t.Errorf("the answer of the failed run has %d bytes", size)
	}
	text, err := value.Encode(result.Partial)
	if err != nil || strings.Count(string(text), `"status":"success"`) != 9 || strings.Count(string(text), `"result":`) < 4 {
		t.Errorf("%.300s %v", text, err)
	}
}
