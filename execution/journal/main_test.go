package journal_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// TestMain is also the main function of the processes that the tests start.
func TestMain(m *testing.M) {
	if dir := os.Getenv("JOURNAL_CHILD_DIR"); dir != "" {
		if err := child(dir, os.Getenv("JOURNAL_CHILD_ACT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
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
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		if err := self.Kill(); err != nil {
			return err
		}
		select {} // until the signal has come
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
