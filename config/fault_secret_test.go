package config

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// opaqueText is so many letters of a key, another for each seed.
func opaqueText(seed, size int) string {
	letters := []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	var b strings.Builder
	for x := uint64(seed)*2654435761 + 12345; b.Len() < size; { //nolint:gosec // a small number
		x = x*6364136223846793005 + 1442695040888963407
		b.WriteByte(letters[x>>58])
	}
	return b.String()
}

// wrapped is a text in lines of a width.
func wrapped(text string, width int, lineBreak string) string {
	var lines []string
	for ; len(text) > width; text = text[width:] {
		lines = append(lines, text[:width])
	}
	return strings.Join(append(lines, text), lineBreak)
}

func pemText(seed int) string {
	return "-----BEGIN PRIVATE KEY-----\n" + wrapped(opaqueText(seed, 700), 64, "\n") + "\n-----END PRIVATE KEY-----\n"
}

// pieceOf is a part of 8 bytes and more of secret that a text shows, or "".
func pieceOf(text, secret string) string {
	for i := range max(0, len(secret)-leastLine+1) {
		if piece := secret[i : i+leastLine]; strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

func TestV04LinesOfASecret(t *testing.T) {
	pem := pemText(1)
	lines := strings.Split(strings.TrimSpace(pem), "\n")
	inJSON, err := json.MarshalIndent(map[string]any{"type": "service_account", "project_id": "my-project-1", "private_key": pem, "note": []string{"0123456789 abc"}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	oneLine := strings.ReplaceAll(pem, "\n", `\n`)
	for name, secret := range map[string]string{"pem": pem, "json": string(inJSON), "escaped": oneLine, "crlf": strings.ReplaceAll(pem, "\n", "\r\n")} {
		s := NewSecrets("another-secret", secret)
		texts := append([]string{secret, pem, oneLine, strings.ReplaceAll(pem, "\n", "\r\n"), strings.ReplaceAll(pem, "\n", "\n    ")}, lines...)
		for _, width := range []int{30, 64, 70, 76} {
			body := strings.Join(lines[1:len(lines)-1], "")
			texts = append(texts, wrapped(body, width, "\n"))
			for line := range strings.SplitSeq(wrapped(body, width, "\n"), "\n") {
				texts = append(texts, "line: "+line)
			}
		}
		for _, line := range lines {
			texts = append(texts, fmt.Sprintf("  '%s\\n' +", line), "at "+line+", where")
		}
		for _, text := range texts {
			for nested := range 4 {
				got := s.Redact(text)
				for i, line := range lines {
					if piece := pieceOf(got, line); piece != "" {
						t.Fatalf("%s: %d strings deep, %q shows %q of line %d: %q", name, nested, text, piece, i, got)
					}
				}
				inner, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				text = string(inner)
			}
		}
		if got := s.Redact("short lines such as a { or }"); strings.Contains(got, redacted) {
			t.Errorf("%s: short lines are secrets: %q", name, got)
		}
	}
	s := NewSecrets(string(inJSON))
	if got := s.Redact(`"project_id": "my-project-1", then my-project-1 of https://example.com/service_account`); got != "[redacted] then my-project-1 of https://example.com/service_account" {
		t.Errorf("got %q", got)
	}
	if got := s.Redact("PRIVATE_KEY=x KEY-----x"); strings.Contains(got, redacted) {
		t.Errorf("got %q", got)
	}
}

// percentLower escapes all but letters and digits, and what is to be kept.
func percentLower(text, keep string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

func TestV05FormsOfASecret(t *testing.T) {
	const secret = "p/w+ä:é\"\\ =?<s>€😀/x"
	s := NewSecrets(secret+"\n", "fresh-token\n", " spaced ")
	quoted := `p\/w\u002B\u00E4:\u00e9\"\\ \u003d?\u003cs\u003e\u20ac\uD83D\ude00\/x`
	for name, form := range map[string]string{
		"as it is": secret, "line break": secret + "\n", "line breaks": secret + "\r\n",
		"lower case": percentLower(secret, ""), "slashes kept": percentLower(secret, "/"), "mixed": percentLower(secret, "/:=?"),
		"upper case": strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"), "as a path": url.PathEscape(secret), "query": url.QueryEscape(secret),
		"json": quoted, "of json in a url": percentLower(quoted, ""), "of json in a URL": url.QueryEscape(quoted), "hex": strings.ReplaceAll(secret, "/", `\x2f`),
	} {
		if got := s.Redact("<" + form + ">"); got != "<[redacted]>" && got != "<[redacted]\n>" {
			t.Errorf("%s: %q gives %q", name, form, got)
		}
	}
	overlapping := NewSecrets("abcabd-1", "bcabca-22", "22abcabd", "cabd")
	if got := overlapping.Redact("abcabcabd-1; bcabca-22abcabd; abcabc"); got != "abc[redacted]; [redacted]; abcabc" {
		t.Errorf("got %q", got)
	}
	if got := s.Redact("fresh-token, spaced, fresh-tokens"); got != "[redacted], [redacted], [redacted]s" {
		t.Errorf("got %q", got)
	}
}

func TestV05WrappedBase64(t *testing.T) {
	for _, size := range []int{6, 7, 11, 12, 40, 47, 48, 49, 57, 200, 500} {
		secret := opaqueText(size, size)
		s := NewSecrets(secret)
		for _, before := range []string{"", "u:", "user:", "user1:"} {
			for _, after := range []string{"", "\n", "; and"} {
				for name, encoding := range map[string]*base64.Encoding{"standard": base64.StdEncoding, "url": base64.RawURLEncoding} {
					whole := encoding.EncodeToString([]byte(before + secret + after))
					for _, width := range []int{64, 76} {
						for _, lineBreak := range []string{"\n", "\r\n", `\n`, "\n  "} {
							got := s.Redact("data " + wrapped(whole, width, lineBreak) + " end")
							plain := base64.RawStdEncoding.EncodeToString([]byte(before + secret + after))
							from, to := (len(before)*8+5)/6, (len(before)+len(secret))*8/6
							if own := strings.NewReplacer("-", "+", "_", "/").Replace(got); pieceOf(own, plain[from:to]) != "" && (to-from) >= leastLetter {
								t.Fatalf("%s: %d bytes after %q, wrapped at %d by %q: %q", name, size, before, width, lineBreak, got)
							}
						}
						for line := range strings.SplitSeq(wrapped(whole, width, "\n"), "\n") {
							if got := s.Redact(line); before == "" && after == "" && len(line) >= leastLetter && got != redacted {
								t.Fatalf("%s: a line of %d bytes wrapped at %d: %q gives %q", name, size, width, line, got)
							}
						}
					}
				}
			}
		}
	}
	s := NewSecrets("/home/alice/projects/2024/Toolgraph/data/files", "postgres://app:Pa55word@db.example.com:5432/application_database")
	const others = "cannot read /home/alice/projects/2024/Toolgraph; db.example.com:5432/application refused; cmVkYWN0ZWQ="
	if got := s.Redact(others); got != others {
		t.Errorf("parts of secrets that are no keys are secrets: %q", got)
	}
}

// A text that was truncated before it came here ends with an ellipsis.
func TestV05TruncatedSecrets(t *testing.T) {
	key, long := opaqueText(9, 48), "the-quick-brown-fox-and-others"
	s := NewSecrets(key, long)
	for cut := leastSecret; cut < len(long); cut++ {
		if got := s.Redact("as " + long[:cut] + "…"); got != "as [redacted]…" {
			t.Errorf("cut after %d: %q", cut, got)
		}
	}
	inBase64 := base64.StdEncoding.EncodeToString([]byte("user:" + key))
	for cut := 17; cut < len(inBase64); cut++ {
		if got := s.Redact(inBase64[:cut] + "…"); len(got) > 8+len(redacted)+len("…") {
			t.Errorf("base64 cut after %d: %q", cut, got)
		}
	}
	if got := s.Redact("the-quick-brown"); got != "the-quick-brown" {
		t.Errorf("the beginning of a secret alone became %q", got)
	}
}

// The work that it takes to redact depends on the length of the text alone.
func TestV05RedactionIsLinear(t *testing.T) {
	steps := func(f *secretFinder, text string) int {
		_, n := f.find(text)
		return n
	}
	var many []string
	for i := range 100 {
		many = append(many, opaqueText(i, 60), pemText(i), fmt.Sprintf("p/w %d \"x\" é", i))
	}
	repeated := strings.Repeat("a", 5000)
	all, alone := newSecretFinder(append(many, repeated+"b")), newSecretFinder([]string{repeated + "b"})
	hostile := map[string]string{
		"plain":     strings.Repeat(`{"name": "some text of a result"}, `, 3000),
		"almost":    strings.Repeat(repeated[:4000]+"c", 25),
		"escapes":   strings.Repeat(`\\\\\\\"\\u00`, 8000),
		"percents":  strings.Repeat("%", 100_000),
		"surrogate": strings.Repeat(`\\\\ud83d\\\\u`, 8000),
		"found":     strings.Repeat(many[0]+"\n", 2000),
		"base64":    strings.Repeat(opaqueText(0, 60)[:15]+"-", 6000),
		"breaks":    strings.Repeat("a\n \n", 25_000),
	}
	for name, text := range hostile {
		one, two := steps(all, text), steps(all, text+text)
		if two > 2*one+2*len(repeated) {
			t.Errorf("%s: %d bytes take %d steps, twice as many take %d", name, len(text), one, two)
		}
		if most := 2 * 2 * (mostLevels + 1) * len(text); one > most {
			t.Errorf("%s: %d bytes take %d steps, expected at most %d", name, len(text), one, most)
		}
		if few := steps(alone, text); one > 3*few {
			t.Errorf("%s: one secret takes %d steps, 301 secrets take %d", name, few, one)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("a secret \\u0073ecret-value %73ecret-value", "secret-value\nline two of it")
	f.Add(`\\\\ud83d\\\\ude00 %%%5cu00`, "😀😀")
	f.Fuzz(func(t *testing.T, text, secret string) {
		s := NewSecrets(secret)
		got := s.Redact(text + secret + text)
		if lines := secretLines(secret); isSecret(secret) && len(lines) == 1 && len(lines[0]) >= leastSecret &&
			strings.Contains(strings.ReplaceAll(got, redacted, ""), lines[0]) && !strings.Contains(text+text, lines[0][:1]) {
			t.Errorf("%q in %q gives %q", secret, text, got)
		}
		if s.Len() == 0 && got != text+secret+text {
			t.Errorf("no secret changes %q to %q", text, got)
		}
	})
}
