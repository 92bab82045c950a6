// Package wire compares what clients get, byte for byte, with what an earlier program gave them: handshakes, lists, and calls that
// succeed, fail, ask, report progress and are cancelled, in each revision of the protocol before 2026-07-28, over stdio and HTTP.
// The transcripts in testdata were made by the program of the commit before tasks came, see testdata/make.sh, and are
// never changed. What differs in each run is replaced: ids of runs and sessions, durations, and the names of processes.
package wire
