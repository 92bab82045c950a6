package tests

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// hidden is a secret in which every way of writing it differs.
const hidden = `hunter2 "is"/my\pass+wörd`

const keeping = `, env: {TOKEN: "${E2E_TOKEN}"}`

// forms are the ways in which a secret is written.
func forms() map[string]string {
	return map[string]string{
		"plain":      hidden,
		"base64":     base64.StdEncoding.EncodeToString([]byte(hidden)),
		"URL base64": base64.RawURLEncoding.EncodeToString([]byte(hidden)),
		"basic auth": base64.StdEncoding.EncodeToString([]byte("user:" + hidden)),
		"query":      url.QueryEscape(hidden),
		"path":       url.PathEscape(hidden),
		"lower case": lowerCase.Replace(url.PathEscape(hidden)),
		"slash kept": strings.ReplaceAll(lowerCase.Replace(url.PathEscape(hidden)), "%2f", "/"),
	}
}

// lowerCase writes the escapes of the hidden secret with small letters.
var lowerCase = strings.NewReplacer("%2F", "%2f", "%5C", "%5c", "%C3%B6", "%c3%b6")

// quoted is text as a JSON string.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string and a builder: nothing can fail
	return strings.TrimSuffix(b.String(), "\n")
}

// leaks reports which forms of the secret a text shows, in as many JSON strings
// around each other as there may be.
func leaks(text string) []string {
	var found []string
	for name, form := range forms() {
		if name == "basic auth" {
			form = form[10 : len(form)-4] // its ends are not the secret's alone
		}
		for range 4 {
			if strings.Contains(text, form) {
				found = append(found, name)
				break
			}
			inner := quoted(form)
			form = inner[1 : len(inner)-1]
		}
	}
	return found
}

// Text that looks like a variable is one in a server's entry alone.
func TestS04VariablesStayText(t *testing.T) {
	t.Parallel()
	graph := strings.Replace(callGraph("text", `{text: {expr: $.entry.text}}`, ""), "description: calls text", "description: 'about ${E2E_TOKEN}'", 1)
	graph = strings.Replace(graph, "inputSchema: {type: object}", "inputSchema: {type: object, properties: {text: {type: string, default: '${E2E_TOKEN}'}}}", 1)
	s := start(t, graph, "E2E_TOKEN="+hidden)
	list := string(s.request("tools/list", `{}`).Result)
	if !strings.Contains(list, `"description":"about ${E2E_TOKEN}"`) || !strings.Contains(list, `"default":"${E2E_TOKEN}"`) {
		t.Errorf("the list is %s", list)
	}
	if got := s.call("go", `{"text":"${E2E_TOKEN} $E2E_TOKEN"}`).text(t); got != `"${E2E_TOKEN} $E2E_TOKEN"` {
		t.Errorf("the text came back as %s", got)
	}
}

// A secret that a server gives away gets no further: not in results, errors, the last
// lines of its standard error, or the log at its most talkative.
func TestS05S06SecretsOfAServer(t *testing.T) {
	t.Parallel()
	s := startLogging(t, each(keeping, "text", "fail", "rpcerror", "stderr", "die", "garbage", "env"), "E2E_TOKEN="+hidden)
	tell := func(name, tool, said string) {
		t.Helper()
		_, answer := s.sendCall(tool, fmt.Sprintf(`{"code":3,"message":%[1]s,"text":%[1]s}`, quoted(said)))
		raw := string(s.await(answer).Result)
		if found := leaks(raw); len(found) > 0 {
			t.Errorf("%s, said by %s, shows %q: %s", name, tool, found, raw)
		}
		if tool != "stderr" && tool != "garbage" && !strings.Contains(raw, "login as ") {
			t.Errorf("%s, said by %s, gave %s", name, tool, raw)
		}
	}
	for name, form := range forms() {
		for _, tool := range []string{"text", "fail", "rpcerror", "stderr", "die", "garbage"} {
			tell(name, tool, "login as "+form+" failed")
			tell(name+" in JSON", tool, `{"note":"login as ","token":`+quoted(form)+`}`)
		}
	}
	if raw := string(s.call("env", `{}`).Structured); len(leaks(raw)) > 0 || !strings.Contains(raw, "TOKEN=[redacted]") {
		t.Errorf("the server's environment came as %s", raw)
	}
	if code := s.end(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	log := s.stderr.String()
	if found := leaks(log); len(found) > 0 || !strings.Contains(log, "[redacted]") {
		t.Errorf("the log shows %q:\n%s", found, log)
	}
}

// startLogging serves a graph with everything logged.
func startLogging(t testing.TB, graph string, env ...string) *session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	graph = strings.ReplaceAll(graph, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	if err := os.WriteFile(path, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, env, "-g", path, "--log-level", "debug", "--log-format", "json")
	s.handshake()
	return s
}

// The history of a run, as run --trace shows it, has no secrets, nor has its result.
func TestS05SecretsInATrace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	graph := strings.ReplaceAll(each(keeping, "text", "fail"), "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	if err := os.WriteFile(path, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"text", "fail"} {
		for name, form := range forms() {
			args, err := json.Marshal(map[string]string{"text": form, "message": form})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", path, tool, "--trace", "--args", string(args))
			cmd.Env = append(os.Environ(), "E2E_TOKEN="+hidden)
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); (err != nil) != (tool == "fail") {
				t.Fatalf("%v: %s", err, &out)
			}
			if found := leaks(out.String()); len(found) > 0 || !strings.Contains(out.String(), "[redacted]") {
				t.Errorf("%s, said by %s, shows %q:\n%s", name, tool, found, &out)
			}
		}
	}
}

// A line of the log is one entry, whatever a server says.
func TestS11NobodyForgesTheLog(t *testing.T) {
	t.Parallel()
	s := startLogging(t, each("", "stderr", "die", "garbage"))
	forged := `"x\n{\"level\":\"INFO\",\"msg\":\"forged\"}\r\u001b[31mred\u001b[0m \u202eevil\u202c\u0007\u0000"`
	for _, tool := range []string{"stderr", "garbage", "die"} {
		s.call(tool, `{"message":`+forged+`,"code":1}`)
	}
	s.end()
	log := s.stderr.String()
	if strings.ContainsAny(log, "\x1b\u202e\u202c\x07\r\x00") {
		t.Errorf("the log holds characters that change how it is shown: %q", log)
	}
	for line := range strings.Lines(log) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Msg == "forged" {
			t.Errorf("this is no entry of ours: %q", line)
		}
	}
}

// S10: the tools' own definitions hold no values of variables.
