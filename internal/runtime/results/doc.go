// Package results holds the results of runs that are too large for the client that called: it
// describes them in a summary, and answers the tool read_result, which reads parts of them.
//
// Input: the value of a run, then the arguments of read_result. Output: the content that the
// client gets. The whole value stays with the run in the history; in memory where that is not
// possible. Secrets are redacted before a value is held, so that nothing that is computed from it
// contains them.
//
// It must not know how runs are made, nor who may call.
package results
