// Package keys finds keys and tokens in texts by the forms in which services issue them.
package keys

import (
	"bytes"

	"toolgraph/internal/base/wording"
)

var (
	// Issued are the forms in which services issue keys.
	Issued = wording.Pattern(`\b(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[a-z]|npm|hf|ntn|secret|lin_api|lin_oauth|shpat|dckr_pat|figd|pat|tvly|fc|dop_v1|sbp|phx|r8|gsk)[-_][A-Za-z0-9_.-]{12,}|AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{12,}|ya29\.[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,})`)
	// opaque is the random part of an issued key, plainlyIssued are keys with a form of their own.
	opaque        = wording.Pattern(`[A-Za-z0-9]{16,}`)
	plainlyIssued = wording.Pattern(`^(AKIA|AIza|ya29\.|eyJ)`)
	// privateKey is a key in PEM form, with its line breaks as they are or written as \n.
	privateKey = wording.Pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s|\\n|[A-Za-z-]+: [^\n]*\n)+[A-Za-z0-9+/=]{32,}`)
)

// Find returns the first part of a text of any kind that has the form of a well-known key or
// token, or of a private key, as offsets in bytes; from is -1 without one. Words that
// only look random, such as hashes, are none.
func Find(text []byte) (from, to int) {
	block := privateKey().FindIndex(text)
	if block != nil {
		text = text[:block[0]]
	}
	for start := 0; ; {
		at := Issued().FindIndex(text[start:])
		if at == nil {
			break
		}
		key := text[start+at[0] : start+at[1]]
		if isGenerated(key) {
			return start + at[0], start + at[1]
		}
		start += at[1]
	}
	if block == nil {
		return -1, -1
	}
	return block[0], block[1]
}

// isGenerated reports whether a text with the form of an issued key is one: it has a long part, and a
// digit or many letters. Names such as npm_config_registry and samples such as ghp_xxxx are none.
func isGenerated(key []byte) bool {
	if plainlyIssued().Match(key) {
		return true
	}
	different := map[byte]bool{}
	for _, letter := range opaque().Find(key) {
		different[letter] = true
	}
	return len(different) >= 10 || len(different) > 2 && bytes.ContainsAny(key, "0123456789")
}
