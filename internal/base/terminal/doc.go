// Package terminal decides how text looks on a stream, and reads lines that a user edits: a
// stream and the environment go in, a Screen comes out, which knows the colours and the width.
// A Live is a stream below whose text a block is drawn again and again.
//
// A stream that is no terminal, and a terminal with TERM=dumb, gets the text as it is: nothing is
// painted, shortened or redrawn there. Colours also obey NO_COLOR (no-color.org) and
// CLICOLOR_FORCE. Colour is never the only sign of a meaning: the words are there without it.
//
// Text must be printable (wording.Printable) before it comes here: a character that a terminal
// acts on has no width, and the package removes none. It owns x/term, liner and go-runewidth.
package terminal
