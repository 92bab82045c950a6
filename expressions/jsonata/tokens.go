package jsonata

import "strings"

// TokenKind is what a piece of a source is for an editor.
type TokenKind string

// The kinds of tokens.
const (
	NameToken     TokenKind = "name"
	VariableToken TokenKind = "variable" // with its $; $ and $$ themselves, too
	CallToken     TokenKind = "call"     // a variable that is called
	StringToken   TokenKind = "string"
	NumberToken   TokenKind = "number"
	PatternToken  TokenKind = "pattern"
	WordToken     TokenKind = "word" // true, false, null, and, or, in, function
	OperatorToken TokenKind = "operator"
	CommentToken  TokenKind = "comment"
)

// Token is a piece of a source: its bytes from From up to To.
type Token struct {
	Kind     TokenKind
	From, To int
}

// Tokens returns the tokens of a source in order, with its comments. A source that is no expression has
// them up to the first piece that is no token.
func Tokens(source string) []Token {
	if len(source) > maxSource {
		return nil
	}
	read, _ := scan(source) // what is wrong is reported elsewhere
	var tokens []Token
	at := 0
	for i := range read {
		t := &read[i]
		tokens = append(tokens, comments(source, at, t.start)...)
		at = t.end
		kind := map[tokenKind]TokenKind{
			tokenName: NameToken, tokenVariable: VariableToken, tokenString: StringToken, tokenNumber: NumberToken,
			tokenWord: WordToken, tokenRegex: PatternToken, tokenOperator: OperatorToken,
		}[t.kind]
		calls := i+1 < len(read) && read[i+1].is("(")
		switch {
		case kind == VariableToken && calls && len(t.value) > 1:
			kind = CallToken
		case isFunctionWord(t) && calls, kind == OperatorToken && strings.ContainsAny(t.text[:1], "aoi"):
			kind = WordToken
		}
		tokens = append(tokens, Token{kind, t.start, t.end})
	}
	return append(tokens, comments(source, at, len(source))...)
}

// comments returns the comments between two tokens; one that is not closed ends with the source.
func comments(source string, from, to int) (found []Token) {
	for {
		begin := strings.Index(source[from:to], "/*")
		if begin < 0 {
			return found
		}
		begin += from
		end := strings.Index(source[begin+2:to], "*/")
		if end < 0 {
			return append(found, Token{CommentToken, begin, len(source)})
		}
		from = begin + 2 + end + 2
		found = append(found, Token{CommentToken, begin, from})
	}
}
