// Package checks makes the checks of toolgraph check, for every door that shows findings: the command,
// the debugger's page, and editors.
//
// In goes the text of a graph file, which need not be saved. Out come all findings, the project as far as
// the text was understood, and what completion can know of it. Calls are checked against the lock beside
// the file and what servers from a registry listed when they were synced. It starts no server and asks
// none. It owns no third-party module.
package checks
