// Bench measures the program against the npm package mcpgraph, a bare mcp-go echo server, a server on the standard
// library alone, a client of mcp-go without a server between, and, when asked, a toolgraph of before: all in one run
// and in turns, so that a disturbance of the machine touches each of them. Out come a Markdown table of medians and ratios on standard
// output and, when asked, the same as JSON. Every answer is checked.
//
//	go -C internal/tools/bench run . [-rounds 3] [-only REGEX] [-binary PATH] [-before PATH] [-json FILE] [-quick]
//
// It knows the programs only by their standard streams and /proc, and uses nothing
// but the standard library, except in straight.go. The servers that it starts are its subfolders echo and
// upstream.
package main
