package config

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// leastSecret is how long a secret must be to be kept out of texts, in bytes: with a
// shorter one too much else would go.
const leastSecret = 6

const redacted = "[redacted]"

// Secrets are the values that must never be shown. The zero value and nil have none.
// Safe for concurrent use.
type Secrets struct {
	values   []string
	once     sync.Once // makes replacer, at the first use
	replacer *strings.Replacer
}

// NewSecrets is the secrets with these values; values shorter than 6 bytes are left
// out.
func NewSecrets(values ...string) *Secrets { return newSecrets(values) }

func newSecrets(values []string) *Secrets {
	s := &Secrets{}
	seen := map[string]bool{}
	for _, v := range values {
		if len(v) >= leastSecret && !seen[v] {
			seen[v] = true
			s.values = append(s.values, v)
		}
	}
	return s
}

func newReplacer(values []string) *strings.Replacer {
	var forms []string
	for _, v := range values {
		forms = append(forms, secretForms(v)...)
	}
	slices.SortFunc(forms, func(a, b string) int { // the longest first, so that no rest stays
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, redacted)
	}
	return strings.NewReplacer(pairs...)
}

// Redact returns text with every secret replaced by [redacted]: as it is, and as it
// stands in a URL, in base64 and in JSON. A secret that is cut in two is not found.
func (s *Secrets) Redact(text string) string {
	if s == nil || len(s.values) == 0 || len(text) < leastSecret {
		return text
	}
	s.once.Do(func() { s.replacer = newReplacer(s.values) })
	return s.replacer.Replace(text)
}

// RedactJSON is Redact for JSON, which stays JSON. A secret that stands outside a
// string, such as a number, would leave a broken text behind: then each scalar that
// holds one is replaced as a whole, and the order of keys is lost.
func (s *Secrets) RedactJSON(raw []byte) []byte {
	if s.Len() == 0 {
		return raw
	}
	before := string(raw)
	after := s.Redact(before)
	if after == before {
		return raw
	}
	if json.Valid([]byte(after)) {
		return []byte(after)
	}
	decoder := json.NewDecoder(strings.NewReader(before))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil {
		if parts, err := json.Marshal(s.redactParts(value)); err == nil {
			return parts
		}
	}
	return []byte(`"` + redacted + `"`)
}

func (s *Secrets) redactParts(v any) any {
	switch v := v.(type) {
	case string:
		return s.Redact(v)
	case json.Number:
		if text := v.String(); s.Redact(text) != text {
			return redacted
		}
	case []any:
		for i, item := range v {
			v[i] = s.redactParts(item)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[s.Redact(key)] = s.redactParts(item)
		}
		return out
	}
	return v
}

// Len is how many secrets there are.
func (s *Secrets) Len() int {
	if s == nil {
		return 0
	}
	return len(s.values)
}

// secretForms are the ways in which a secret is written.
func secretForms(v string) []string {
	forms := []string{v, url.QueryEscape(v), url.PathEscape(v), url.UserPassword("", v).String()[1:]}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(v)))
		forms = append(forms, insideBase64(v, encoding.WithPadding(base64.NoPadding))...)
	}
	forms = append(forms, insideJSON(v)...)
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < leastSecret })
}

// insideBase64 are the letters that a secret gives inside a longer text in base64,
// which depend on where it begins: the ones that are the secret's alone.
func insideBase64(v string, encoding *base64.Encoding) []string {
	const least = 8
	var forms []string
	for before := range 3 {
		text := encoding.EncodeToString([]byte(strings.Repeat("x", before) + v))
		from := (before*8 + 5) / 6
		to := (before + len(v)) * 8 / 6
		if to-from >= least {
			forms = append(forms, text[from:to])
		}
	}
	return append(forms, encoding.EncodeToString([]byte(v)))
}

// insideJSON are the ways in which JSON libraries write a secret in a string: some
// escape <>&, some slashes, some all that is not ASCII. Each comes a second time as it
// stands in a string that is itself in JSON, as a text with a request's body in a result.
func insideJSON(v string) []string {
	var forms []string
	for _, escapeHTML := range []bool{true, false} {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(v) != nil {
			continue
		}
		once := strings.Trim(b.String(), "\n")
		once = once[1 : len(once)-1]
		for _, f := range []string{once, strings.ReplaceAll(once, "/", `\/`)} {
			for _, f := range []string{f, inASCII(f, `\u%04x`), inASCII(f, `\u%04X`)} {
				forms = append(forms, f, escapeQuotes.Replace(f))
			}
		}
	}
	return forms
}

var escapeQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// inASCII escapes what is not ASCII, in the format of one UTF-16 unit.
func inASCII(text, format string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, format, unit)
		}
	}
	return b.String()
}
