package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"toolgraph/execution/journal"
)

// A server that crashes, or a standby that takes over, may lose the last moment of what was committed without waiting for the
// disk, see Write. What would follow then does not fit what is there, and the run would be damaged. So this process loses such a run,
// which is interrupted and goes on with what is recorded, in any process. Calls that are not safe to repeat are not made
// twice by that: they are on the disk before they are made.

// meet notes whether the server of a new connection was started after that of the connections before.
func (d *database) meet(ctx context.Context, c *pgx.Conn) error {
	var started int64
	err := c.QueryRow(ctx, `SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`, pgx.QueryExecModeSimpleProtocol).Scan(&started)
	if err != nil {
		return err
	}
	if before := d.server.Swap(started); before != 0 && before != started {
		d.restarted.Store(time.Now().UnixMicro())
	}
	return nil
}

// behind marks the runs of a batch as taken of which the server has lost events: a batch begins with events that are not the next.
// Only runs that began before the server was started are looked up.
func (d *database) behind(ctx context.Context, conn querier, batch []*journal.Pending) error {
	restarted := d.restarted.Load()
	var seqs, firsts []int64
	var ids []string
	for _, u := range batch {
		if !u.Taken && u.Seq != 0 && len(u.Chunks) > 0 && u.Started <= restarted {
			seqs, ids, firsts = append(seqs, u.Seq), append(ids, u.ID), append(firsts, int64(u.Chunks[0].First))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := conn.Query(ctx, `SELECT u.id FROM unnest($1::bigint[], $2::text[], $3::bigint[]) u (seq, id, first)
		JOIN runs r ON r.seq = u.seq AND r.id = u.id WHERE r.events < u.first`, seqs, ids, firsts)
	if err != nil {
		return err
	}
	lost, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range lost {
		for _, u := range batch {
			u.Taken = u.Taken || u.ID == id
		}
	}
	return err
}
