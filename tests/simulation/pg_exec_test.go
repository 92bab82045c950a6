package simulation

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// Functions of the database that the schema and its invariants call.
func init() {
	sqlite.MustRegisterScalarFunction("now_micros", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return time.Now().UnixMicro(), nil
	})
	sqlite.MustRegisterScalarFunction("writer", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return current.Load().writer, nil
	})
	sqlite.MustRegisterScalarFunction("started_micros", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return current.Load().started.UnixMicro(), nil
	})
	sqlite.MustRegisterScalarFunction("violated", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		current.Load().breaks(kind(fmt.Sprint(args[0])), "%v", args[1])
		return int64(0), nil
	})
}

var (
	changesRuns = regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE|DELETE FROM) runs\b`)
	changesMail = regexp.MustCompile(`INSERT INTO mail\b`)
	signsOff    = regexp.MustCompile(`^WITH gone AS \(DELETE FROM processes WHERE name =\s+'([^']*)'`)
	isChange    = regexp.MustCompile(`^(INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|SELECT write_runs)`)
)

// execute runs a statement and answers it.
func (s *pgServer) execute(st *statement) []byte {
	c := st.from
	text := strings.TrimSpace(st.text)
	if c.owner.earlier {
		text = withoutExpansions(text)
	}
	var out []byte
	var err error
	switch word := strings.ToLower(text); {
	case word == "" || word == "-- ping":
		out = pgMessage(out, 'I', nil)
	case word == "begin" || strings.HasPrefix(word, "begin "):
		c.inTx, c.failed, c.topics = true, false, nil
		s.holder = c
		err = s.plain("BEGIN")
		out = pgMessage(out, 'C', zeroed("BEGIN"))
	case word == "commit" && c.inTx && !c.failed:
		s.persist()
		err = s.plain("COMMIT")
		s.holder, c.inTx = nil, false
		s.announce(c.topics)
		out = pgMessage(out, 'C', zeroed("COMMIT"))
	case word == "commit", word == "rollback":
		if c.inTx {
			err = s.plain("ROLLBACK")
		}
		s.holder, c.inTx, c.failed = nil, false, false
		out = pgMessage(out, 'C', zeroed("ROLLBACK"))
	case strings.HasPrefix(word, "listen"):
		c.listens.Store(true)
		out = pgMessage(out, 'C', zeroed("LISTEN"))
	case strings.HasPrefix(word, "set "):
		out = pgMessage(out, 'C', zeroed("SET"))
	case c.failed:
		err = &refusal{code: "25P02", text: "current transaction is aborted"}
	default:
		out, err = s.run(c, text)
	}
	if err != nil {
		out = s.refused(c, text, err)
	}
	state := byte('I')
	if c.inTx {
		state = 'T'
	}
	return pgMessage(out, 'Z', []byte{state})
}

func (s *pgServer) refused(c *pgConn, text string, err error) []byte {
	var known *refusal
	if !errors.As(err, &known) {
		s.breaks(engineKind, "the statement %.300s has the error %v", text, err)
		known = &refusal{code: "XX000", text: err.Error()}
	}
	c.failed = c.inTx
	return appendRefusal(nil, known)
}

func (s *pgServer) plain(text string) error {
	_, err := s.conn.ExecContext(context.Background(), text)
	return err
}

// run runs a statement, in a transaction of its own unless the connection has one.
func (s *pgServer) run(c *pgConn, text string) ([]byte, error) {
	if c.owner.behind != nil {
		return c.owner.behind.run(s, c, text)
	}
	if c.inTx {
		return s.answer(c, text)
	}
	isAsync := strings.HasPrefix(text, "SELECT write_runs")
	switch {
	case !isChange.MatchString(text):
		return s.answer(c, text)
	case isAsync && s.async == nil && s.mayLose:
		s.async = s.image()
	case !isAsync:
		s.persist()
	}
	if err := s.plain("BEGIN"); err != nil {
		return nil, err
	}
	c.topics = nil
	out, err := s.answer(c, text)
	if err != nil {
		return nil, errors.Join(err, s.plain("ROLLBACK"))
	}
	if err = s.plain("COMMIT"); err == nil {
		s.announce(c.topics)
	}
	return out, err
}

// persist notes that the disk has all that was committed.
func (s *pgServer) persist() { s.async = nil }

// answer runs a statement and returns its rows, or how many rows it has changed.
func (s *pgServer) answer(c *pgConn, text string) ([]byte, error) {
	switch {
	case changesRuns.MatchString(text):
		c.topics = append(c.topics, "runs")
	case changesMail.MatchString(text):
		c.topics = append(c.topics, "mail")
	}
	switch {
	case isMigration(text):
		s.notesExpansion(c, text)
		return pgMessage(nil, 'C', zeroed("CREATE TABLE")), s.migrate(text)
	case strings.HasPrefix(text, "SELECT write_runs("):
		c.topics = append(c.topics, "runs")
		call, condition, _ := strings.Cut(text, ") WHERE ")
		if condition != "" {
			var holds bool
			if err := s.conn.QueryRowContext(context.Background(), "SELECT "+s.portable(condition)[0]).Scan(&holds); err != nil {
				return nil, fmt.Errorf("%s: %w", condition, err)
			}
			if !holds {
				return pgMessage(appendRows(nil, []column{{"write_runs", manyOfInts}}, nil), 'C', zeroed("SELECT 0")), nil
			}
		}
		held, err := s.writeRuns(call)
		if err != nil {
			return nil, err
		}
		return pgMessage(appendRows(nil, []column{{"write_runs", manyOfInts}}, [][][]byte{{held}}), 'C', zeroed("SELECT 1")), nil
	case text == "SELECT pg_backend_pid()":
		return one(fmt.Append(nil, c.pid), intType), nil
	case strings.Contains(text, "FROM pg_tables"):
		return one([]byte(fmt.Sprint(s.has("version"))[:1]), boolType), nil
	case strings.Contains(text, "FROM pg_namespace"):
		return one([]byte("t"), boolType), nil
	case strings.Contains(text, "FROM pg_class WHERE relnamespace") && strings.Contains(text, "pg_attribute"):
		if c.owner.earlier {
			return answerOn(s.conn, knownExpansions)
		}
		return answerOn(s.conn, `SELECT name FROM sqlite_master UNION ALL SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c`)
	case strings.Contains(text, "pg_total_relation_size"):
		return one([]byte("100000"), intType), nil
	case strings.Contains(text, "pg_advisory_xact_lock"):
		return one([]byte(""), textType), nil
	}
	if found := signsOff.FindStringSubmatch(text); found != nil {
		s.writer = found[1]
		defer func() { s.writer = "" }()
	}
	var out []byte
	for _, part := range s.portable(text) {
		var err error
		if out, err = answerOn(s.conn, part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func one(v []byte, kind uint32) []byte {
	return pgMessage(appendRows(nil, []column{{"one", kind}}, [][][]byte{{v}}), 'C', zeroed("SELECT 1"))
}

// hasCall reports whether the events of a run have the name of a node. Nothing is written meanwhile: the caller's goroutine runs.
func (s *pgServer) hasCall(run, node string) bool {
	var n int
	err := s.conn.QueryRowContext(context.Background(), `SELECT count(*) FROM chunks JOIN runs ON seq = run
		WHERE id = ? AND instr(chunks.body, CAST(? AS BLOB)) > 0`, run, node).Scan(&n)
	return err == nil && n > 0
}

// has reports whether there is a table.
func (s *pgServer) has(table string) bool {
	var n int
	err := s.conn.QueryRowContext(context.Background(), `SELECT count(*) FROM sqlite_master WHERE name = ?`, table).Scan(&n)
	return err == nil && n > 0
}

// answerOn runs a statement of SQLite.
func answerOn(conn *sql.Conn, text string) ([]byte, error) {
	ctx := context.Background()
	verb, _, _ := strings.Cut(text, " ")
	if verb != "SELECT" && !strings.Contains(text, "RETURNING") {
		done, err := conn.ExecContext(ctx, text)
		if err != nil {
			return nil, err
		}
		n, err := done.RowsAffected()
		tag := fmt.Sprintf("%s %d", verb, n)
		if verb == "INSERT" {
			tag = fmt.Sprintf("INSERT 0 %d", n)
		}
		return pgMessage(nil, 'C', zeroed(tag)), err
	}
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(types))
	for i, t := range types {
		columns[i] = column{t.Name(), textType}
	}
	var all [][][]byte
	for rows.Next() {
		values, into := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := make([][]byte, len(types))
		for i, v := range values {
			var kind uint32
			if row[i], kind = encoded(v, types[i].DatabaseTypeName(), types[i].Name()); kind != 0 {
				columns[i].kind = kind
			}
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return pgMessage(appendRows(nil, columns, all), 'C', zeroed(fmt.Sprintf("%s %d", verb, len(all)))), nil
}

// run reads from a standby, which refuses changes.
func (b *standby) run(s *pgServer, c *pgConn, text string) ([]byte, error) {
	switch {
	case isChange.MatchString(text):
		return nil, &refusal{code: "25006", text: "cannot execute this in a read-only transaction"}
	case strings.Contains(text, "pg_"):
		return s.answer(&pgConn{owner: c.owner}, text)
	}
	return answerOn(b.conn, s.portable(text)[0])
}
