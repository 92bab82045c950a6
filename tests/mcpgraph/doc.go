// Package mcpgraph runs random graph files in mcpGraph and in toolgraph, both as MCP servers over stdio,
// and compares the answers of their tools. Where the answers differ, the graph is asked again with the
// forms that a rule of docs/coming-from.md is about written in another way, which means the same in both
// programs (testdata/grammar.txt). Then both give the first answer of toolgraph, or the test fails.
//
// The test runs only where Node is and TOOLGRAPH_CLIENTS is 1 (make mcpgraph). MCPGRAPH_SEED and
// MCPGRAPH_COUNT choose other graphs, and MCPGRAPH_DIR is a build of mcpGraph's source that is run instead of
// npm's version: npm ci, npm update jsonata (its lock file has an older one), npm run build.
package mcpgraph
