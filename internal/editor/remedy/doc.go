// Package remedy proposes edits that mend the findings of the checks.
//
// In go the text of a file and a finding in it. Out come Fixes: edits with a title, the likely one first. A
// fix is a guess from the finding's remedy in words ("did you mean …", "remove it", "quote it") and from the
// text at its place: the caller must check the edited text, and drop a fix after which the finding is
// still there. The package reads no file and runs no checks.
package remedy
