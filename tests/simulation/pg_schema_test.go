package simulation

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// migrate changes the schema. The function that writes runs is taken apart, see writeRuns; other functions and triggers do
// what this server does itself.
func (s *pgServer) migrate(text string) error {
	for _, part := range statementsOf(text) {
		switch {
		case part == "", strings.HasPrefix(part, "COMMENT"), strings.HasPrefix(part, "CREATE TRIGGER"), strings.HasPrefix(part, "DO "):
			continue
		case strings.Contains(part, "FUNCTION count_runs"):
			if err := s.countRuns(part); err != nil {
				return err
			}
			continue
		case strings.Contains(part, "FUNCTION write_runs"):
			var err error
			if s.runsIn, err = readWriteRuns(part); err != nil {
				return err
			}
			continue
		case strings.HasPrefix(part, "CREATE FUNCTION"):
			continue
		}
		for _, statement := range s.portable(part) {
			if err := s.plain(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	if s.has("runs") && !s.has("batch") {
		for _, statement := range invariants {
			if err := s.plain(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	return nil
}

// countsRuns is what the function count_runs does for each kind of change: the condition of the runs that it counts.
var countsRuns = regexp.MustCompile(`(?s)FROM (entered|gone|\(.*?\) AS changes)\s+WHERE (.*?)\s+GROUP BY`)

// countRuns makes triggers that do for each row what the function does for each statement.
func (s *pgServer) countRuns(function string) error {
	found := countsRuns.FindAllStringSubmatch(function, -1)
	if len(found) != 3 {
		return fmt.Errorf("count_runs has %d statements, expected 3", len(found))
	}
	of := func(row, condition, sign string) string {
		for _, column := range []string{"status", "failure"} {
			condition = strings.ReplaceAll(condition, column+" ", row+"."+column+" ")
		}
		return fmt.Sprintf("INSERT INTO totals SELECT %s.server, %s.tool, %s.status, %s1, %s%s.bytes WHERE %s;", row, row, row, sign, sign, row, condition)
	}
	for _, trigger := range []string{
		"CREATE TRIGGER count_inserted AFTER INSERT ON runs BEGIN " + of("new", found[0][2], "") + " END",
		"CREATE TRIGGER count_deleted AFTER DELETE ON runs BEGIN " + of("old", found[1][2], "-") + " END",
		"CREATE TRIGGER count_updated AFTER UPDATE ON runs BEGIN " + of("old", found[2][2], "-") + of("new", found[2][2], "") + " END",
	} {
		if err := s.plain(trigger); err != nil {
			return fmt.Errorf("%s: %w", trigger, err)
		}
	}
	return nil
}

// inDoubt selects the end of a run of whose last call it is not known whether it was made.
const inDoubt = `old.status = 'error' AND old.failure LIKE '{"code":"outcome-unknown",%'`

// invariants are true of the database after every statement: they say what must be so, and nothing of how
// it comes about. The tables are those of write_runs.
var invariants = []string{
	`CREATE TABLE batch (place INTEGER PRIMARY KEY, seq BIGINT, id TEXT, tool TEXT, status TEXT, file TEXT, server TEXT, graph TEXT, args TEXT, started BIGINT, ended BIGINT,
		last BIGINT, events BIGINT, steps BIGINT, nested BIGINT, spills BIGINT, bytes BIGINT, lost BIGINT, durable BOOLEAN, failure TEXT, facts TEXT, sum BIGINT, body BLOB, sums BLOB)`,
	`CREATE TABLE batch_chunks (place BIGINT, n BIGINT, step BIGINT, body BLOB, sums BLOB)`,
	`CREATE TABLE batch_spills (place BIGINT, id BIGINT, body BLOB, sum BIGINT)`,
	`CREATE TABLE held (place INTEGER PRIMARY KEY, seq BIGINT)`,

	`CREATE TRIGGER fence_row BEFORE UPDATE ON runs WHEN writer() <> '' AND old.owner <> writer()
		BEGIN SELECT violated('fence', writer() || ' writes run ' || old.id || ', which ' || old.owner || ' has'); END`,
	`CREATE TRIGGER fence_events BEFORE INSERT ON chunks WHEN writer() <> '' AND (SELECT owner FROM runs WHERE seq = new.run) <> writer()
		BEGIN SELECT violated('fence', writer() || ' writes events of a run that another process has'); END`,
	`CREATE TRIGGER one_owner BEFORE UPDATE ON runs WHEN old.status = 'running' AND new.owner <> old.owner
		BEGIN SELECT violated('claim', 'run ' || old.id || ' is running, and is claimed by ' || new.owner); END`,
	`CREATE TRIGGER one_end BEFORE UPDATE ON runs WHEN old.status IN ('finished', 'error', 'cancelled') AND NOT (` + inDoubt + `)
		AND (new.status <> old.status AND new.status <> 'deleting' OR new.events <> old.events)
		BEGIN SELECT violated('finish', 'run ' || old.id || ' has ended (' || old.status || '), and goes on as ' || new.status); END`,
	`CREATE TRIGGER no_loss BEFORE DELETE ON runs WHEN old.status IN ('running', 'interrupted') OR ` + inDoubt + `
		BEGIN SELECT violated('lost', 'run ' || old.id || ' can continue (' || old.status || '), and is deleted'); END`,
	`CREATE TRIGGER beats BEFORE DELETE ON processes WHEN old.draining = 0 AND max(old.beat, started_micros()) > now_micros() - 10000000 AND writer() <> old.name
		BEGIN SELECT violated('lease', 'process ' || old.name || ' has shown that it lives, or could not, and is taken for dead'); END`,
}

// writeRuns are the statements of the function write_runs, for SQLite.
type writeRuns struct {
	update, insert, held, chunks, taken, spills, lives string
}

var (
	unnestRuns   = regexp.MustCompile(`(?s)unnest\(p_[^)]*\)(?:\s+WITH ORDINALITY)?\s+u \([^)]*\)`)
	unnestChunks = regexp.MustCompile(`(?s)unnest\(c_[^)]*\)\s+u \([^)]*\)`)
	unnestSpills = regexp.MustCompile(`(?s)unnest\(s_[^)]*\)\s+u \([^)]*\)`)
	heldOf       = regexp.MustCompile(`held\[u\.place\]`)
)

// readWriteRuns takes the function apart. Its statements stay as they are, so that they do what the schema says.
func readWriteRuns(text string) (w writeRuns, err error) {
	text = comments.ReplaceAllString(text, "")
	piece := func(name, pattern string) string {
		found := regexp.MustCompile(`(?s)` + pattern).FindStringSubmatch(text)
		if found == nil {
			err = errors.Join(err, fmt.Errorf("write_runs has no part that %s", name))
			return ""
		}
		part := unnestRuns.ReplaceAllString(found[1], "batch u")
		part = unnestSpills.ReplaceAllString(unnestChunks.ReplaceAllString(part, "batch_chunks u"), "batch_spills u")
		part = strings.ReplaceAll(heldOf.ReplaceAllString(part, "(SELECT seq FROM held WHERE place = u.place)"), "p_me", "writer()")
		return strings.Replace(part, "UPDATE runs r ", "UPDATE runs AS r ", 1)
	}
	w.update = piece("updates runs", `(UPDATE runs r.*?);`)
	w.insert = piece("inserts runs", `(INSERT INTO runs .*?);`)
	w.held = piece("says which runs are held", `held := ARRAY\((SELECT.*?)\);`)
	w.chunks = piece("inserts chunks", `(INSERT INTO chunks .*?);`)
	w.taken = piece("compares chunks", `(SELECT u\.place) INTO taken`) + " " + piece("compares chunks", `INTO taken (FROM.*?);`)
	w.spills = piece("inserts spills", `(INSERT INTO spills .*?);`)
	w.lives = piece("looks for the process", `PERFORM (1 FROM processes.*?) FOR KEY SHARE;`)
	w.held = strings.Replace(w.held, "SELECT coalesce(r.seq, 0)", "SELECT u.place, coalesce(r.seq, 0)", 1)
	return w, err
}

// The arguments of write_runs after the process, in its order: of runs, chunks and spills.
var (
	ofRuns   = strings.Fields("seq id tool status file server graph args started ended last events steps nested spills bytes lost durable failure facts sum body sums")
	ofChunks = strings.Fields("place n step body sums")
	ofSpills = strings.Fields("place id body sum")
)

// fill puts arrays into a table, one item of each in a row.
func (s *pgServer) fill(table string, columns, arrays []string, numbered bool) (rows int, err error) {
	if err := s.plain("DELETE FROM " + table); err != nil {
		return 0, err
	}
	items := make([][]string, len(columns))
	for i, a := range arrays {
		items[i] = arrayOf(a)
	}
	rows = len(items[0])
	names, marks := strings.Join(columns, ","), strings.Repeat(",?", len(columns))[1:]
	if numbered {
		names, marks = names+",place", marks+",?"
	}
	for n := range rows {
		var args []any
		for i, name := range columns {
			args = append(args, valueOf(name, items[i][n]))
		}
		if numbered {
			args = append(args, n+1)
		}
		if _, err := s.conn.ExecContext(context.Background(), "INSERT INTO "+table+" ("+names+") VALUES ("+marks+")", args...); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// writeRuns calls the function write_runs, and returns its result.
func (s *pgServer) writeRuns(text string) ([]byte, error) {
	args := literals(strings.TrimPrefix(text, "SELECT write_runs("))
	if want := 1 + len(ofRuns) + len(ofChunks) + len(ofSpills); len(args) != want {
		return nil, fmt.Errorf("write_runs has %d arguments, expected %d", len(args), want)
	}
	s.writer = args[0]
	defer func() { s.writer = "" }()
	ctx := context.Background()
	var n int
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT "+s.runsIn.lives+")").Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, &refusal{code: "TG001", text: "this process was taken for dead"}
	}
	args = args[1:]
	if _, err := s.fill("batch", ofRuns, args[:len(ofRuns)], true); err != nil {
		return nil, err
	}
	args = args[len(ofRuns):]
	chunks, err := s.fill("batch_chunks", ofChunks, args[:len(ofChunks)], false)
	if err != nil {
		return nil, err
	}
	if _, err := s.fill("batch_spills", ofSpills, args[len(ofChunks):], false); err != nil {
		return nil, err
	}
	for _, statement := range []string{s.runsIn.update, s.runsIn.insert, "DELETE FROM held", "INSERT INTO held (place, seq) " + s.runsIn.held} {
		if err := s.plain(statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	done, err := s.conn.ExecContext(ctx, s.runsIn.chunks)
	if err != nil {
		return nil, err
	}
	if written, err := done.RowsAffected(); err != nil || int(written) < chunks {
		var taken int
		if s.conn.QueryRowContext(ctx, s.runsIn.taken).Scan(&taken) == nil {
			return nil, &refusal{code: "TG002", text: "another process has written the event", detail: fmt.Sprint(taken)}
		}
	}
	if err := s.plain(s.runsIn.spills); err != nil {
		return nil, err
	}
	var held string
	err = s.conn.QueryRowContext(ctx, "SELECT '{' || coalesce(group_concat(seq, ','), '') || '}' FROM (SELECT seq FROM held ORDER BY place)").Scan(&held)
	return []byte(held), err
}
