package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// opaqueSecret is so many letters of a key.
func opaqueSecret(size int) string {
	letters := []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	var b strings.Builder
	for x := uint64(size); b.Len() < size; {
		x = x*6364136223846793005 + 1442695040888963407
		b.WriteByte(letters[x>>58])
	}
	return b.String()
}

// proseSecret is a secret of ordinary words: parts of it are not recognised as those of a
// key are.
func proseSecret(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "word%d-of ", i*7919)
	}
	return strings.TrimSpace(b.String())
}

// shownPiece is a part of 4 bytes and more of a secret that a text shows, or "".
func shownPiece(text, secret string) string {
	for i := range max(0, len(secret)-3) {
		if strings.Contains(text, secret[i:i+4]) {
			return secret[i : i+6]
		}
	}
	return ""
}

func messageArgs(t testing.TB, message string) string {
	t.Helper()
	args, err := json.Marshal(map[string]any{"code": 3, "message": message, "text": message})
	if err != nil {
		t.Fatal(err)
	}
	return string(args)
}

// Lines of a secret, however they are printed, get into no error and no log.
func TestV04LinesOfASecretFromAServer(t *testing.T) {
	key := opaqueSecret(600)
	pem := "-----BEGIN PRIVATE KEY-----\n"
	for i := 0; i < len(key); i += 60 {
		pem += key[i:i+60] + "\n"
	}
	pem += "-----END PRIVATE KEY-----\n"
	var log bytes.Buffer
	var mu sync.Mutex
	logger := slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := pool(t, fake(t), WithLogger(logger), WithSecrets(config.NewSecrets(pem)))
	coloured := strings.ReplaceAll(pem, key[100:110], "\x1b[31m"+key[100:110]+"\x1b[0m")
	for _, said := range []string{pem, strings.ReplaceAll(pem, "\n", "\r\n    "), key, key[:40] + "\n" + key[40:], coloured} {
		for tool, code := range map[string]string{"fail": CodeToolError, "rpcerror": CodeRPCError, "die": CodeServerExited} {
			if said == coloured && tool == "fail" {
				continue // the text of a result is passed on with its control characters
			}
			e := mustFail(t, p, tool, messageArgs(t, "login with\n"+said+"failed"), code)
			if piece := shownPiece(e.Error(), key); piece != "" || !strings.Contains(e.Error(), "[redacted]") {
				t.Errorf("%s shows %q: %v", tool, piece, e)
			}
		}
		mustCall(t, p, "stderr", messageArgs(t, said), `"said"`)
		mustCall(t, p, "garbage", messageArgs(t, said), `"right"`)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if piece := shownPiece(log.String(), key); piece != "" || !strings.Contains(log.String(), "[redacted]") {
		t.Errorf("the log shows %q", piece)
	}
}

// A text is redacted before it is truncated, wherever that is.
func TestV05SecretsOnTheEdge(t *testing.T) {
	short, long := opaqueSecret(50), proseSecret(80)
	p := pool(t, fake(t), WithSecrets(config.NewSecrets(short, long)))
	check := func(tool, code, message string) {
		t.Helper()
		e := mustFail(t, p, tool, messageArgs(t, message), code)
		for _, secret := range []string{short, long} {
			if piece := shownPiece(e.Error(), secret); piece != "" {
				t.Errorf("%s shows %q of a message of %d bytes", tool, piece, len(message))
			}
		}
	}
	for tool, code := range map[string]string{"fail": CodeToolError, "rpcerror": CodeRPCError, "die": CodeServerExited} {
		for _, edge := range []int{500, stderrLine, stderrLineRoom, mostFailure, failureRoom} {
			for _, over := range []int{1, 5, 25, 43, 49} {
				check(tool, code, strings.Repeat("x", edge-over)+short+strings.Repeat("y", 100))
			}
		}
		// What is redacted gets shorter, which moves the edge of what was read into sight.
		check(tool, code, strings.Repeat(long+" ", 100))
	}
}

// The same where errors are made of other texts, and in the log.
func TestV05ShownTexts(t *testing.T) {
	secret := opaqueSecret(700)
	note := newNotes("fake", slog.New(slog.DiscardHandler), config.NewSecrets(secret))
	for _, limit := range []int{100, 200, 300, 500, stderrLine} {
		for _, over := range []int{1, 5, 90, 350, 699} {
			for _, edge := range []int{limit, 2 * limit, stderrLineRoom} {
				for _, before := range []string{strings.Repeat("x", max(0, edge-over)), strings.Repeat(secret+" ", edge/701)} {
					text := before + secret + " and so on"
					if got := note.shown(text, limit); shownPiece(got, secret) != "" || len(got) > limit+len("…") {
						t.Errorf("at most %d bytes, the secret after %d: %.80s", limit, len(before), got)
					}
				}
			}
		}
	}
}

// A question of a server to the user is redacted as its answers are.
func TestV04SecretsInAQuestion(t *testing.T) {
	asked := make(chan string, 1)
	ask := func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
		asked <- string(params)
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	s := &session{note: newNotes("fake", slog.New(slog.DiscardHandler), config.NewSecrets("first-line-of-it\nsecond-line-of-it")), elicit: ask}
	params := `{"message":"is second-line-of-it right?","requestedSchema":{}}`
	if _, err := s.question(&watch{ctx: t.Context()}, json.RawMessage(params)); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != `{"message":"is [redacted] right?","requestedSchema":{}}` {
		t.Errorf("the user is asked %s", fmt.Sprint(got))
	}
}
