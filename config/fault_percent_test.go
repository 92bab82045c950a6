package config

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var escape = regexp.MustCompile(`%[0-9A-F]{2}`)

// lowered returns a text whose escapes of URLs have lower-case digits.
func lowered(text string) string { return escape.ReplaceAllStringFunc(text, strings.ToLower) }

// X09: a secret is found however it is escaped for a URL: with upper-case or lower-case digits, more
// than once, in JSON, with and without the line break at its end, also when it is itself written so.
func TestX09PercentEncodedSecrets(t *testing.T) {
	forms := map[string]func(string) string{
		"plain": func(s string) string { return s }, "query": url.QueryEscape, "path": url.PathEscape,
		"all": func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				b.WriteString("%" + string("0123456789ABCDEF"[s[i]>>4]) + string("0123456789ABCDEF"[s[i]&15]))
			}
			return b.String()
		},
	}
	check := func(secret, form, text string) {
		t.Helper()
		inJSON, _ := json.Marshal(map[string]string{"t": text})
		twice, _ := json.Marshal(string(inJSON))
		for _, shown := range []string{"a=" + text + "&b", string(inJSON), string(twice)} {
			got := NewSecrets(secret).Redact(shown)
			if !strings.Contains(got, redacted) || len(got) > len(shown)-len(text)+len(redacted)+12 { // line breaks at the end may stay
				t.Errorf("%s: the secret %q is shown: %q gives %q", form, secret, shown, got)
			}
		}
	}
	secrets := []string{"hunter2-hunter2", "pa/ss+wo:rd=é1", "two/lines\nsecond:line", "p%ss/w%2Frd%41", "100%25ad/x", "a b\tc&d=e", "p%2fss%2Fword%0A"}
	random := rand.New(rand.NewPCG(9, 9))
	letters := []rune("abz09/+%:=&é漢 -_")
	for range 200 {
		secret := "x"
		for range 8 + random.IntN(8) {
			secret += string(letters[random.IntN(len(letters))])
		}
		secrets = append(secrets, secret+"y")
	}
	for _, bare := range secrets {
		for _, secret := range []string{bare, bare + "\n", bare + "\r\n"} {
			for name, form := range forms {
				for _, shown := range []string{secret, bare} {
					check(secret, name, form(shown))
					check(secret, name+", lower", lowered(form(shown)))
					check(secret, name+", twice", lowered(url.QueryEscape(form(shown))))
				}
			}
		}
	}
	for _, secret := range []string{"p%2Fss%2Fword", "p%2fss%2fword%0a", "p%2Fss%2Fword%0A\n"} {
		for _, text := range []string{"p%2Fss%2Fword", "p%2fss%2fword", "p/ss/word", "p%2Fss%2fword"} {
			check(secret, "written with escapes", text)
		}
	}
}
