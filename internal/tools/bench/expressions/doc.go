// Expressions measures the expression room against jsonata and json-logic-js on Node,
// expression by expression, in one run and in turns. Out come a Markdown table of
// medians and ratios on standard output and, when asked, the same as JSON. Both sides
// compile once, and must give equal values.
//
//	go -C internal/tools/bench run ./expressions [-rounds 5] [-only REGEX] [-json FILE] [-quick]
//
// Without Node only the times of toolgraph are shown.
package main
