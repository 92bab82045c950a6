// Package drift compares what upstream servers answer now with what they answered in recorded runs. In go episodes,
// recorded runs or cases of tests with their answers, the definitions that the servers list, and a caller of the
// servers; out comes a Report: which tool would give something else, at which step and field, and why.
//
// A call that is known only to read is made again; a second time when the first answer differs, and what differs between
// the two present answers does not count. Any other call is never made: the definition of its tool is compared with the
// recorded arguments and answer. Then the episode runs again with the present answers in place of the recorded ones. Only
// a change that reaches its result, its failure or its calls is drift; others are notes.
//
// It must not know the command line or where runs are recorded. It owns no third-party module.
package drift
