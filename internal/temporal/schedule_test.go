package temporal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// greeting is a graph file without servers: greet returns a text, and fail fails with one.
const greeting = `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
- name: greet
  inputSchema: {type: object, properties: {name: {type: string}, times: {type: integer, default: 1}}, required: [name], additionalProperties: false}
  nodes:
  - {id: entry, type: entry, next: hello}
  - {id: hello, type: transform, transform: {expr: '"Hello " & $.entry.name'}, next: exit}
  - {id: exit, type: exit}
- name: fail
  inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
  nodes:
  - {id: entry, type: entry, next: no}
  - {id: no, type: transform, transform: {expr: '$error("no greeting for " & $.entry.name)'}, next: exit}
  - {id: exit, type: exit}
`

// scheduleCommand runs a command below schedule to its end.
func (p *place) scheduleCommand(t *testing.T, words ...string) (stdout, stderr string, code int) {
	t.Helper()
	words = append(append([]string{"schedule"}, words...), "--address", p.address)
	if words[1] == "create" {
		words = append(words, "--queue", p.queue)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], words...)
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOCOVERDIR="+os.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// scheduled is scheduleCommand for one that succeeds, with --json.
func (p *place) schedule(t *testing.T, into any, words ...string) {
	t.Helper()
	out, errs, code := p.scheduleCommand(t, append(words, "--json")...)
	if code != 0 {
		t.Fatalf("%q ends with %d: %s", words, code, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%q prints %s: %v", words, out, err)
	}
}

// trigger triggers a schedule and returns its run, which has ended.
func (p *place) trigger(t *testing.T, id string, more ...string) journal.Run {
	t.Helper()
	var of struct{ Run string }
	p.schedule(t, &of, append([]string{"trigger", id}, more...)...)
	run := p.ended(t, func(r journal.Run) bool { return r.ID == of.Run }, 1)[0]
	p.closed(t, of.Run)
	return run
}

// ended waits until the store has as many runs that have ended, and returns them, newest first.
func (p *place) ended(t *testing.T, which func(journal.Run) bool, least int) []journal.Run {
	t.Helper()
	store, err := sqlite.Open(p.state, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for guard := time.Now().Add(hang); time.Now().Before(guard); time.Sleep(50 * time.Millisecond) {
		all, err := store.List(t.Context(), journal.Filter{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(r journal.Run) bool { return r.InProgress() || !which(r) })
		if len(all) >= least {
			return all
		}
	}
	t.Fatalf("hangs: the store does not have %d of the runs", least)
	return nil
}

// newSchedule creates a schedule, which is deleted at the end of the test.
func (p *place) newSchedule(t *testing.T, words ...string) (id string, made scheduled) {
	t.Helper()
	id = "test-" + strings.ToLower(rand.Text())
	p.schedule(t, &made, append([]string{"create", id}, words...)...)
	t.Cleanup(func() { _ = p.client.ScheduleClient().GetHandle(context.Background(), id).Delete(context.Background()) })
	return id, made
}

// Each run of a schedule is recorded and has an id of its own, until the schedule is paused.
func TestScheduleRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := write(t, t.TempDir(), "graph.yaml", greeting)
	p.worker(t, file)
	id, made := p.newSchedule(t, "greet", "name=Ada", "-g", file, "--every", "1s", "--note", "for Ada")
	if made.ID != id || made.Tool != "greet" || string(made.Args) == "" || made.Times != "every 1s" || len(made.Next) == 0 || made.Overlap != "skip" || made.CatchUp != "1h" {
		t.Errorf("created %+v", made)
	}
	runs := p.ended(t, func(r journal.Run) bool { return strings.HasPrefix(r.ID, id+"-2") }, 2)
	if runs[0].ID == runs[1].ID || runs[0].Status != journal.Finished || runs[0].Args != `{"name":"Ada","times":1}` {
		t.Errorf("runs %+v", runs)
	}

	var shown scheduled
	p.schedule(t, &shown, "pause", id, "--note", "enough")
	if !shown.Paused || shown.Note != "enough" || shown.Started < 2 {
		t.Errorf("paused: %+v", shown)
	}
	var listed struct{ Schedules []scheduled }
	p.schedule(t, &listed, "list")
	if i := slices.IndexFunc(listed.Schedules, func(s scheduled) bool { return s.ID == id }); i < 0 || !listed.Schedules[i].Paused || listed.Schedules[i].Tool != "greet" {
		t.Errorf("listed: %+v", listed)
	}
	if run := p.trigger(t, id); run.Status != journal.Finished || !strings.HasPrefix(run.ID, id) {
		t.Errorf("a paused schedule is triggered: %+v", run)
	}

	var changed scheduled
	p.schedule(t, &changed, "create", id, "greet", "name=Bob", "-g", file, "--cron", "0 2 * * MON-FRI", "--time-zone", "Europe/Berlin", "--overlap", "allow-all", "--replace")
	if !changed.Paused || changed.Note != "enough" || changed.Times != "0 2 * * MON-FRI" || changed.Zone != "Europe/Berlin" || changed.Overlap != "allow-all" || changed.Started <= shown.Started {
		t.Errorf("changed: %+v", changed)
	}
	if run := p.trigger(t, id); run.Args != `{"name":"Bob","times":1}` {
		t.Errorf("after the change: %+v", run)
	}
	p.schedule(t, &shown, "unpause", id)
	if shown.Paused || shown.Recent[0].Run == "" {
		t.Errorf("unpaused: %+v", shown)
	}
	text, _, _ := p.scheduleCommand(t, "show", id)
	for _, want := range []string{`{"name":"Bob","times":1}`, "0 2 * * MON-FRI, Europe/Berlin", shown.Recent[0].Run, "allow-all"} {
		if !strings.Contains(text, want) {
			t.Errorf("show has no %q:\n%s", want, text)
		}
	}

	if _, errs, code := p.scheduleCommand(t, "delete", id); code != 0 || !strings.Contains(errs, "deleted schedule "+id) {
		t.Error(code, errs)
	}
	for _, command := range []string{"show", "pause", "unpause", "trigger", "delete"} {
		if _, errs, code := p.scheduleCommand(t, command, id); code != 1 || !strings.Contains(errs, "there is no schedule") {
			t.Error(command, code, errs)
		}
	}
}

// A schedule with wrong times or arguments is not created.
func TestScheduleRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := write(t, t.TempDir(), "graph.yaml", greeting)
	id := "refused-" + strings.ToLower(rand.Text())
	for name, test := range map[string]struct {
		words []string
		code  int
		want  string
	}{
		"no argument":   {[]string{"greet", "--every", "1h"}, 2, "greet: invalid arguments: arguments.name: required, but missing"},
		"its type":      {[]string{"greet", "name=a", "times=x", "--every", "1h"}, 2, "arguments.times"},
		"unknown":       {[]string{"greet", "nam=a", "--every", "1h"}, 2, `did you mean "name"?`},
		"no tool":       {[]string{"great", "name=a", "--every", "1h"}, 2, `did you mean "greet"?`},
		"no times":      {[]string{"greet", "name=a"}, 2, "no times given; give --cron or --every"},
		"minute 61":     {[]string{"greet", "name=a", "--cron", "61 * * * *"}, 1, "the Temporal server refuses the schedule (61 * * * *): Invalid schedule spec: Minute is not in range [0-59]"},
		"large":         {[]string{"greet", "name=" + strings.Repeat("a", 100<<10), "times=1", "--every", "1h", "--args", `{"more": "` + strings.Repeat("b", 1) + `"}`}, 2, "arguments.more"},
		"no graph file": {[]string{"greet", "name=a", "--every", "1h", "-g", filepath.Join(t.TempDir(), "none.yaml")}, 1, "none.yaml"},
	} {
		words := append([]string{"create", id}, test.words...)
		if name != "no graph file" {
			words = append(words, "-g", file)
		}
		if _, errs, code := p.scheduleCommand(t, words...); code != test.code || !strings.Contains(errs, test.want) {
			t.Errorf("%s: %d %.500s", name, code, errs)
		}
	}
	if _, errs, code := p.scheduleCommand(t, "show", id); code != 1 || !strings.Contains(errs, "there is no schedule") {
		t.Error("created:", code, errs)
	}
}

// A tool that asks can be scheduled, with a warning.
func TestScheduleAsks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := write(t, t.TempDir(), "graph.yaml", strings.ReplaceAll(asking, "$UP", "http://127.0.0.1:1"))
	id := "test-" + strings.ToLower(rand.Text())
	_, errs, code := p.scheduleCommand(t, "create", id, "ask", "id=a", "-g", file, "--cron", "0 0 29 2 *", "--paused")
	if code != 0 || !strings.Contains(errs, "the tool asks its user (node sure, after)") || !strings.Contains(errs, "next run: paused") {
		t.Error(code, errs)
	}
	if _, errs, code = p.scheduleCommand(t, "delete", id); code != 0 {
		t.Error(code, errs)
	}
}

// While a run has not ended, overlap decides; without a worker that is said.
func TestScheduleOverlap(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := write(t, t.TempDir(), "graph.yaml", greeting)
	id, _ := p.newSchedule(t, "greet", "name=Ada", "-g", file, "--cron", "0 0 29 2 *")
	var first, second struct{ Run string }
	p.schedule(t, &first, "trigger", id)
	_, errs, code := p.scheduleCommand(t, "trigger", id)
	if code != 1 || !strings.Contains(errs, "started no run: run "+first.Run+" has not ended; start one beside it with --overlap allow-all") {
		t.Error(code, errs)
	}
	p.schedule(t, &second, "trigger", id, "--overlap", "allow-all")
	if second.Run == first.Run {
		t.Error("two runs have the id", first.Run)
	}
	_, errs, _ = p.scheduleCommand(t, "create", id, "greet", "name=Ada", "-g", file, "--cron", "0 0 31 2 *", "--replace")
	for _, want := range []string{"no worker has this version of the graph", "no time matches 0 0 31 2 *", "changed schedule " + id} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q: %s", want, errs)
		}
	}
	if _, errs, code = p.scheduleCommand(t, "create", id, "greet", "name=Ada", "-g", file, "--every", "1h"); code != 1 || !strings.Contains(errs, "change it with --replace") {
		t.Error(code, errs)
	}
	p.worker(t, file)
	p.ended(t, func(r journal.Run) bool { return r.ID == first.Run || r.ID == second.Run }, 2)
}
