package cli

import (
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/terminal"
)

// A terminal says how long ago runs began, and has what they used if it is wide; a file has the exact time, and everything.
func TestRunRows(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.Local)
	var runs []journal.Run
	for _, ago := range []time.Duration{-time.Hour, 0, 59 * time.Second, time.Minute, 59 * time.Minute, 3 * time.Hour, day, 6*day + time.Hour, 7 * day} {
		runs = append(runs, journal.Run{ID: "0123456789ABCDEF", Tool: "t", Status: journal.Finished, Started: now.Add(-ago)})
	}
	started := func(s terminal.Screen) (all []string, columns int) {
		rows := runRows(runs, s, now)
		for _, row := range rows[1:] {
			all = append(all, row[1])
		}
		return all, len(rows[0])
	}
	relative := "2026-03-04 13:00:00, 0 s ago, 59 s ago, 1 min ago, 59 min ago, 3 h ago, 1 d ago, 6 d ago, 2026-02-25 12:00:00"
	for columns, want := range map[int]int{80: 7, 119: 7, 120: 11} {
		got, n := started(terminal.Sized(columns, 24, false))
		if strings.Join(got, ", ") != relative || n != want {
			t.Errorf("%d columns: %d of %s", columns, n, strings.Join(got, ", "))
		}
	}
	if got, n := started(terminal.Screen{}); n != 11 || got[3] != "2026-03-04 11:59:00" {
		t.Errorf("a file: %d of %v", n, got)
	}
}
