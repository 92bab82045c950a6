// Package execution runs a graph: the input is a Graph and its arguments, the output is a
// Result and the events of the run.
//
// A run is a list of records, one for each visit to a node. The state that
// expressions see is a fold over that list (state.apply) and nothing else holds
// state, so a run can be rebuilt for any index, resumed from its journal after any
// record, and replayed. live.drive is the one loop: the gate is asked, the next node
// follows from the last record, its limits are checked, it runs, its record goes to the
// journal and is applied.
//
// The package must not know YAML, MCP or any other transport: calls leave through
// ToolCaller. It starts no goroutine.
package execution
