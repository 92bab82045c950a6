package config

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func withEnv(value string) string {
	return head + "mcpServers:\n  s: {command: x, env: {A: '" + value + "'}}\n"
}

func envValue(t testing.TB, value string, env ...string) string {
	t.Helper()
	return mustParse(t, withEnv(value), env...).Servers[0].Env[0].Value.Value
}

func TestS01UnsetVariable(t *testing.T) {
	want(t, withEnv("a ${UNSET} ${ALSO}"),
		`g.yaml:4:31: environment variable UNSET is not set (used by env of server "s"); set it, or write ${UNSET:-default}`,
		"g.yaml:4:40: environment variable ALSO is not set")
	want(t, withEnv("${UNSET:?give it}"), "environment variable UNSET is not set (used by env of server \"s\"): give it")
	if got := envValue(t, "${EMPTY}${UNSET:-de f}${EMPTY:-x}${SET:-y}", "EMPTY", "", "SET", "z"); got != "de fxz" {
		t.Errorf("defaults give %q", got)
	}
}

func TestS02ValuesAreNotReadAgain(t *testing.T) {
	for _, value := range []string{"a: b\n- evil", `"`, "${Y}", "$(id)", "$${X}", "'", "{}", "\x00"} {
		if got := envValue(t, "${X}", "X", value, "Y", "no"); got != value {
			t.Errorf("%q became %q", value, got)
		}
	}
}

func TestS03Forms(t *testing.T) {
	for src, expected := range map[string]string{
		"${X": "found ${ without } in env", "${}": "without the name of a variable", "${1A}": "without the name of a variable", "${X Y}": "an unknown form of ${…}",
		"${env:X}": "write ${X}", "${X:+y}": "an unknown form of ${…}", "${X:}": "an unknown form of ${…}",
	} {
		want(t, withEnv(src), expected)
	}
	for src, expected := range map[string]string{"$X": "$X", "$${X}": "${X}", "$": "$", "$$": "$$", "a$${X}${X}$": "a${X}v$", "$$${X}": "$${X}", "": ""} {
		if got := envValue(t, src, "X", "v"); got != expected {
			t.Errorf("%s gives %q, expected %q", src, got, expected)
		}
	}
}

func TestS04OnlyInServers(t *testing.T) {
	f := mustParse(t, head+`mcpServers: {s: {command: x}}
tools:
  - name: t
    description: ${HOME}
    inputSchema: {type: object, title: "${HOME}"}
    nodes:
      - {id: a, type: transform, transform: {expr: '"${HOME}"'}, next: b}
      - {id: b, type: mcp, server: s, tool: t, args: {x: "${HOME}", y: {expr: '"${HOME}"'}}, next: b}
`, "HOME", "/root")
	tool := f.Tools[0]
	if tool.Description.Value != "${HOME}" || tool.InputSchema.Get("title").Scalar != "${HOME}" || tool.Nodes[0].Expr.Value != `"${HOME}"` || string(tool.Nodes[1].Args.JSON()) != `{"x":"${HOME}","y":{"expr":"\"${HOME}\""}}` {
		t.Errorf("replaced: %+v", tool)
	}
}

func TestS05EveryFormIsRedacted(t *testing.T) {
	const secret = `p"ä/+ &<x>?wörd` + "\n"
	s := NewSecrets(secret, "short", "plain-secret", "plain-secret-longer")
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "json": string(quoted[1 : len(quoted)-1]),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "url base64": base64.URLEncoding.EncodeToString([]byte(secret)),
		"unpadded": base64.RawStdEncoding.EncodeToString([]byte(secret)), "userinfo": url.UserPassword("u", secret).String()[2:],
	} {
		if got := s.Redact("a " + form + " b"); got != "a [redacted] b" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for before := range 5 {
		inside := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", before) + ":plain-secret;after"))
		if got := s.Redact(inside); !strings.Contains(got, redacted) || len(strings.Replace(got, redacted, "", 1)) > len(inside)-len("plain-secret") {
			t.Errorf("%s: %s", inside, got)
		}
	}
	if got := s.Redact("short plain-secret-longer"); got != "short [redacted]" {
		t.Errorf("got %q", got)
	}
	var none *Secrets
	if none.Redact("a") != "a" || (&Secrets{}).Redact("a") != "a" || none.Len() != 0 || s.Len() != 3 {
		t.Error("the empty secrets do something")
	}
}

func TestS07SecretsInURLs(t *testing.T) {
	f := mustParse(t, head+"mcpServers: {s: {type: http, url: 'https://user:${PW}@${HOST}/mcp?api_key=query-secret&page=12345678'}}\n", "PW", "pass-word", "HOST", "example.com")
	if got := f.Secrets.Redact("pass-word query-secret example.com 12345678"); got != "[redacted] [redacted] example.com 12345678" {
		t.Errorf("redacted: %s", got)
	}
}

func TestS08ShortSecrets(t *testing.T) {
	want := func(src string, env []string, parts ...string) {
		t.Helper()
		f := mustParse(t, src, env...)
		wantAll(t, f.Warnings, parts...)
		if f.Secrets.Len() != 0 {
			t.Errorf("%d secrets", f.Secrets.Len())
		}
	}
	want(head+"mcpServers: {s: {command: x, env: {API_KEY: '${K}'}}}\n", []string{"K", "abc"}, "g.yaml:3:45: warning: the value of K is shorter than 6 characters")
	want(head+"mcpServers: {s: {command: x, env: {API_KEY: '${K}'}}}\n", []string{"K", ""}, "the value of K is empty")
	want(head+"mcpServers: {s: {command: x, env: {PASSWORD: abc}}}\n", nil, "PASSWORD is shorter than 6 characters")
	want(head+"mcpServers: {s: {command: x, env: {PORT: '${P}'}}}\n", []string{"P", "80"})
	if s := NewSecrets("", "abc", "12345"); s.Len() != 0 {
		t.Errorf("%d secrets are made of short values", s.Len())
	}
}

func TestWhatIsSecret(t *testing.T) {
	f := mustParse(t, head+`mcpServers:
  s:
    command: x
    args: ["--api-key=literal-key", "--root=/some/directory", "--x=${MY_TOKEN}", "${PLAIN}"]
    env: {GITHUB_TOKEN: literal-token, NAME: literal-name, DATA: "a ${VALUE} b", HOMEDIR: "${NONE:-some-default}"}
  h: {type: http, url: "http://localhost/mcp", headers: {Authorization: Bearer literal-bearer, X-Trace: literal-trace}}
`, "MY_TOKEN", "variable-token", "PLAIN", "plain-value", "VALUE", "variable-value")
	const all = "literal-key /some/directory variable-token plain-value literal-token literal-name variable-value some-default literal-bearer literal-trace"
	const shown = "[redacted] /some/directory [redacted] plain-value [redacted] literal-name [redacted] some-default [redacted] literal-trace"
	if got := f.Secrets.Redact(all); got != shown {
		t.Errorf("got      %s\nexpected %s", got, shown)
	}
}

// What replaces is made once, for all texts, and leaves a text alone that has no secret.
func TestRedactIsPreparedOnce(t *testing.T) {
	var values []string
	for i := range 20 {
		values = append(values, "secret-value-"+strings.Repeat("x", i))
	}
	s := NewSecrets(values...)
	text := strings.Repeat(`{"name": "some text of a result", "value": 12345}, `, 20_000)
	if n := testing.AllocsPerRun(3, func() { s.Redact(text) }); n > 10 {
		t.Errorf("a text without secrets costs %v allocations", n)
	}
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat(`{"name": "some text of a result", "value": 12345}, `, 20_000)
	s := NewSecrets("secret-token-1", "other-password", "ghp_abcdefghijklmnopqrstuvwxyz")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Redact(text)
	}
}

// Secrets that are added are redacted for all who have them, and the file that they come from is as it was.
func TestSecretsGrow(t *testing.T) {
	of := NewSecrets("first-secret")
	all := JoinSecrets(of)
	if got := all.Redact("first-secret second-secret"); got != "[redacted] second-secret" {
		t.Error(got)
	}
	all.Add(NewSecrets("second-secret", "first-secret"))
	all.Add(nil)
	if got := all.Redact("first-secret second-secret"); got != "[redacted] [redacted]" || all.Len() != 2 {
		t.Error(got, all.Len())
	}
	if of.Len() != 1 {
		t.Error("the secrets of a file have grown")
	}
}
