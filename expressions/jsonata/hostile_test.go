package jsonata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

const (
	hostileEnv = "TOOLGRAPH_TEST_HOSTILE"
	// endlessBudget is the time of scenarios that never end by themselves.
	endlessBudget = 100 * time.Millisecond
	// hangGuard is when a scenario hangs, however busy the machine is.
	hangGuard = 3 * time.Minute
	// hostilePeak is four times what one evaluation may make the heap grow by.
	hostilePeak = 4 * maxGrowth
)

// hostileAnswer is what the subprocess of one scenario answers.
type hostileAnswer struct {
	Outcome string // value, undefined, refused, error CODE
	Peak    int64  // bytes
}

// budget is the time of the scenario's evaluation: that of one which ends by itself, or
// at a bound that is counted, is as long as it takes.
func (s *hostileScenario) budget() time.Duration {
	switch s.want {
	case "", "error", "error timeout":
		return endlessBudget
	}
	return hangGuard
}

func TestMain(m *testing.M) {
	if name := os.Getenv(hostileEnv); name != "" {
		answer := runHostile(name)
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println("\n" + string(text))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runHostile evaluates a scenario in this process.
func runHostile(name string) hostileAnswer {
	s := hostileScenarios()[name]
	source, data := s.source, map[string]any{}
	if s.data != nil {
		data = s.data()
	}
	answer := hostileAnswer{Outcome: "value"}
	e, err := Compile(context.Background(), source)
	if err != nil {
		answer.Outcome = "refused"
	} else {
		ev := evaluation{Meter: value.MakeMeter(context.Background(), &value.Limits{Time: s.budget(), Heap: maxGrowth}), scope: NewScope(data, nil)}
		v, err := e.run(&ev, data, &bindings{}, value.MaxBytes)
		var failure *Error
		switch {
		case errors.As(err, &failure):
			answer.Outcome = "error " + failure.Code
		case err != nil:
			answer.Outcome = "not an EvalError"
		case v == nil:
			answer.Outcome = "undefined"
		}
	}
	answer.Peak = peakMemory()
	return answer
}

// peakMemory is the most that the process ever had in memory, or 0 where the
// system does not report it.
func peakMemory() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// TestHostileExpressions runs each scenario in a process of its own: none may die, hang
// or swell, and each ends as it should.
func TestHostileExpressions(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory that the bounds count")
	}
	for name, s := range hostileScenarios() {
		if s.soak && os.Getenv("TOOLGRAPH_SOAK") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryHostile(t, name, s)
		})
	}
}

// tryHostile runs the scenario and reports what is wrong with how it ends.
func tryHostile(t *testing.T, name string, s hostileScenario) {
	ctx, cancel := context.WithTimeout(context.Background(), hangGuard)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), hostileEnv+"="+name, "GOTRACEBACK=none")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the process died: %v\n%.600s", err, out)
	}
	var answer hostileAnswer
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil {
		t.Fatalf("no answer: %.600s", out)
	}
	t.Logf("%-16s %5d MB", answer.Outcome, answer.Peak>>20)
	switch {
	case answer.Peak > hostilePeak:
		t.Errorf("took %d MB", answer.Peak>>20)
	case s.want != "" && !strings.HasPrefix(answer.Outcome, s.want):
		t.Errorf("%s, want %s", answer.Outcome, s.want)
	}
}
