// Command mutants breaks rooms of the product in small ways, one at a time, and prints which tests notice. A seed
// goes in; one line for each mutant comes out: "died", and which tests it died of, or "survived". The tree stays as
// it is: a mutant is an overlay of the go command. It knows of a room only its files, its own tests and the stories
// in tests that touch it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// rooms are what is broken: a directory, and the stories of tests that touch it.
var rooms = []struct{ dir, stories string }{
	{"config", "TestScript|TestDiagnostics|TestHidden"},
	{"expressions/jsonata", "TestScript/(eval|run|replay|test|check)|TestLargeNumber|TestExamples"},
	{"expressions/schema", "TestScript/(check|run|lock|init)|TestSchema|TestValidate"},
	{"graph/flow", "TestScript/check|TestDiagnostics|TestExamples"},
	{"execution", "TestScript/(run|fork|resume|replay|debug|audit)|TestExamples|TestLimits|TestResume"},
	{"execution/journal", "TestScript/(run|fork|resume|x14|x24)|TestResume|TestHistory"},
	{"mcpclient", "TestScript/(lock|mcp|run|test_servers|doctor)|TestServers|TestOauth|TestOAuth"},
	{"internal/serving/server", "TestScript/serve|TestHTTP|TestSession|TestWire|TestProgress|TestTask"},
	{"internal/runtime", "TestScript/(serve|run|resume|x05|x14|cache)|TestReload|TestResume|TestCache"},
	{"internal/cli", "TestScript"},
}

var (
	seed    = flag.Uint64("seed", 1, "seed of the draw; a room's mutants depend on it and on the room's files alone")
	each    = flag.Int("each", 6, "mutants a room")
	limit   = flag.Duration("limit", 5*time.Minute, "time limit of each run of go test")
	only    = flag.String("room", "", "the one room to break, with -fleet a part of the mutant's name; all by default")
	again   = flag.String("again", "", "what this program printed before: only mutants that died then are tried, for they must die again")
	fleet   = flag.Bool("fleet", false, "break what makes several processes one server, and print in which schedule of the simulation each mutant dies")
	listing = flag.Bool("list", false, "print the mutants and run nothing")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	do := run
	if *fleet {
		do = runFleet
	}
	err := do(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run breaks each room once, then each once more: what is left when it is interrupted is evenly spread.
func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var before []byte
	if *again != "" {
		if before, err = os.ReadFile(*again); err != nil {
			return err
		}
	}
	draws := map[string]*draw{}
	for range *each {
		for _, room := range rooms {
			if *only != "" && *only != room.dir {
				continue
			}
			if draws[room.dir] == nil {
				if draws[room.dir], err = newDraw(ctx, *seed, room.dir); err != nil {
					return err
				}
			}
			t := trial{dir: dir, room: room.dir, stories: room.stories}
			m, err := t.mutant(ctx, draws[room.dir])
			if err != nil {
				return fmt.Errorf("%s: %w", room.dir, err)
			}
			if *again != "" && !bytes.Contains(before, []byte(m.String()+"\tdied\t")) {
				continue
			}
			outcome := "listed"
			if !*listing {
				if outcome, err = t.outcome(ctx); err != nil {
					return err
				}
			}
			fmt.Printf("%s\t%s\t%s\n", m, outcome, time.Now().Format(time.TimeOnly))
		}
	}
	return nil
}

// trial is one mutant under test.
type trial struct {
	dir           string // of the overlay
	room, stories string
}

// mutant draws until one compiles: dropping a statement may leave a variable that nothing uses. Its overlay is written.
func (t trial) mutant(ctx context.Context, d *draw) (mutant, error) {
	return t.mutantOf(ctx, d, "./"+t.room)
}

// mutantOf is mutant for one of several packages.
func (t trial) mutantOf(ctx context.Context, d *draw, packages ...string) (mutant, error) {
	for {
		m, err := d.next()
		if err != nil {
			return m, err
		}
		if err := t.overlay(m); err != nil {
			return m, err
		}
		out, err := t.command(ctx, append([]string{"build"}, packages...)...).CombinedOutput()
		switch {
		case err == nil:
			return m, nil
		case ctx.Err() != nil:
			return m, ctx.Err()
		case len(out) == 0:
			return m, err // not of the compiler
		}
	}
}

// overlay makes the go command read the mutant instead of the file.
func (t trial) overlay(m mutant) error {
	changed := filepath.Join(t.dir, filepath.Base(m.file))
	file, err := filepath.Abs(m.file)
	if err != nil {
		return err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(changed, m.apply(), 0o600), os.WriteFile(filepath.Join(t.dir, "overlay.json"), replace, 0o600))
}

// command is a go command that sees the mutant, and so do the go commands that tests start.
func (t trial) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+filepath.Join(t.dir, "overlay.json"))
	return cmd
}

// outcome runs the room's own tests and, when they pass, the stories.
func (t trial) outcome(ctx context.Context) (string, error) {
	stories := "^(" + t.stories + ")"
	for _, args := range [][]string{{"./" + t.room}, {"./tests", "-run", stories}, {"./tests/script", "-run", stories}} {
		// A test process that a mutant keeps from ending is ended with its limit, by go test.
		cmd := t.command(ctx, append([]string{"test", "-count=1", "-failfast", "-timeout", limit.String()}, args...)...)
		out, failure := cmd.CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case failure != nil:
			return "died\t" + args[0] + " " + reason(string(out)), nil //nolint:nilerr // a test that fails is what is looked for
		}
	}
	return "survived\t", nil
}

// reason is the first thing that go test says of a failure.
func reason(out string) string {
	for line := range strings.Lines(out) {
		for _, mark := range []string{"--- FAIL: ", "panic: ", "fatal error: "} {
			if _, rest, found := strings.Cut(line, mark); found {
				return strings.TrimSpace(rest)
			}
		}
	}
	return "go test failed"
}
