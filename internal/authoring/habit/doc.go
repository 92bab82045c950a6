// Package habit makes tools of calls that an agent made. Calls with their answers go in, one job or several of the same
// shape; a tool in steps comes out that makes the same calls: repetitions are folded into each, values are traced to the
// answers that they came from, also to a part of a text, and what cannot be known is left as a TODO. Each draft is run on
// the recorded answers before it is returned. The package reads no files and calls no servers.
//
// Calls are folded into a shape (fold.go), which all jobs have to match (shape.go). For each argument an expression is
// looked for that gives the value in every job (trace.go, and text.go for parts of texts), for each repetition the list
// that it goes through (list.go). draft.go writes the steps, verify.go runs them.
//
// Find looks for jobs that are done again and again: links between answers and later arguments make chains (link.go),
// chains of one shape are a habit (find.go).
package habit
