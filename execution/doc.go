// Package execution runs a graph: a Graph and its arguments go in, a Result and
// the events of the run come out.
//
// A run is a list of records, one for each visit to a node. The state that
// expressions see is a fold over that list (state.apply) and nothing else holds
// state, so a run can be rebuilt for any index, resumed from its journal after any
// record, and replayed. live.drive is the one loop: the gate is asked, the next node
// follows from the last record, its limits are checked, it runs, its record is made
// lasting and applied.
//
// The package knows no YAML, no MCP and no other transport: calls leave through
// ToolCaller. It starts no goroutine.
package execution
