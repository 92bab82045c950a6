// Package habits looks for the habits in two weeks of recorded runs, and for the tools of agents' transcripts. Runs and
// transcripts, with what is in them, were written without a look at how they are found.
package habits
