package expressions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	hostileEnv      = "TOOLGRAPH_TEST_HOSTILE"
	hostileDeadline = time.Second
	hostileGrace    = 500 * time.Millisecond
	hostilePeak     = 1 << 30
)

// hostileAnswer is what the subprocess of one scenario tells.
type hostileAnswer struct {
	Outcome string // value, undefined, refused, error CODE
	Took    time.Duration
	Peak    int64 // bytes
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
	start := time.Now()
	answer := hostileAnswer{Outcome: "value"}
	e, err := CompileJSONata(context.Background(), source)
	if err != nil {
		answer.Outcome = "refused"
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), hostileDeadline)
		defer cancel()
		v, err := e.Eval(ctx, NewScope(data, nil))
		var failure *EvalError
		switch {
		case errors.As(err, &failure):
			answer.Outcome = "error " + failure.Code
		case err != nil:
			answer.Outcome = "not an EvalError"
		case v == nil:
			answer.Outcome = "undefined"
		}
	}
	answer.Took = time.Since(start)
	answer.Peak = peakMemory()
	return answer
}

// peakMemory is the most that the process ever had in memory, or 0 where the
// system does not tell.
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

// TestHostileExpressions runs each scenario in a process of its own: none may die,
// hang, swell or answer later than the deadline and half a second. One that does is
// tried again alone, twice: a busy machine is no fault of it.
func TestHostileExpressions(t *testing.T) {
	if raceDetector {
		t.Skip("times and memory mean nothing under the race detector")
	}
	scenarios := hostileScenarios()
	slots := make(chan struct{}, 2)
	var running sync.WaitGroup
	var mu sync.Mutex // guards again
	var again []string
	for name, s := range scenarios {
		if s.soak && os.Getenv("TOOLGRAPH_SOAK") == "" {
			continue
		}
		running.Add(1)
		go func() {
			defer running.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			if problem := tryHostile(t, name, s); problem != "" {
				mu.Lock()
				defer mu.Unlock()
				again = append(again, name)
			}
		}()
	}
	running.Wait()
	for _, name := range again {
		problem := tryHostile(t, name, scenarios[name])
		if problem != "" {
			problem = tryHostile(t, name, scenarios[name])
		}
		if problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// tryHostile runs the scenario and tells what is wrong with how it ends.
func tryHostile(t *testing.T, name string, s hostileScenario) (problem string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), hostileEnv+"="+name, "GOTRACEBACK=none")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("the process died: %v\n%.600s", err, out)
	}
	var answer hostileAnswer
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil {
		return fmt.Sprintf("no answer: %.600s", out)
	}
	t.Logf("%-28s %-16s %6d ms %5d MB", name, answer.Outcome, answer.Took.Milliseconds(), answer.Peak>>20)
	// Time in which others had the processors is no fault of the scenario.
	worked := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case min(answer.Took, worked) > hostileDeadline+hostileGrace:
		return fmt.Sprintf("answered after %v (%v of work)", answer.Took, worked)
	case answer.Peak > hostilePeak:
		return fmt.Sprintf("took %d MB", answer.Peak>>20)
	case s.want != "" && !strings.HasPrefix(answer.Outcome, s.want):
		return fmt.Sprintf("%s, want %s", answer.Outcome, s.want)
	}
	return ""
}
