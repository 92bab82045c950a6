package config

import (
	"encoding/json"
	"strings"
	"sync"
)

// leastSecret is how long a secret must be to be redacted, in bytes: a shorter one would
// take too much else with it.
const leastSecret = 6

const redacted = "[redacted]"

// Secrets are the values that must never be shown. The zero value and nil have none.
// Safe for concurrent use.
type Secrets struct {
	values []string
	once   sync.Once // makes finder, at the first use
	finder *secretFinder
}

// NewSecrets is the secrets with these values; values shorter than 6 bytes are left
// out, white space around them not counted.
func NewSecrets(values ...string) *Secrets { return newSecrets(values) }

func newSecrets(values []string) *Secrets {
	s := &Secrets{}
	seen := map[string]bool{}
	for _, v := range values {
		if isSecret(v) && !seen[v] {
			seen[v] = true
			s.values = append(s.values, v)
		}
	}
	return s
}

// isSecret reports whether a value is long enough to be redacted.
func isSecret(v string) bool { return len(strings.TrimSpace(v)) >= leastSecret }

// Redact returns text with every secret replaced by [redacted]: as it is, each of its
// lines of 8 bytes and more, and as it stands in a URL, in JSON and in base64, wrapped or
// not. Its beginning counts too where an ellipsis (…) shows that a text was truncated.
func (s *Secrets) Redact(text string) string {
	if s.Len() == 0 || len(text) < leastSecret {
		return text
	}
	s.once.Do(func() { s.finder = newSecretFinder(s.values) })
	found, _ := s.finder.find(text)
	if len(found) == 0 {
		return text
	}
	var out strings.Builder
	end := 0
	for _, f := range found {
		out.WriteString(text[end:f.from])
		out.WriteString(redacted)
		end = f.to
	}
	out.WriteString(text[end:])
	return out.String()
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
