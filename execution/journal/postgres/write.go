package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"toolgraph/execution/journal"
)

// Write writes a batch: one statement, whatever its size. That commits without waiting for the disk, so
// that its locks are short; see Sync.
func (d *database) Write(ctx context.Context, batch []*journal.Pending) error {
	ctx, cancel := context.WithTimeout(ctx, statementMost)
	defer cancel()
	conns, _, err := d.open(ctx, true)
	if err != nil {
		return err
	}
	for range len(batch) + 3 { // each turn loses a run, or this process has a new name
		me, err := d.Process(ctx)
		if err != nil {
			return err
		}
		err = d.write(ctx, conns, me.Name, batch)
		if errors.Is(err, errUnordered) {
			continue
		}
		switch codeOf(err) {
		case takenForDead:
			d.lost(me.Name)
		case takenRun:
			if !lose(batch, err) {
				return err
			}
		default:
			return err
		}
	}
	return errGone
}

// lose marks the run that another process has written to, which an error of write_runs names.
func lose(batch []*journal.Pending, err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return false
	}
	place, err := strconv.Atoi(refused.Detail)
	for _, u := range batch {
		if u.Taken {
			continue
		}
		if place--; place == 0 {
			u.Taken = true
			return err == nil
		}
	}
	return false
}

// write calls write_runs for the runs that are not taken.
func (d *database) write(ctx context.Context, conns *pgxpool.Pool, me string, batch []*journal.Pending) error {
	var a arrays
	for _, u := range batch {
		if !u.Taken {
			a.add(u)
		}
	}
	if len(a.ids) == 0 {
		return nil
	}
	var held []int64
	switch err := conns.QueryRow(ctx, writeRuns+` WHERE NOT EXISTS (`+outOfOrder+`)`, append(a.args(me), a.begun, a.firsts, a.lasts)...).Scan(&held); {
	case errors.Is(err, pgx.ErrNoRows):
		return d.loseUnordered(ctx, conns, me, batch, a)
	case err != nil:
		return err
	}
	if len(held) != len(a.ids) {
		return errors.New("write_runs has another number of runs")
	}
	for _, u := range batch {
		if u.Taken {
			continue
		}
		if held[0] == 0 {
			u.Taken = true
		} else {
			u.Seq = held[0]
		}
		held = held[1:]
	}
	return nil
}

// outOfOrder selects the runs of this process of which the server does not have what was written before: a crash of the server
// loses what it had not written to its disk, and a run with a hole cannot be read. The batch is there when only its
// acknowledgement was lost.
const outOfOrder = `SELECT u.seq FROM unnest($34::bigint[], $35::bigint[], $36::bigint[]) u (seq, first, last) JOIN runs r ON r.seq = u.seq
	WHERE r.owner = $1 AND r.status = 'running' AND r.events <> u.first AND r.events <> u.last`

// errUnordered makes Write try again, without the runs that were lost.
var errUnordered = errors.New("the server of the runs has lost what it had acknowledged")

// loseUnordered marks the runs that are out of order as taken: they go on from what the server has of them.
func (d *database) loseUnordered(ctx context.Context, conns *pgxpool.Pool, me string, batch []*journal.Pending, a arrays) error {
	query := strings.NewReplacer("$34", "$2", "$35", "$3", "$36", "$4").Replace(outOfOrder)
	rows, err := conns.Query(ctx, query, me, a.begun, a.firsts, a.lasts)
	if err != nil {
		return err
	}
	lost, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, u := range batch {
		if u.Seq != 0 && slices.Contains(lost, u.Seq) {
			u.Taken = true
			d.log.Warn("the server of the runs has lost what it had acknowledged of a run, as in a crash; the run goes on from what is there", "run", u.ID)
		}
	}
	return errUnordered
}

const writeRuns = `SELECT write_runs($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,$32,$33)`

// arrays are the arguments of write_runs.
type arrays struct {
	seqs                                                             []int64
	ids, tools, statuses, files, servers, graphs, args_              []string
	started, ended, last, events, steps, nested, spills, bytes, lost []int64
	durable                                                          []bool
	failures, facts                                                  []string
	sums                                                             []int64
	bodies, bodySums                                                 [][]byte
	chunkOf, chunkFirst, chunkBefore                                 []int64
	chunkBodies, chunkSums                                           [][]byte
	spillOf, spillIDs, spillSums                                     []int64
	spillBodies                                                      [][]byte

	begun, firsts, lasts []int64 // of runs that have a row: its seq, the first event of the batch, and the number after its last one
}

func (a *arrays) add(u *journal.Pending) {
	r := u.Row
	tidy(&r)
	a.seqs = append(a.seqs, r.Seq)
	a.ids, a.tools, a.statuses = append(a.ids, r.ID), append(a.tools, r.Tool), append(a.statuses, string(r.Status))
	a.files, a.servers, a.graphs, a.args_ = append(a.files, r.File), append(a.servers, r.Server), append(a.graphs, r.Graph), append(a.args_, r.Args)
	a.started, a.ended, a.last = append(a.started, r.Started), append(a.ended, r.Ended), append(a.last, r.Last)
	a.events, a.steps, a.nested = append(a.events, int64(r.Events)), append(a.steps, int64(r.Steps)), append(a.nested, int64(r.Nested))
	a.spills, a.bytes, a.lost = append(a.spills, int64(r.Spilled)), append(a.bytes, r.Bytes), append(a.lost, int64(r.Lost))
	a.durable, a.failures, a.facts, a.sums = append(a.durable, r.Durable), append(a.failures, r.Failure), append(a.facts, r.Facts), append(a.sums, r.Sum)
	a.bodies, a.bodySums = append(a.bodies, u.Body.Body), append(a.bodySums, u.Body.Sums)
	of := int64(len(a.ids))
	if u.Seq != 0 && len(u.Chunks) > 0 {
		a.begun, a.firsts, a.lasts = append(a.begun, u.Seq), append(a.firsts, int64(u.Chunks[0].First)), append(a.lasts, int64(r.Events))
	}
	for _, c := range u.Chunks {
		a.chunkOf, a.chunkFirst, a.chunkBefore = append(a.chunkOf, of), append(a.chunkFirst, int64(c.First)), append(a.chunkBefore, int64(c.Before))
		a.chunkBodies, a.chunkSums = append(a.chunkBodies, c.Body), append(a.chunkSums, c.Sums)
	}
	for _, s := range u.Spills {
		a.spillOf, a.spillIDs = append(a.spillOf, of), append(a.spillIDs, int64(s.ID))
		a.spillBodies, a.spillSums = append(a.spillBodies, s.Body), append(a.spillSums, s.Sum)
	}
}

func (a *arrays) args(me string) []any {
	return []any{
		me, a.seqs, a.ids, a.tools, a.statuses, a.files, a.servers, a.graphs, a.args_,
		a.started, a.ended, a.last, a.events, a.steps, a.nested, a.spills, a.bytes, a.lost, a.durable, a.failures, a.facts, a.sums, a.bodies, a.bodySums,
		a.chunkOf, a.chunkFirst, a.chunkBefore, a.chunkBodies, a.chunkSums, a.spillOf, a.spillIDs, a.spillBodies, a.spillSums,
	}
}

// tidy replaces what Postgres refuses.
func tidy(r *journal.Row) {
	changed := false
	for _, text := range []*string{&r.ID, &r.Tool, &r.File, &r.Server, &r.Graph, &r.Args, &r.Failure, &r.Facts} {
		if cleaned := clean(*text); cleaned != *text {
			*text, changed = cleaned, true
		}
	}
	if changed {
		r.Sum = r.Checksum()
	}
}
