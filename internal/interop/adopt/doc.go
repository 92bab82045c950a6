// Package adopt puts the servers that an MCP host starts behind one entry of this program, and undoes that. A host's file
// goes in; a graph file with a plan, entries of the user's registry, a lock and the changed host's file come out, and a
// record with which all of it is taken back. Each file is replaced as a whole, the host's file last, so that whatever
// happens in between the host starts what it did before, or the one entry. Secrets stay in the host's file. The package
// starts no server.
package adopt
