package value

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Skip and Quoted find the ends and the errors that a scanner finds which looks at one byte after the other.
func TestScannerIsByteByByte(t *testing.T) {
	g := &documents{r: rand.New(rand.NewPCG(5, 6))}
	for range 200 {
		doc := []byte(g.document())
		checkScanner(t, doc)
		at := g.r.IntN(len(doc))
		checkScanner(t, doc[at:])
		doc[at] = "\"\\{}[],:0x\x00\xff e-"[g.r.IntN(15)]
		checkScanner(t, doc)
	}
	for _, doc := range []string{``, `"`, `"\`, `"a\"`, `"\\\"`, `"12345678"`, `"1234567\"`, `{]`, `[\"]"]`, `{"a":"b\\","c":[{}}}`, "\"\x00\x01\"", `}`, `,`, ` 1`, `12,`, `[1 2`, `"日本語のテキスト`} {
		checkScanner(t, []byte(doc))
	}
}

func FuzzScanner(f *testing.F) {
	for _, doc := range []string{`{"a":[1,"\"",{}]}`, `"\\"`, "\"\xff\x00", `"123456789\u00e9"`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(checkScanner)
}

func checkScanner(t *testing.T, doc []byte) {
	t.Helper()
	s, slow := Scanner{src: doc}, Scanner{src: doc}
	raw, err := s.Skip()
	wantRaw, wantErr := slow.skipByBytes()
	if !bytes.Equal(raw, wantRaw) || fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && s.pos != slow.pos {
		t.Fatalf("%q: skipped %q, %v, want %q, %v", doc, raw, err, wantRaw, wantErr)
	}
	if taken, ok := (Scanner{src: doc}), len(doc) > 0 && (doc[0] == '{' || doc[0] == '['); ok {
		v, err := taken.Take()
		if err != nil && taken.pos != 0 || err == nil && taken.pos != s.pos {
			t.Fatalf("%q: taken to %d, %v, want %d", doc, taken.pos, err, s.pos)
		}
		if err == nil {
			sameTree(t, v, decodeText(t, string(raw)))
		} else if _, wantErr := Decode(raw); raw != nil && wantErr == nil {
			t.Fatalf("%q: %v", doc, err)
		}
	}
	if len(doc) == 0 || doc[0] != '"' {
		return
	}
	s, slow = Scanner{src: doc}, Scanner{src: doc}
	raw, plain, err := s.Quoted()
	wantRaw, wantPlain, wantErr := slow.quotedByBytes()
	if !bytes.Equal(raw, wantRaw) || plain != wantPlain || fmt.Sprint(err) != fmt.Sprint(wantErr) || s.pos != slow.pos {
		t.Fatalf("%q: %q, %v, %v at %d, want %q, %v, %v at %d", doc, raw, plain, err, s.pos, wantRaw, wantPlain, wantErr, slow.pos)
	}
}

// quotedByBytes is Quoted, simpler.
func (s *Scanner) quotedByBytes() (raw []byte, plain bool, err error) {
	s.pos++
	start, escaped := s.pos, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			raw = s.src[start:s.pos]
			s.pos++
			return raw, !escaped && utf8.Valid(raw), nil
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, false, err
			}
		case c < ' ':
			return nil, false, s.failure(fmt.Sprintf(`found control character 0x%02x in a string, expected its escape (\u%04x)`, c, c))
		default:
			s.pos++
		}
	}
	return nil, false, s.found("a closing quote")
}

// skipByBytes is Skip, simpler.
func (s *Scanner) skipByBytes() (raw []byte, err error) {
	start, depth := s.pos, 0
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			if err := s.skipStringByBytes(); err != nil {
				return nil, err
			}
		case c == '{' || c == '[':
			depth++
			s.pos++
			continue
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return nil, s.found("a value")
			}
			s.pos++
		case strings.IndexByte(" \n\t\r,:", c) >= 0:
			if depth == 0 {
				return nil, s.found("a value")
			}
			s.pos++
			continue
		default:
			for s.pos < len(s.src) && strings.IndexByte(" \n\t\r,:{}[]\"", s.src[s.pos]) < 0 {
				s.pos++
			}
		}
		if depth == 0 {
			return s.src[start:s.pos], nil
		}
	}
	return nil, s.found("the end of a value")
}

func (s *Scanner) skipStringByBytes() error {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return nil
		}
	}
	s.pos = len(s.src)
	return s.found("the end of a string")
}
