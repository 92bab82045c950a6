package config

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unsafe"

	"toolgraph/internal/base/wording"
)

// leastSecret is the least length of a secret in bytes: a shorter one would redact too much other
// text.
const leastSecret = 6

const redacted = "[redacted]"

// Secrets are values that must never be shown. The zero value and nil have none. Safe for
// concurrent use.
type Secrets struct {
	adding sync.Mutex
	now    atomic.Pointer[secretValues] // nil: there are none
}

// secretValues are the values at a time.
type secretValues struct {
	all    []string
	finder func() *secretFinder // makes it at the first use
}

// NewSecrets returns Secrets of these values, without values shorter than 6 bytes after trimming
// white space.
func NewSecrets(values ...string) *Secrets { return newSecrets(values) }

// JoinSecrets returns the secrets of several files together.
func JoinSecrets(all ...*Secrets) *Secrets {
	joined := &Secrets{}
	for _, s := range all {
		joined.Add(s)
	}
	return joined
}

func newSecrets(values []string) *Secrets {
	s := &Secrets{}
	s.add(values)
	return s
}

// Add adds the secrets of another file, for all who have s.
func (s *Secrets) Add(other *Secrets) { s.add(other.values()) }

func (s *Secrets) add(values []string) {
	s.adding.Lock()
	defer s.adding.Unlock()
	all := slices.Clone(s.values())
	has := map[string]bool{}
	for _, v := range all {
		has[v] = true
	}
	before := len(all)
	for _, v := range values {
		if isSecret(v) && !has[v] {
			has[v] = true
			all = append(all, v)
		}
	}
	if len(all) > before {
		s.now.Store(&secretValues{all: all, finder: sync.OnceValue(func() *secretFinder { return newSecretFinder(all) })})
	}
}

func (s *Secrets) values() []string {
	if s == nil {
		return nil
	}
	if now := s.now.Load(); now != nil {
		return now.all
	}
	return nil
}

// isSecret reports whether a value is long enough to be redacted.
func isSecret(v string) bool { return len(strings.TrimSpace(v)) >= leastSecret }

// Redact returns text with every secret replaced by [redacted]: verbatim, each of its lines of at
// least 8 bytes, and encoded as in a URL, in JSON and in base64, wrapped or not; also the start
// of a secret before an ellipsis (…), where a text was truncated.
func (s *Secrets) Redact(text string) string {
	out, _ := s.RedactWithin(context.Background(), text)
	return out
}

// RedactWithin is Redact for a text of any length: the work ends with the context, whose Err is the
// error.
func (s *Secrets) RedactWithin(ctx context.Context, text string) (string, error) {
	if s.Len() == 0 || len(text) < leastSecret {
		return text, nil
	}
	found, _, err := s.now.Load().finder().findWithin(ctx, text)
	if len(found) == 0 || err != nil {
		return text, err
	}
	var out strings.Builder
	end := 0
	for _, f := range found {
		out.WriteString(text[end:f.from])
		out.WriteString(redacted)
		end = f.to
	}
	out.WriteString(text[end:])
	return out.String(), nil
}

// RedactJSON is Redact for JSON, which remains valid. When a secret is outside a string, such as a
// number, each scalar that contains one is replaced as a whole, and keys are sorted.
func (s *Secrets) RedactJSON(raw []byte) []byte {
	out, _ := s.RedactJSONWithin(context.Background(), raw)
	return out
}

// RedactJSONWithin is RedactJSON for JSON of any length: the search ends with the context, whose Err is
// the error.
func (s *Secrets) RedactJSONWithin(ctx context.Context, raw []byte) ([]byte, error) {
	if s.Len() == 0 || len(raw) == 0 {
		return raw, nil
	}
	before := unsafe.String(&raw[0], len(raw)) // without a copy: nothing keeps or changes it
	after, err := s.RedactWithin(ctx, before)
	if err != nil || len(after) == len(before) && unsafe.StringData(after) == &raw[0] {
		return raw, err
	}
	return s.stillJSON(before, []byte(after)), nil
}

// stillJSON returns the redacted form of JSON: after, unless that is not JSON any more.
func (s *Secrets) stillJSON(before string, after []byte) []byte {
	if json.Valid(after) {
		return after
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

// Len returns the number of secrets; s may be nil.
func (s *Secrets) Len() int {
	return len(s.values())
}

// Longest returns at most how many bytes of text a secret can take, however it is encoded.
func (s *Secrets) Longest() int {
	longest := 0
	for _, v := range s.values() {
		longest = max(longest, len(v))
	}
	return 6 * longest // in JSON, each byte may be written as \uXXXX
}

const (
	leastLine   = 8  // bytes of a line that is itself a secret
	leastLetter = 8  // letters of base64 that are a secret
	leastRun    = 16 // letters of base64 that are a secret inside a longer word
	leastOpaque = 40 // letters of a key whose parts are secrets, however it is wrapped
)

// secretParts returns the texts that are secret because a value is: the value, the value with its
// escaped line breaks decoded, and the keys and passwords in a JSON document.
func secretParts(v string) []string {
	parts := []string{v}
	if strings.Contains(v, `\n`) {
		parts = append(parts, strings.NewReplacer(`\r`, "", `\n`, "\n").Replace(v))
	}
	if plain := unescaped(v); plain != v && isSecret(plain) {
		parts = append(parts, plain)
	}
	if start := strings.TrimSpace(v); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		var doc any
		if json.Unmarshal([]byte(v), &doc) == nil {
			parts = secretLeaves(parts, doc, false)
		}
	}
	return parts
}

// unescaped returns a text with the escapes of URLs decoded: a secret that is written with them is
// shown without them, or with other digits.
func unescaped(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '%' {
			plain = append(plain, text[i])
			i++
			continue
		}
		r, size := percentLetter(text, i)
		plain = append(plain, byte(r)) //nolint:gosec // one byte, perhaps with rawByte
		i += size
	}
	return string(plain)
}

// secretLeaves adds the strings of a document that have several lines, or a key with a sensitive
// name. Addresses are never secrets.
func secretLeaves(parts []string, v any, sensitive bool) []string {
	switch v := v.(type) {
	case string:
		isAddress := strings.HasPrefix(v, "https://") && !strings.Contains(v, "@")
		if isSecret(v) && !isAddress && (sensitive || strings.Contains(v, "\n")) {
			parts = append(parts, v)
		}
	case []any:
		for _, item := range v {
			parts = secretLeaves(parts, item, sensitive)
		}
	case map[string]any:
		for key, item := range v {
			parts = secretLeaves(parts, item, sensitive || sensitiveName().MatchString(key))
		}
	}
	return parts
}

// secretLines returns the lines of a text that are not empty, trimmed.
func secretLines(text string) []string {
	var lines []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimFunc(line, unicode.IsSpace); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// insideBase64 returns the base64 letters that depend only on a text inside a longer one, for
// each of its three alignments, and those of the text alone.
func insideBase64(text string) []string {
	var forms []string
	for before := range 3 {
		all := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
		from := (before*8 + 5) / 6
		to := (before + len(text)) * 8 / 6
		if to-from >= leastLetter {
			forms = append(forms, all[from:to])
		}
	}
	return append(forms, base64.RawStdEncoding.EncodeToString([]byte(text)))
}

var opaqueWord = wording.Pattern(`[A-Za-z0-9+/]+(?:[-_][A-Za-z0-9+/]+)*`)

// opaqueWords returns the words of a text that look like random keys: long, with digits and
// letters of both cases, and few marks, unlike paths and names.
func opaqueWords(text string) []string {
	var words []string
	for _, word := range opaqueWord().FindAllString(text, -1) {
		marks := strings.Count(word, "/") + strings.Count(word, "-") + strings.Count(word, "_") + strings.Count(word, "+")
		if len(word) >= leastOpaque && marks*12 <= len(word) && strings.ContainsAny(word, "0123456789") &&
			strings.ToLower(word) != word && strings.ToUpper(word) != word {
			words = append(words, word)
		}
	}
	return words
}
