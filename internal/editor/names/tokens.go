package names

import (
	"bytes"
	"cmp"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
)

// Token is a piece of a file that an editor can colour: a name, or a part of an expression. It is in one
// line.
type Token struct {
	From, To   int               // bytes
	Name       Kind              // of a name; "" for other parts of an expression
	Kind       jsonata.TokenKind // of a part of an expression; "" for a name
	Definition bool
}

// Tokens returns the tokens of a graph file or another file with names, in order; none overlap.
func Tokens(x *Index, path string, src []byte) []Token {
	var tokens []Token
	taken := map[int]bool{} // where names begin
	for _, o := range x.In(path) {
		if !taken[o.From] {
			taken[o.From] = true
			tokens = append(tokens, Token{From: o.From, To: o.To, Name: o.Kind, Definition: o.Definition})
		}
	}
	for _, text := range x.expressions[path] {
		at := text.Offsets()
		if at == nil {
			continue
		}
		for _, t := range jsonata.Tokens(text.Value) {
			from, to := t.From, t.To
			if c := text.Value[from]; (c == '`' || c == '"' || c == '\'') && taken[at[min(from+1, len(at)-1)]] || c == '$' && taken[at[min(from+1, len(at)-1)]] {
				continue // the name in it is coloured
			}
			if !taken[at[from]] {
				tokens = append(tokens, inLines(src, at[from], at[to], t.Kind)...)
			}
		}
	}
	slices.SortFunc(tokens, func(a, b Token) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	end := 0
	return slices.DeleteFunc(tokens, func(t Token) bool {
		if t.From < end {
			return true
		}
		end = t.To
		return false
	})
}

// inLines returns the pieces of a token in each of its lines, without the indentation.
func inLines(src []byte, from, to int, kind jsonata.TokenKind) (tokens []Token) {
	for from < to && to <= len(src) {
		end := to
		if i := bytes.IndexByte(src[from:to], '\n'); i >= 0 {
			end = from + i
		}
		line := src[from:end]
		begin := from + len(line) - len(bytes.TrimLeft(line, " \t"))
		if last := from + len(bytes.TrimRight(line, " \t\r")); begin < last {
			tokens = append(tokens, Token{From: begin, To: last, Kind: kind})
		}
		from = end + 1
	}
	return tokens
}

// note notes an expression for Tokens.
func (r *reader) note(source config.Text) {
	path := source.Pos.File
	if !slices.Contains(r.expressions[path], source) {
		r.expressions[path] = append(r.expressions[path], source)
	}
}
