package journal_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/tests/pgtest"
)

func init() {
	journal.OpenSQLite = sqlite.Open
	journal.NewSQLite = func(dir string) (journal.Database, error) { return sqlite.New(dir, false) }
	journal.LeaveLease = func(d journal.Database) { d.(*sqlite.Database).Leave(false) }
	journal.SetBusy = func(d journal.Database, busy time.Duration) { d.(*sqlite.Database).Busy = busy }
	journal.FreeSpace = func(ctx context.Context, d journal.Database, db journal.Querier) error {
		return d.(*sqlite.Database).FreeSpace(ctx, db)
	}
	journal.NewWatcher = func(d journal.Database, topic journal.Topic) journal.Watcher {
		return d.(*sqlite.Database).Watcher(topic)
	}
}

// TestMain is also the main function of the processes that the tests start.
func TestMain(m *testing.M) {
	if dir := os.Getenv("JOURNAL_CHILD_DIR"); dir != "" {
		if err := child(dir, os.Getenv("JOURNAL_CHILD_ACT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2) // 1 is what a process that is killed has on Windows
		}
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		pgtest.Stop()
		os.Exit(code)
	}))
}

// child writes runs; acting "killed…" it dies in the middle of one, while it waits for a
// call.
func child(dir, act string) error {
	s, err := journal.Open(dir, journal.Options{})
	if err != nil {
		return err
	}
	j := s.Journal(nil, journal.About{File: "/x/graph.yaml"})
	ctx := context.Background()
	if strings.HasPrefix(act, "early") {
		return dieEarly(s, act)
	}
	if act == "task" {
		return dieWithTask(s)
	}
	if strings.HasPrefix(act, "flight") {
		return dieInFlight(s, act)
	}
	if strings.HasPrefix(act, "killed") {
		all := events("KILLED", map[string]any{"n": 1.0}, "out")
		for _, e := range all[:3] {
			if err := j.Append(ctx, e); err != nil {
				return err
			}
		}
		if _, err := s.Run(ctx, "KILLED"); err != nil { // which writes what is waiting
			return err
		}
		visit := execution.Visit{Index: 2, NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"}
		if err := j.Append(ctx, execution.Event{Kind: execution.CallStarted, Run: "KILLED", Time: began, Step: &visit, Sync: true}); err != nil {
			return err
		}
		if act == "killed-late" { // the call is in the database as well as noted
			if _, err := s.Run(ctx, "KILLED"); err != nil {
				return err
			}
		}
		return die()
	}
	n, err := strconv.Atoi(act)
	if err != nil {
		return err
	}
	for i := range n {
		for _, e := range events(fmt.Sprintf("P%d-%d", os.Getpid(), i), map[string]any{"i": float64(i)}, "out") {
			if err := j.Append(ctx, e); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// die ends the process without its having a say.
func die() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return err
	}
	select {} // until the signal has come
}

// dieEarly dies right after a call has begun, while nothing can be written, so that the
// run has no row; with "early-deleted", after the run has ended and was deleted.
func dieEarly(s *journal.Store, act string) error {
	ctx := context.Background()
	attempts := journal.Paced(s)
	go func() {
		for {
			<-attempts.Failed
			attempts.Again <- time.Time{}
		}
	}()
	j := s.Journal(config.NewSecrets("hunter2hunter2"), journal.About{File: "/x/graph.yaml", Server: "demo"})
	args := map[string]any{"n": 1.0}
	switch act {
	case "early-secret":
		args["password"] = "hunter2hunter2"
	case "early-long", "early-long-locked":
		args["text"] = strings.Repeat("long ", 1000)
	}
	for _, e := range events("FIRST", args, "out") {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	if _, err := s.Run(ctx, "FIRST"); err != nil { // so that there is a lease
		return err
	}
	if act == "early" || act == "early-secret" || act == "early-long-locked" {
		other, err := journal.Raw(s.Path())
		if err != nil {
			return err
		}
		defer other.Close()
		if _, err := other.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
	}
	all := events("KILLED", args, "out")
	visit := execution.Visit{Index: 2, NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"}
	all[2] = execution.Event{Kind: execution.CallStarted, Run: "KILLED", Time: began, Step: &visit, Sync: true}
	for _, e := range all[:3] {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	if act == "early-deleted" {
		for _, e := range all[3:] {
			if err := j.Append(ctx, e); err != nil {
				return err
			}
		}
		if n, err := s.Delete(ctx, "KILLED"); err != nil || n != 1 {
			return fmt.Errorf("%d deleted, %w", n, err)
		}
	}
	return die()
}
