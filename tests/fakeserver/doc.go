// Fakeserver is an upstream MCP server over stdio for the tests of every room: it
// offers tools whose answers are known and misbehaves on demand. It knows nothing of
// the project and imports only the standard library, so that what it does on the
// wire is what is written here.
//
// Modes are given as arguments, in any order:
//
//	noinit         never answers initialize or server/discover
//	slowinit=DUR   answers them after DUR
//	crashatstart   writes to stderr and exits with status 7 before reading anything
//	exitoninit     exits with status 8 when initialize arrives
//	nodiscover     does not answer methods that it does not know
//	modern         speaks only 2026-07-28: no initialize, _meta wanted everywhere
//	both           speaks both eras
//	deaf           answers the handshake, then never reads its input again
//	ignoreterm     ignores SIGTERM and the end of its input
//	diary=PATH     appends a line to PATH when something happens: see diary.go
//	gate=PATH      calls of hold wait until the file PATH exists
//	banner         prints lines that are no JSON before anything else
//	countfile=PATH appends one line with its process id to PATH at each start
//	emptylist      lists no tools
//	rugpull=PATH   lists tools as the file PATH has them by name, while there is one:
//	               {"echo": {…}, "inc": null}; null is not there any more
//	answers=PATH   has other tools than these, with fixed results: see answers.go
//	offers=PATH    has prompts and resources: see prompts.go
//	tasks=DIR      has a tool that answers with a task: see tasks.go
//	notify         notifies changes of tasks
//
// Any other argument is kept and shown by the tool argv. Tools: see tools.go.
package main
