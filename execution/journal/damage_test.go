package journal_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/tests/thorough"
)

// long is a value that has a row of its own.
func long() string { return strings.Repeat("a long value, 0123456789 ", 4000) }

// answered is a closed store with one run that has every kind of frame, and its answer. Its chunk is
// in its row, or as version 5 had it.
func answered(t *testing.T, inRow bool) (file string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s := openAt(t, dir, journal.Options{})
	all := events("RUN", decode(t, `{"n":1}`), decode(t, `{"sum":1234567}`))
	last := *all[2].Record
	last.Index, last.Output = 3, long()
	after := all[2]
	after.Record = &last
	all = append(all[:4:4], after, all[4])
	for _, e := range all {
		if err := s.Journal(nil, journal.About{File: "/x/graph.yaml", Server: "demo"}).Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Load(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "history.db")
	if inRow {
		return file
	}
	raw, err := journal.Raw(file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(`INSERT INTO chunks SELECT seq, 0, 0, body, sums FROM runs; UPDATE runs SET body = NULL, sums = NULL`); err != nil {
		t.Fatal(err)
	}
	return file
}

// looked is all that a store says of its run, and why some of it is damaged.
func looked(t *testing.T, s *journal.Store) (said string, damage error) {
	t.Helper()
	runs, err := s.List(t.Context(), journal.Filter{})
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", journal.ErrNotFound
	}
	r := runs[0]
	if r.Damaged != "" {
		return "", &journal.DamagedError{Run: r.ID, Err: errors.New(r.Damaged)}
	}
	r.Bytes, r.Resumed = 0, 0 // a size that is not exact, and a count that no event has
	all, err := s.Load(t.Context(), r.ID)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{r, all})
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// TestV12Rows: a run with any changed row is damaged, in a list and for a process that would
// resume it, and no wrong value is shown.
func TestV12Rows(t *testing.T) {
	t.Run("in its row", func(t *testing.T) { changeRows(t, answered(t, true), "runs") })
	t.Run("in chunks", func(t *testing.T) { changeRows(t, answered(t, false), "chunks") })
}

// changeRows changes each row of a run whose frames are in a table.
func changeRows(t *testing.T, file, frames string) {
	s := openAt(t, filepath.Dir(file), journal.Options{})
	want, err := looked(t, s)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := journal.Raw(file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	tried := 0
	for _, c := range []struct{ table, column string }{
		{frames, "body"},
		{frames, "sums"},
		{"spills", "body"},
		{"runs", "tool"},
		{"runs", "status"},
		{"runs", "file"},
		{"runs", "server"},
		{"runs", "graph"},
		{"runs", "args"},
		{"runs", "failure"},
	} {
		var was []byte
		if err := raw.QueryRow(fmt.Sprintf("SELECT CAST(%s AS BLOB) FROM %s", c.column, c.table)).Scan(&was); err != nil {
			t.Fatal(err)
		}
		set := func(value []byte) {
			var as any = value
			if isText := c.table == "runs" && c.column != "body" && c.column != "sums"; isText {
				as = string(value)
			}
			if _, err := raw.Exec(fmt.Sprintf("UPDATE %s SET %s = ?", c.table, c.column), as); err != nil {
				t.Fatal(err)
			}
		}
		variants := [][]byte{append(bytes.Clone(was), '0'), was[:max(0, len(was)-1)], {}}
		for i := 0; i < len(was); i += thorough.Step(20) {
			flipped := bytes.Clone(was)
			flipped[i] ^= 1 << (i % 8)
			variants = append(variants, flipped)
		}
		for i, v := range variants {
			if bytes.Equal(v, was) {
				continue
			}
			set(v)
			tried++
			if said, err := looked(t, s); err == nil {
				t.Errorf("%s.%s, variant %d: %q is taken for %q", c.table, c.column, i, said, want)
			}
			if _, err := s.Journal(nil, journal.About{}).Load(t.Context(), "RUN"); err == nil && slices.Contains([]string{"body", "sums", "tool", "graph"}, c.column) {
				t.Errorf("%s.%s, variant %d: the run can be taken on", c.table, c.column, i)
			}
		}
		set(was)
	}
	changes := []string{
		"spills SET id = 2", "spills SET sum = sum + 1", "runs SET sum = sum + 1", frames + " SET sums = NULL", frames + " SET body = NULL",
		"runs SET started = started + 1", "runs SET ended = ended + 1", "runs SET ended = 0", "runs SET last = last + 1000", "runs SET events = events + 1",
		"runs SET steps = steps + 1", "runs SET steps = 'many'", "runs SET lost = 1", "runs SET durable = 1", "runs SET args = NULL", "runs SET status = 'error'",
		"runs SET status = 'cancelled'", "runs SET status = 'interrupted'", "runs SET failure = '{}'", "runs SET failure = '{'",
	}
	if frames == "chunks" {
		changes = append(changes, "chunks SET n = 1", "chunks SET step = 1")
	}
	for _, change := range changes {
		undo(t, raw, change, func() {
			if said, err := looked(t, s); err == nil {
				t.Errorf("%s: %q is taken for %q", change, said, want)
			}
		})
	}
	if said, err := looked(t, s); err != nil || said != want {
		t.Errorf("in the end: %q, %v", said, err)
	}
	t.Logf("%d changes", tried)
}

// undo makes a change, does something and takes the change back.
func undo(t *testing.T, raw *sql.DB, change string, do func()) {
	t.Helper()
	table, _, _ := strings.Cut(change, " ")
	for _, statement := range []string{"CREATE TEMP TABLE IF NOT EXISTS was_" + table + " AS SELECT * FROM " + table, "UPDATE " + change} {
		if _, err := raw.Exec(statement); err != nil {
			if strings.Contains(err.Error(), "NOT NULL") { // the table itself refuses it
				return
			}
			t.Fatal(change, err)
		}
	}
	do()
	for _, statement := range []string{"DELETE FROM " + table, "INSERT INTO " + table + " SELECT * FROM was_" + table} {
		if _, err := raw.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestV12File: the same for each byte of the file that says something of the run.
func TestV12File(t *testing.T) {
	file := answered(t, true)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	look := func(content []byte) (string, error) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "history.db"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := journal.Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return looked(t, s)
	}
	want, err := look(whole)
	if err != nil {
		t.Fatal(err)
	}
	used, tried, damaged := 0, 0, 0
	const page = 4096
	for start := page; start < len(whole); start += page { // the first page is that of the schema
		for at := start; at < start+page; at++ {
			if whole[at] == 0 { // what is not used
				continue
			}
			if used++; used%thorough.Step(29) != 0 {
				continue
			}
			sick := bytes.Clone(whole)
			sick[at] ^= 1 << (at % 8)
			tried++
			said, err := look(sick)
			if err != nil {
				damaged++
			} else if said != want {
				t.Errorf("byte %d of page %d: %s", at%page, at/page+1, said)
			}
		}
	}
	t.Logf("%d of %d changes are damages", damaged, tried)
}

// A store of the first versions has no checksums: its runs can be read, and are recorded
// on with them.
func TestStoreWithoutSums(t *testing.T) {
	file := answered(t, false)
	raw, err := journal.Raw(file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(`ALTER TABLE runs DROP COLUMN sum; ALTER TABLE runs DROP COLUMN nested; ALTER TABLE runs DROP COLUMN facts; ALTER TABLE chunks DROP COLUMN sums; ALTER TABLE spills DROP COLUMN sum;
		ALTER TABLE runs DROP COLUMN body; ALTER TABLE runs DROP COLUMN sums; DROP TABLE processes; DROP TABLE mail; DROP TABLE payloads; DROP TABLE packs; ALTER TABLE upkeep DROP COLUMN policy; ALTER TABLE upkeep DROP COLUMN old;
		UPDATE runs SET status = 'interrupted', ended = 0; PRAGMA user_version = 2`); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, filepath.Dir(file), journal.Options{})
	if r, err := s.Run(t.Context(), "RUN"); err != nil || r.Status != journal.Interrupted || r.Damaged != "" {
		t.Fatal(r, err)
	}
	if err := s.Claim(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	end := events("RUN", nil, "out")[4]
	if err := s.Journal(nil, journal.About{}).Append(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Load(t.Context(), "RUN"); err != nil || len(all) != 7 {
		t.Errorf("%d events, %v", len(all), err)
	}
	if _, err := raw.Exec(`UPDATE chunks SET body = CAST(replace(CAST(body AS TEXT), 'out', 'oot') AS BLOB) WHERE n > 0`); err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec(`INSERT INTO runs (seq, id, tool, status, file, server, graph, args, started, ended, last, events, steps, spills,
		bytes, durable, failure, owner, sums) SELECT 2, 'EMPTY', tool, status, file, server, graph, args, started, ended, last, 1, steps, spills,
		bytes, durable, failure, owner, sums FROM runs; INSERT INTO chunks VALUES (2, 0, 0, x'', NULL)`); err != nil {
		t.Fatal(err)
	}
	var damaged *journal.DamagedError
	if _, err := s.Load(t.Context(), "EMPTY"); !errors.As(err, &damaged) {
		t.Errorf("%v", err)
	}
	if _, err := s.Load(t.Context(), "RUN"); !errors.As(err, &damaged) || damaged.Place != "event 7" {
		t.Errorf("%v", err)
	}
}
