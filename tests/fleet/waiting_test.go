//go:build linux

package fleet

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

const waitingFile = `version: "1.0"
server: {name: wait, version: 1.0.0}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: sure
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: sure}
  - {id: sure, type: ask, message: "Sure?", timeoutMs: 86400000, next: value}
  - {id: value, type: transform, transform: {expr: $.entry.id}, next: exit}
  - {id: exit, type: exit}
`

// How much memory and how many queries many waiting runs take in three processes over Postgres, and how long a thousand take
// to go on whose answers are there: figures for docs/scaling.md. WAITING sets how many wait.
func TestWaitingTakesNoProcess(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("WAITING"))
	if err != nil {
		t.Skip("it measures; WAITING=100000 sets how many runs wait")
	}
	url := pgtest.URL(t)
	f := newFleetOf(t, waitingFile, url, 0)
	all := []*process{f.run(true, "--log-level", "error"), f.run(true, "--log-level", "error"), f.run(true, "--log-level", "error")}
	store, err := postgres.Open(url, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	made := 0
	for _, n := range []int{0, many / 10, many} {
		began := time.Now()
		f.wait4(t, all, made, n)
		took := time.Since(began)
		made = n
		f.wait("all are parked", func() bool {
			c, err := store.Census(t.Context())
			return err == nil && c.Running.Runs == 0 && c.Parked.Runs == min(n, 100_000)
		})
		time.Sleep(10 * time.Second) // until freed memory is given back
		before := commits(t, url)
		const idle = 30 * time.Second
		time.Sleep(idle)
		queries := float64(commits(t, url)-before) / idle.Seconds()
		t.Logf("%d runs wait (made in %v): memory of the processes %s MB, %.1f transactions a second of all", n, took.Round(time.Second), memory(t, all), queries)
	}
	const due = 1000
	runs, err := store.List(t.Context(), journal.Filter{Status: journal.Waiting, Limit: due})
	if err != nil || len(runs) != due {
		t.Fatal(len(runs), err)
	}
	began := time.Now()
	for _, r := range runs {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %s", r.Question.Address, r.Question.Digest))
		if parked, err := store.AnswerParked(t.Context(), r.ID, hex.EncodeToString(sum[:8]), []byte(`{"action":"accept"}`)); err != nil || !parked {
			t.Fatal(parked, err)
		}
	}
	answered := time.Since(began)
	f.wait("they have ended", func() bool {
		c, err := store.List(t.Context(), journal.Filter{Status: journal.Finished, Limit: due + 1})
		return err == nil && len(c) == due
	})
	t.Logf("%d answers stored in %v, and all ended %v after the first", due, answered.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// wait4 makes runs that wait, each with a call that ends with its question.
func (f *fleet) wait4(t *testing.T, all []*process, from, to int) {
	t.Helper()
	todo := make(chan int)
	var working sync.WaitGroup
	for range 48 {
		working.Go(func() {
			for id := range todo {
				_, body, err := all[id%len(all)].post(call("sure", fmt.Sprintf(`{"id":%d}`, id), askable, ""), modernHeaders("sure"))
				if err != nil || !strings.Contains(body, "requestState") {
					t.Errorf("%s, %v", body, err)
				}
			}
		})
	}
	for id := from; id < to; id++ {
		todo <- id
	}
	close(todo)
	working.Wait()
}

// memory returns the resident memory of processes, in MB.
func memory(t *testing.T, all []*process) string {
	t.Helper()
	var texts []string
	for _, p := range all {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
		kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strconv.Itoa(kb/1024))
	}
	return strings.Join(texts, ", ")
}

// commits returns how many transactions the database has committed.
func commits(t *testing.T, url string) (n int64) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
