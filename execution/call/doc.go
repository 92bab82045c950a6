// Package call is what the engine and the pool of upstream servers have in common: a Call, plain data, which
// execution makes of an mcp node and mcpclient sends; and the Address of an execution in its run. So a
// *mcpclient.Pool is an execution.ToolCaller, and neither imports the other. Other packages use both as
// execution.Call and execution.Address.
//
// The package must not know graphs, the state of runs, or transports. It owns no third-party module.
package call
