//go:build unix

package fleet

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/pgtest"
)

// failures are the rows of the tables of docs/scaling.md that say what happens when something fails, and what is lost, each
// with the test of what it says.
var failures = map[string]map[string]func(t *testing.T){
	"| event | what happens |": {
		"a process is killed, or its machine fails":              everyPlace(processKilled),
		"a process sleeps or loses the database, and comes back": processAway,
		"a process is stopped (SIGTERM)":                         everyPlace(func(t *testing.T, f *fleet) { f.stopped(t) }),
		"an answer to a question reaches another process": everyPlace(func(t *testing.T, f *fleet) {
			f.start()
			f.questions(t)
			f.lateAnswers(t)
		}),
		"a cancellation reaches another process": everyPlace(func(t *testing.T, f *fleet) { f.cancellations(t) }),
		"the database is away":                   databaseAway,
	},
	"| fails | lost |": {
		"one process":  everyPlace(processLost),
		"one machine":  machineLost,
		"the balancer": balancerLost,
		"the database": databaseLost,
	},
}

// Each row of the tables has a test, and each test a row.
func TestFailures(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	for header, tests := range failures {
		_, table, found := strings.Cut(string(src), "\n"+header+"\n|---|---|\n")
		if !found {
			t.Fatalf("docs/scaling.md has no table %q", header)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		var rows []string
		for line := range strings.Lines(table) {
			row := strings.TrimSpace(strings.Split(line, "|")[1])
			rows = append(rows, row)
			drive := tests[row]
			if drive == nil {
				t.Errorf("%s: the row %q has no test", header, row)
				continue
			}
			t.Run(row, func(t *testing.T) {
				t.Parallel()
				if os.Getenv("FLEET") == "" {
					t.Skip("what fails takes long to be noticed; run make fleet")
				}
				drive(t)
			})
		}
		for row := range tests {
			if !slices.Contains(rows, row) {
				t.Errorf("%s: the test of %q has no row", header, row)
			}
		}
	}
}

// everyPlace tries two processes with each kind of history.
func everyPlace(drive func(t *testing.T, f *fleet)) func(t *testing.T) {
	return func(t *testing.T) {
		for name, place := range places {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFleet(t, place(t), 2)
				drive(t, f)
				f.nothingLeft()
			})
		}
	}
}

// keyedCall makes a call with a key in the background.
func (p *process) keyedCall(t *testing.T, tool, arguments string) (ended <-chan string) {
	said := make(chan string, 1)
	go func() {
		_, body, err := p.post(call(tool, arguments, `"toolgraph/key":"k"`, ""), http.Header{})
		if err != nil {
			said <- broken
			return
		}
		said <- textOf(t, body)
	}()
	return said
}

// begun makes a call whose run looks at a gate, which is open when the test says so.
func (f *fleet) begun(t *testing.T, p *process, id int) (ended <-chan string, open func()) {
	open = f.up.gate(id)
	ended = p.keyedCall(t, "order", fmt.Sprintf(`{"id":%d,"steps":3}`, id))
	f.wait("the run has begun", func() bool { return f.up.looks(id) == 1 })
	return ended, open
}

func wantPaid(t *testing.T, f *fleet, id int, got string) {
	t.Helper()
	if want := fmt.Sprintf(`{"id":%d,"paid":1}`, id); got != want || f.up.count(id) != 1 {
		t.Errorf("%s, paid %d times", got, f.up.count(id))
	}
}

// processKilled: the run is resumed without its client, and an in-doubt call is not repeated.
func processKilled(t *testing.T, f *fleet) {
	const id = 1
	all := f.all()
	_, open := f.begun(t, all[0], id)
	all[0].kill(t)
	open()
	f.wait("another process pays", func() bool { return f.up.count(id) == 1 })
	wantPaid(t, f, id, <-all[1].keyedCall(t, "order", `{"id":1,"steps":3}`))

	inDoubt := f.run(true)
	inDoubt.keyedCall(t, "hold", "{}")
	f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == 1 })
	inDoubt.kill(t)
	if got := <-all[1].keyedCall(t, "hold", "{}"); !strings.Contains(got, "outcome is unknown") {
		t.Errorf("an in-doubt call: %s", got)
	}
	if held, _ := f.up.holds(); held != 1 {
		t.Errorf("the in-doubt call was made %d times", held)
	}
}

// processAway: a process that has slept, or has lost the database, answers with what another one has made of its run.
func processAway(t *testing.T) {
	state := pgtest.Start(t).URL(t)
	f := newFleet(t, state, 1)
	f.sleeper(t, true)

	const id = 2
	w, place := startWire(t, state)
	loses := f.run(true, "--state", place)
	ended, open := f.begun(t, loses, id)
	w.lose(true)
	f.wait("another process resumes the run", func() bool { return f.up.looks(id) > 1 })
	open()
	f.wait("another process pays", func() bool { return f.up.count(id) == 1 })
	w.lose(false)
	if got := <-ended; !strings.Contains(got, "call again") {
		wantPaid(t, f, id, got)
	}
	f.wait("it is ready again", func() bool { return loses.status(t, "/readyz") == http.StatusOK })
	wantPaid(t, f, id, <-loses.keyedCall(t, "order", `{"id":2,"steps":3}`))
	f.nothingLeft()
}

func (p *process) status(t *testing.T, path string) int {
	t.Helper()
	resp, err := client.Get("http://" + p.addr + path)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// databaseAway: the process lives and is not ready; a call with a key is not made. A run goes on until a call that is not safe
// to repeat, which is not made and fails. The process goes on when the database is back.
func databaseAway(t *testing.T) {
	db := pgtest.Start(t)
	f := newFleet(t, db.URL(t), 1)
	p := f.all()[0]
	f.wait("it is ready", func() bool { return p.status(t, "/readyz") == http.StatusOK })
	const id, inFlight = 17, 18
	open := f.up.gate(inFlight)
	answer := f.long(t, p, inFlight, 3, 1)
	if err := db.Stop(); err != nil {
		t.Fatal(err)
	}
	f.wait("it is not ready", func() bool { return p.status(t, "/readyz") == http.StatusServiceUnavailable })
	if got := p.status(t, "/healthz"); got != http.StatusOK {
		t.Errorf("/healthz: %d", got)
	}
	open()
	if got := <-answer; !strings.Contains(got, "cannot be recorded before it is made") || f.up.looks(inFlight) != 3 || f.up.count(inFlight) != 0 {
		t.Errorf("a run in progress, paid %d times after %d calls that only read: %s", f.up.count(inFlight), f.up.looks(inFlight), got)
	}
	again, body, err := p.post(keyed(id, "k"), http.Header{})
	if err != nil || f.up.count(id) != 0 || again != http.StatusServiceUnavailable || !strings.Contains(body, "call again") || strings.Contains(body, "postgres") {
		t.Errorf("without the database, paid %d times: %v, %d, %s", f.up.count(id), err, again, body)
	}
	if err := db.Start(); err != nil {
		t.Fatal(err)
	}
	f.wait("it is ready again", func() bool { return p.status(t, "/readyz") == http.StatusOK })
	if n := strings.Count(p.log.String(), "ready"); n != 2 {
		t.Errorf("the log says %d times whether it is ready", n)
	}
	if _, body, err := p.post(keyed(id, "k"), http.Header{}); err != nil || textOf(t, body) != `{"id":17,"paid":1}` {
		t.Errorf("%v: %s", err, body)
	}
}

// processLost: the connection breaks, the call with a key gets its result elsewhere, and an in-doubt call is resolved by hand.
func processLost(t *testing.T, f *fleet) {
	const id = 3
	all := f.all()
	ended, open := f.begun(t, all[0], id)
	all[0].kill(t)
	open()
	if got := <-ended; got != broken {
		t.Errorf("the connection of a process that was killed: %s", got)
	}
	wantPaid(t, f, id, <-all[1].keyedCall(t, "order", `{"id":3,"steps":3}`))

	inDoubt := f.run(true)
	inDoubt.keyedCall(t, "hold", "{}")
	f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == 1 })
	inDoubt.kill(t)
	if got := <-all[1].keyedCall(t, "hold", "{}"); !strings.Contains(got, "outcome is unknown") {
		t.Errorf("an in-doubt call: %s", got)
	}
	if out, err := f.toolgraph("resume", "last", "--answer", "5"); err != nil || strings.TrimSpace(out) != "5" {
		t.Errorf("an in-doubt call that is resolved: %v: %s", err, out)
	}
	if got := <-all[1].keyedCall(t, "hold", "{}"); got != "5" {
		t.Errorf("after it was resolved: %s", got)
	}
}

// machineLost: all processes die. Over a database others answer; a directory is gone with its machine.
func machineLost(t *testing.T) {
	f := newFleet(t, pgtest.URL(t), 2)
	const id = 4
	all := f.all()
	_, open := f.begun(t, all[0], id)
	for _, p := range all {
		p.kill(t)
	}
	open()
	wantPaid(t, f, id, <-f.run(true).keyedCall(t, "order", `{"id":4,"steps":3}`))
	f.nothingLeft()

	f.state = t.TempDir() // of another machine
	if out, err := f.toolgraph("runs", "list"); err != nil || strings.TrimSpace(out) != "no runs" {
		t.Errorf("%v: %s", err, out)
	}
}

// balancerLost: the run of a call with a key goes on, another one is cancelled.
func balancerLost(t *testing.T) {
	f := newFleet(t, t.TempDir(), 3)
	var behind []string
	for _, p := range f.all() {
		behind = append(behind, p.addr)
	}
	at := freeAddress(t)
	b, _ := startBalancer(t, at, behind)
	through := &process{addr: at}
	f.wait("the balancer has found the processes", func() bool { return through.status(t, "/readyz") == http.StatusOK })
	const id = 5
	ended, open := f.begun(t, through, id)
	other := make(chan error, 1)
	go func() {
		_, _, err := through.post(call("hold", "{}", "", ""), http.Header{})
		other <- err
	}()
	f.wait("the call is made", func() bool { held, _ := f.up.holds(); return held == 1 })
	b.kill()
	if got := <-ended; got != broken {
		t.Errorf("a call with a key: %s", got)
	}
	if err := <-other; err == nil {
		t.Error("a call without a key has an answer")
	}
	f.wait("the call without a key is cancelled", func() bool { _, cancelled := f.up.holds(); return cancelled == 1 })
	open()
	f.wait("the run of the key goes on", func() bool { return f.up.count(id) == 1 })
	b.start()
	f.wait("the balancer has found the processes again", func() bool { return through.status(t, "/readyz") == http.StatusOK })
	wantPaid(t, f, id, <-through.keyedCall(t, "order", `{"id":5,"steps":3}`))
	f.nothingLeft()
}

// databaseLost: after a crash of the server, the result of a call with a key is there, and a run that was in progress goes on.
func databaseLost(t *testing.T) {
	db := pgtest.Start(t)
	f := newFleet(t, db.URL(t), 1)
	p := f.all()[0]
	const id, inFlight = 6, 7
	order := func(id int) string {
		return call("order", fmt.Sprintf(`{"id":%d,"steps":3}`, id), fmt.Sprintf(`"toolgraph/key":"order-%d"`, id), "")
	}
	ask := func(id int) string {
		_, body, err := p.post(order(id), http.Header{})
		if err != nil {
			return err.Error()
		}
		return textOf(t, body)
	}
	wantPaid(t, f, id, ask(id))
	open := f.up.gate(inFlight)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ask(inFlight) // it may have to be asked again
	}()
	f.wait("the run has begun", func() bool { return f.up.looks(inFlight) == 1 })
	if err := db.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := db.Start(); err != nil {
		t.Fatal(err)
	}
	f.wait("it is ready again", func() bool { return p.status(t, "/readyz") == http.StatusOK })
	open()
	<-ended
	for _, id := range []int{id, inFlight} {
		f.wait("the call has its result", func() bool { // until then the client is asked to call again
			got := ask(id)
			return got == fmt.Sprintf(`{"id":%d,"paid":1}`, id)
		})
		if n := f.up.count(id); n != 1 {
			t.Errorf("paid %d times", n)
		}
	}
	f.nothingLeft()
}
