package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// schedules is how many schedules of the simulation a mutant of the fleet must not survive.
const schedules = 300

// fleetMutants take out what several processes need in order to be one server. from is in the file once.
var fleetMutants = []struct{ name, file, from, to string }{
	{
		"the fence is out of the writer", "execution/journal/postgres/migrations/1.sql",
		"AND r.id = u.id AND r.owner = p_me\n\t\tAND (r.status = 'running' OR r.status = u.status AND r.events = u.events);", "AND r.id = u.id;",
	},
	{"a running run is claimed", "execution/journal/claim.go", "(status = 'interrupted' OR status = 'error'", "(status IN ('interrupted', 'running') OR status = 'error'"},
	{"the subject is out of the keyed id", "internal/runtime/join.go", "About(l.Project).Server, server.SubjectOf(ctx), tool, key", `About(l.Project).Server, "", tool, key`},
	{"an in-doubt call is repeated", "execution/doubt.go", "resolution.RepeatAll || mayRepeat", "resolution.RepeatAll || mayRepeat || true"},
	{"a call is made before its record", "execution/journal/writer.go", "return e.Sync && e.Kind == execution.CallStarted && !w.note(e, wholeNote)", "return false"},
	{
		"a sweep without the rule for a young server", "execution/journal/postgres/process.go",
		" AND extract(epoch FROM pg_postmaster_start_time()) * 1000000 < now_micros() - $1", "",
	},
	{"a new idempotency key each time", "execution/call.go", `key := run + "/" + string(at)`, `key := run + "/" + string(at) + fmt.Sprintf("%p", new(int))`},
}

// fleetFiles are those from which more mutants are drawn.
var fleetFiles = []string{
	"internal/runtime/join.go", "internal/runtime/join_end.go", "internal/runtime/join_question.go", "internal/runtime/fleet.go", "internal/runtime/resume.go",
	"internal/runtime/resume_serve.go", "internal/runtime/resume_versions.go", "execution/journal/claim.go", "execution/journal/retention.go",
}

// drawn is how many of them.
const drawn = 5

// runFleet breaks what makes several processes one server.
func runFleet(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := trial{dir: dir, room: "tests/simulation"}
	survived := 0
	try := func(name string, m mutant) error {
		if !strings.Contains(name, *only) {
			return nil
		}
		if err := t.overlay(m); err != nil {
			return err
		}
		outcome, died, err := t.simulated(ctx)
		if err == nil && !died {
			survived++
		}
		fmt.Printf("%s\t%s\n", name, outcome)
		return err
	}
	for _, f := range fleetMutants {
		src, err := os.ReadFile(f.file)
		if err != nil {
			return err
		}
		at := bytes.Index(src, []byte(f.from))
		if at < 0 || bytes.Count(src, []byte(f.from)) > 1 {
			return fmt.Errorf("%s: %q is not there once", f.file, f.from)
		}
		if err := try(f.name, mutant{file: f.file, src: src, from: at, to: at + len(f.from), by: f.to}); err != nil {
			return err
		}
	}
	d, err := newDrawOf(*seed, "fleet", fleetFiles)
	if err != nil {
		return err
	}
	for range drawn {
		m, err := t.mutantOf(ctx, d, "./internal/runtime", "./execution/journal")
		if err == nil {
			err = try(m.String(), m)
		}
		if err != nil {
			return err
		}
	}
	if survived > 0 {
		return fmt.Errorf("%d of %d mutants have survived %d schedules", survived, len(fleetMutants)+drawn, schedules)
	}
	return nil
}

var (
	failedSeed = regexp.MustCompile(`seed (\d+): SEED[^\n]*\n\s*(\w+): ([^\n]{0,120})`)
	lastSeed   = regexp.MustCompile(`=== RUN   TestFleet/(\d+)`)
)

// simulated runs the simulation of a fleet until it fails.
func (t trial) simulated(ctx context.Context) (outcome string, died bool, err error) {
	program := filepath.Join(t.dir, "simulation.test")
	if out, err := t.command(ctx, "test", "-c", "-o", program, "./tests/simulation").CombinedOutput(); err != nil {
		return "", false, fmt.Errorf("%w: %s", err, out)
	}
	run := exec.CommandContext(ctx, program, "-test.run", "^TestFleet$", "-test.v", "-test.timeout", (5 * *limit).String())
	run.Dir = filepath.Join("tests", "simulation")
	run.Env = append(os.Environ(), fmt.Sprintf("SIM=%d", schedules), "SIM_FAILED=1")
	out, failure := run.CombinedOutput()
	var exit *exec.ExitError
	switch found := failedSeed.FindSubmatch(out); {
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case failure == nil:
		return "survived", false, nil
	case !errors.As(failure, &exit):
		return "", false, failure
	case found != nil:
		return fmt.Sprintf("died in schedule %s\t%s: %s", found[1], found[2], found[3]), true, nil
	}
	all := lastSeed.FindAllSubmatch(out, -1)
	if len(all) == 0 {
		return "", false, fmt.Errorf("the simulation has not begun: %.1000s", out)
	}
	return fmt.Sprintf("died in schedule %s\t%s", all[len(all)-1][1], reason(string(out))), true, nil
}
