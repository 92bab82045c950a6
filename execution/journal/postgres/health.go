package postgres

import "toolgraph/execution/journal"

// Connections returns those of the pool, through which also database/sql gets its own.
func (d *database) Connections() *journal.Connections {
	d.mu.Lock()
	conns := d.conns
	d.mu.Unlock()
	if conns == nil {
		return nil
	}
	of := conns.Stat()
	return &journal.Connections{
		InUse: int(of.AcquiredConns()), Idle: int(of.IdleConns()), Most: int(of.MaxConns()),
		Waits: of.EmptyAcquireCount(), Waited: of.EmptyAcquireWaitTime(),
	}
}
