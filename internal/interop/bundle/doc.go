// Package bundle packs a graph file into an MCP bundle (.mcpb), which a host installs with a
// click: a path goes in; a manifest and files come out, and then the bytes of the archive, or all
// reasons why the graph cannot work on another machine. It also describes a bundle for the MCP
// registry. It starts nothing and writes no file.
package bundle
