// Package audit records what runs do in a file that shows changes made to it: each line has the
// hash of the line before it, and the newest hash is also kept beside the file. Calls and events
// of runs go in; out come lines of JSON with names, digests, codes and times, never values, and
// the verdict of Verify on a file.
//
// A Log is a caller around calls: the line of a call is written before the call is sent, and a
// call that may change something is refused while no line can be written.
package audit
