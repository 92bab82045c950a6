package config

import (
	"slices"
	"strings"
	"unicode"
)

// SecretName reports whether a name, such as apiKey or db_password, has a word that stands for a
// secret. It looks at whole words, where the names of settings may have them anywhere: an author
// and a keyword are no secrets.
func SecretName(name string) bool {
	return slices.ContainsFunc(wordsIn(name), func(word string) bool {
		return slices.Contains(secretWords, strings.TrimSuffix(word, "s"))
	})
}

// secretWords are in the singular, as far as that ends in s.
var secretWords = []string{
	"key", "apikey", "token", "secret", "password", "passwd", "pwd", "passphrase", "passcode", "auth", "authorization",
	"credential", "pin", "otp",
}

// wordsIn returns the words of a name in small letters: those that other characters separate, and
// those that begin with a capital letter.
func wordsIn(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		follows := i > 0 && unicode.IsLower(runes[i-1])
		leads := i+1 < len(runes) && unicode.IsLower(runes[i+1]) // the P of APIPassword
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case unicode.IsUpper(r) && (follows || leads):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
