package runtime

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// unreadOnce is a database that fails at one time that it is opened for reading.
type unreadOnce struct {
	journal.Database
	left atomic.Int64 // times until then
}

func (d *unreadOnce) Open(ctx context.Context, create bool) (*sql.DB, error) {
	if !create && d.left.Add(-1) == 0 {
		return nil, errLocked
	}
	return d.Database.Open(ctx, create)
}

func (d *unreadOnce) Trouble(err error) journal.Trouble {
	if errors.Is(err, errLocked) {
		return journal.Locked
	}
	return d.Database.Trouble(err)
}

// patientUser answers once the database has failed and was looked at again.
type patientUser struct{ d *unreadOnce }

func (u patientUser) Ask(ctx context.Context, _ execution.Question) (execution.Answer, error) {
	for u.d.left.Load() > -1 {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return execution.Answer{}, ctx.Err()
		}
	}
	return execution.Answer{Action: execution.Accept}, nil
}

// A question that a client has stays open while the run cannot be read: its answer finds the call that waits for it.
func TestQuestionStaysOpenUnread(t *testing.T) {
	dir, p := t.TempDir(), sweepingGraph(t)
	other := openStore(t, dir)
	(&sweeping{t: t, p: p}).begin(other, "RUN", p.Graphs[0].Hash, nil)
	q := execution.Question{Run: "RUN", At: "0", Node: "sure", Message: "Sure?", Digest: "d"}
	visit := &execution.Visit{}
	visit.Frame, visit.Index, visit.Part = q.At.Split()
	asked := execution.Event{Kind: execution.QuestionAsked, Run: "RUN", Time: time.Now(), Step: visit, Question: &q}
	if err := other.Journal(nil, About(p)).Append(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	if run, err := other.Run(t.Context(), "RUN"); err != nil || len(run.Open()) != 1 || isClosed(markFor(run.Question))(run) {
		t.Fatalf("no question is open: %+v, %v", run, err)
	}
	inner, err := sqlite.New(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	d := &unreadOnce{Database: inner}
	l, err := Start(t.Context(), Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.History = journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = l.History.Close() })
	d.left.Store(1)
	if _, err := l.askWhile(t.Context(), &joining{client: client{user: patientUser{d}}}, "RUN", q); err != nil {
		t.Error(err)
	}
}

// A call whose client has left with the question does not go on with the run, also when it cannot ask again.
func TestCallWaitsForItsClient(t *testing.T) {
	asked := &journal.Asked{Question: execution.Question{Node: "sure", Digest: "d"}, Address: "0:sure"}
	mark := markFor(asked)
	for name, test := range map[string]struct {
		j     joining
		run   journal.Run
		waits bool
	}{
		"a question":                       {joining{}, journal.Run{Question: asked}, true},
		"one that was not asked":           {joining{replies: replies{unasked: map[string]bool{mark: true}}}, journal.Run{Question: asked}, true},
		"one with an answer":               {joining{replies: replies{answers: map[string]execution.Answer{mark: {Action: execution.Accept}}}}, journal.Run{Question: asked}, false},
		"no question":                      {joining{}, journal.Run{}, false},
		"no question, in a run that waits": {joining{}, journal.Run{Parked: true}, true},
	} {
		if test.j.waits(test.run) != test.waits {
			t.Errorf("%s: %t", name, !test.waits)
		}
	}
}

// A database that fails when a call that joins a run reads it, at whichever of its readings, is no answer to the call: its client
// makes it again.
func TestJoinedRunIsUnread(t *testing.T) {
	p := sweepingGraph(t)
	for name, ended := range map[string]bool{"that has ended": true, "that is interrupted": false} {
		t.Run(name, func(t *testing.T) {
			again, passed, right := 0, int64(0), false
			for n := int64(1); !right && n < 1000; n++ {
				dir := t.TempDir()
				l := joiner(t, p, dir)
				join := func() (*execution.Result, error) { return l.join(t.Context(), &joining{id: "RUN"}) }
				if ended {
					if _, err := join(); err != nil {
						t.Fatal(err)
					}
				}
				inner, err := sqlite.New(dir, false)
				if err != nil {
					t.Fatal(err)
				}
				d := &unreadOnce{Database: inner}
				l.History = journal.New(d, journal.Options{})
				t.Cleanup(func() { _ = l.History.Close() })
				l.fleet = newFleet(l.Session)
				d.left.Store(n)
				result, err := join()
				late := new(server.AgainError)
				right = d.left.Load() > 0
				switch isAgain := errors.As(err, &late) && result == nil; {
				case !right && isAgain && passed == 0:
					again++
				case isAgain, err != nil, result.Value != 1.0:
					t.Errorf("reading %d fails, reading %d did not count: %+v, %v", n, passed, result, err)
				case !right: // after the end was read
					passed = n
				}
			}
			if again == 0 || !right {
				t.Errorf("of the readings %d failed, and a run without failure: %v", again, right)
			}
		})
	}
}

// A call that joins a run which has ended gets its end from a process with another version of the tool: its value or its failure.
func TestJoinedRunOfAnotherVersion(t *testing.T) {
	for name, expr := range map[string]string{"value": "1", "failure": `$error("no")`} {
		t.Run(name, func(t *testing.T) {
			p := sweepingGraph(t)
			path, dir := p.File.Path, t.TempDir()
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			version := func(expr string) *project.Project {
				if err := os.WriteFile(path, []byte(strings.Replace(string(src), "expr: '1'", "expr: '"+expr+"'", 1)), 0o600); err != nil {
					t.Fatal(err)
				}
				p, err := project.Load(t.Context(), path, config.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			own, ownErr := joiner(t, version(expr), dir).join(t.Context(), &joining{id: "RUN"})
			other, err := Start(t.Context(), Options{}, version("2"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(other.Close)
			other.History = openStore(t, dir)
			other.fleet = newFleet(other.Session)
			result, err := other.join(t.Context(), &joining{id: "RUN"})
			if result == nil || result.Value != own.Value || (result.Used == nil) != (own.Used == nil) {
				t.Errorf("%+v, expected %+v", result, own)
			}
			var failed *execution.StepError
			switch {
			case name == "value" && (err != nil || ownErr != nil || own.Value != 1.0):
				t.Errorf("%v, %v", err, ownErr)
			case name == "failure" && (!errors.As(err, &failed) || !strings.HasPrefix(ownErr.Error(), err.Error())):
				t.Errorf("%v, expected %v", err, ownErr)
			}
		})
	}
}

// The end of a task whose run is damaged is lost, so its client need not look again.
func TestTaskOfDamagedRun(t *testing.T) {
	dir := t.TempDir()
	l := joiner(t, sweepingGraph(t), dir)
	if _, err := l.join(t.Context(), &joining{id: "RUN"}); err != nil {
		t.Fatal(err)
	}
	run, err := l.History.Exact(t.Context(), "RUN")
	if err != nil {
		t.Fatal(err)
	}
	data, err := sqlite.New(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close(true)
	db, err := data.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM chunks"); err != nil {
		t.Fatal(err)
	}
	var lost *server.LostError
	if result, err := l.taskEnd(t.Context(), run); !errors.As(err, &lost) || result != nil {
		t.Errorf("%+v, %v", result, err)
	}
}
