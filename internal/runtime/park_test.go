package runtime

import (
	"fmt"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
)

// A question parks its run, whose call has ended with it. Any process goes on with the answer: the one that has asked, another one, and
// one after all others have ended. What was called before is not called again, and the state counts once.
func TestQuestionIsParked(t *testing.T) {
	for name, place := range parkPlaces {
		t.Run(name, func(t *testing.T) {
			u, at := startCounting(t), place(t)
			s := storeAt(t, at)
			first, second := startParker(t, u, at, Service{}), startParker(t, u, at, Service{})
			answer := func(p *parker, state string) string {
				t.Helper()
				_, raw := p.call("sure", fmt.Sprintf(`,"requestState":%q,"inputResponses":{"sure":{"action":"accept","content":{"name":"x"}}}`, state), false)
				return raw
			}
			for i, p := range []*parker{first, second, nil} {
				asked, raw := first.call("sure", "", false)
				state, _ := asked["requestState"].(string)
				if state == "" {
					t.Fatal(raw)
				}
				eventually(t, "the run is parked", func() bool { return len(parkedRuns(t, s)) == 1 })
				if p == nil {
					first.stop()
					second.stop()
					p = startParker(t, u, at, Service{})
				}
				want := fmt.Sprintf("x%d%d", 2*i+1, 2*i+2)
				if got := answer(p, state); !strings.Contains(got, want) {
					t.Errorf("%d: %s, want %s", i, got, want)
				}
				if i == 0 {
					if again := answer(p, state); !strings.Contains(again, "requestState is unknown") {
						t.Errorf("the state is used again: %s", again)
					}
				}
				if n := u.count("pay"); n != 2*i+2 {
					t.Errorf("%d: paid %d times", i, n)
				}
			}
		})
	}
}

// The call of a client that waits for its answer stays, without its run, and gets the value; the attempts are made at their times.
func TestDelayIsParkedForItsCall(t *testing.T) {
	t.Parallel()
	for name, place := range parkPlaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, at := startCounting(t), place(t)
			s := storeAt(t, at)
			p := startParker(t, u, at, Service{})
			startParker(t, u, at, Service{})
			if _, raw := p.call("often", "", false); !strings.Contains(raw, "3") || u.count("look") != 3 {
				t.Errorf("%s after %d calls", raw, u.count("look"))
			}
			var runs []journal.Run
			var err error
			eventually(t, "the end is recorded, for which a call without a key does not wait", func() bool {
				runs, err = s.List(t.Context(), journal.Filter{Limit: -1})
				return err != nil || len(runs) == 1 && runs[0].HasEnded()
			})
			if err != nil || len(runs) != 1 || runs[0].Status != journal.Finished || runs[0].Parked {
				t.Errorf("%+v, %v", runs, err)
			}
		})
	}
}

// A task waits without a process, is answered in another process, and cancelled where no process has its run.
func TestTaskIsParked(t *testing.T) {
	for name, place := range parkPlaces {
		t.Run(name, func(t *testing.T) {
			u, at := startCounting(t), place(t)
			s := storeAt(t, at)
			first, second := startParker(t, u, at, Service{}), startParker(t, u, at, Service{})
			begin := func(tool string) string {
				t.Helper()
				made, raw := first.call(tool, "", true)
				id, _ := made["taskId"].(string)
				if id == "" {
					t.Fatal(raw)
				}
				return id
			}
			get := func(id string) (string, map[string]any) {
				t.Helper()
				of, raw := second.send("tasks/get", id, fmt.Sprintf(`"taskId":%q`, id), true)
				status, _ := of["status"].(string)
				if status == "" {
					t.Fatal(raw)
				}
				return status, of
			}
			release := u.hold(t) // a question that comes before a call is a task ends the call
			asks, waits := begin("sure"), begin("days")
			release()
			eventually(t, "both are parked", func() bool { return len(parkedRuns(t, s)) == 2 })
			status, of := get(asks)
			requests, _ := of["inputRequests"].(map[string]any)
			if waiting, _ := get(waits); status != "input_required" || len(requests) != 1 || waiting != "working" {
				t.Fatalf("%s, %v, and %s", status, of, waiting)
			}
			first.stop()
			for key := range requests {
				second.send("tasks/update", asks, fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"name":"x"}}}`, asks, key), true)
			}
			eventually(t, "the task is done", func() bool { is, _ := get(asks); return is == "completed" })
			if u.count("pay") != 2 {
				t.Errorf("paid %d times", u.count("pay"))
			}
			if status, _ := get(waits); status != "working" || u.count("look") != 1 {
				t.Errorf("%s, %d calls", status, u.count("look"))
			}
			second.send("tasks/cancel", waits, fmt.Sprintf(`"taskId":%q`, waits), true)
			eventually(t, "the task is cancelled", func() bool { is, _ := get(waits); return is == "cancelled" })
			if u.count("look") != 1 || len(parkedRuns(t, s)) != 0 {
				t.Errorf("%d calls, %d parked", u.count("look"), len(parkedRuns(t, s)))
			}
		})
	}
}

// A run that is due, and whose version of the graph no process has, waits; the others go on.
func TestParkedRunOfAnotherVersion(t *testing.T) {
	for name, place := range parkPlaces {
		t.Run(name, func(t *testing.T) {
			u, at := startCounting(t), place(t)
			s := storeAt(t, at)
			ask := func(p *parker, parked int) {
				t.Helper()
				p.call("sure", "", false)
				eventually(t, "it is parked", func() bool { return len(parkedRuns(t, s)) == parked })
			}
			answer := func(run journal.Run) {
				t.Helper()
				if parked, err := s.AnswerParked(t.Context(), run.ID, markFor(run.Question), []byte(`{"action":"accept","content":{"name":"x"}}`)); err != nil || !parked {
					t.Fatal(parked, err)
				}
			}
			first := startParker(t, u, at, Service{})
			ask(first, 1)
			first.stop()
			old := parkedRuns(t, s)[0]
			answer(old)
			second := startParkerOf(t, strings.ReplaceAll(parkingFile, "$.sure.name &", "$.sure.name & $.sure.name &"), u, at, Service{})
			ask(second, 2)
			for _, run := range parkedRuns(t, s) {
				if run.ID != old.ID {
					answer(run)
				}
			}
			eventually(t, "the other run has gone on", func() bool { return u.count("pay") == 3 })
			if left := parkedRuns(t, s); len(left) != 1 || left[0].ID != old.ID {
				t.Errorf("%d are left: %+v", len(left), left)
			}
		})
	}
}

// Parked runs have neither a goroutine nor anything else in the process: two hundred of them change nothing.
func TestParkedRunsTakeNothing(t *testing.T) {
	u, at := startCounting(t), t.TempDir()
	s := storeAt(t, at)
	p := startParker(t, u, at, Service{})
	settled := func(runs int) (goroutines int) {
		t.Helper()
		eventually(t, "the runs are parked", func() bool { return len(parkedRuns(t, s)) == runs })
		last := -1
		eventually(t, "nothing works", func() bool {
			http.DefaultClient.CloseIdleConnections()
			goroutines = goruntime.NumGoroutine()
			same := goroutines == last
			last = goroutines
			time.Sleep(100 * time.Millisecond)
			return same
		})
		return goroutines
	}
	p.call("sure", "", false)
	before := settled(1)
	for range 200 {
		p.call("sure", "", false)
	}
	if after := settled(201); after > before+20 {
		t.Errorf("%d goroutines with 201 parked runs, %d with one", after, before)
	}
}
