package tests

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// keyLines are the lines of a key, without those of PEM around them.
func keyLines() []string {
	letters := []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	var lines []string
	x := uint64(7)
	for range 12 {
		var line []byte
		for range 64 {
			x = x*6364136223846793005 + 1442695040888963407
			line = append(line, letters[x>>58])
		}
		lines = append(lines, string(line))
	}
	return lines
}

// keyPiece is a part of 8 bytes and more of a key, or of its base64, that a text shows.
func keyPiece(text []byte, lines []string, pem string) string {
	forms := lines
	for before := range 3 {
		forms = append(forms[:len(forms):len(forms)], base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + pem))[4:])
	}
	pieces := map[string]bool{}
	for _, form := range forms {
		for i := range len(form) - 7 {
			pieces[form[i:i+8]] = true
		}
	}
	for i := range max(0, len(text)-7) {
		if pieces[string(text[i:i+8])] {
			return string(text[i : i+8])
		}
	}
	return ""
}

const keyGraph = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: "$FAKE", args: ["--key=${E2E_KEY}"], env: {TOKEN: "${E2E_KEY}"}}}
tools:
`

// secretFolder is a folder with a graph whose server has a key as its secret, and a state
// directory, in which every command is run.
type secretFolder struct {
	t          testing.TB
	dir, state string
	env        []string
}

func newSecretFolder(t testing.TB, key string) secretFolder {
	t.Helper()
	dir := t.TempDir()
	f := secretFolder{t: t, dir: dir, state: filepath.Join(dir, "state")}
	f.env = append(os.Environ(), "E2E_KEY="+key, "TOOLGRAPH_STATE="+f.state)
	tools := strings.SplitN(each("", "text", "fail", "failstructured", "rpcerror", "stderr", "die", "garbage", "env", "argv"), "tools:\n", 2)[1]
	writeAll(f.t.(*testing.T), dir, map[string]string{
		"graph.yaml":      strings.ReplaceAll(keyGraph, "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver")) + tools,
		"graph.test.yaml": "graph: graph.yaml\ntests:\n- {name: the environment, tool: env, expect: {contains: TOKEN}}\n- {name: the arguments, tool: argv, expect: {contains: key}}\n",
	})
	return f
}

// run runs a command, and is what it wrote.
func (f secretFolder) run(in string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), testbin.Build(f.t, "toolgraph"), args...)
	cmd.Env, cmd.Dir, cmd.Stdin = f.env, f.dir, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if len(out) == 0 {
		f.t.Errorf("toolgraph %q wrote nothing: %v", args, err)
	}
	return string(out)
}

// A key of several lines gets nowhere: not its lines one by one, nor wrapped in another
// way, nor in base64 in lines of 64 and 76 letters. The files that are left are searched
// byte by byte, the store of the runs among them.
func TestV04V05KeysOfSeveralLines(t *testing.T) {
	t.Parallel()
	lines := keyLines()
	pem := "-----BEGIN PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END PRIVATE KEY-----\n"
	f := newSecretFolder(t, pem)
	look := func(name string, text []byte) {
		t.Helper()
		if piece := keyPiece(text, lines, pem); piece != "" {
			t.Errorf("%s shows %q", name, piece)
		}
	}
	body := strings.Join(lines, "")
	inBase64 := base64.StdEncoding.EncodeToString([]byte("user:" + pem))
	said := map[string]string{
		"as it is": pem, "wrapped at 76": folded(body, 76), "wrapped at 40": folded(body, 40), "indented": strings.ReplaceAll(pem, "\n", "\n    "),
		"base64 at 64": folded(inBase64, 64), "base64 at 76": folded(inBase64, 76), "one line": strings.ReplaceAll(pem, "\n", `\n`),
		"on the edge of 4 KiB":  strings.Repeat("x", 4090) + body + "\n" + pem,
		"on the edge of 8 KiB":  strings.Repeat("x", 8180) + body + "\n" + pem,
		"on the edge of 16 KiB": strings.Repeat("x", 16375) + body + "\n" + pem,
		"many":                  strings.Repeat(body+" ", 30),
	}
	s := startCommand(t, []string{"E2E_KEY=" + pem, "TOOLGRAPH_STATE=" + f.state}, "-g", filepath.Join(f.dir, "graph.yaml"), "--log-level", "debug")
	s.handshake()
	for name, text := range said {
		for _, tool := range []string{"text", "fail", "failstructured", "rpcerror", "stderr", "garbage", "die"} {
			_, answer := s.sendCall(tool, fmt.Sprintf(`{"code":3,"message":%[1]s,"text":%[1]s}`, quoted(text)))
			raw := s.await(answer).Result
			look(name+", said by "+tool+",", raw)
			if tool == "fail" && name != "as it is" && !bytes.Contains(raw, []byte("redacted")) && !strings.HasPrefix(name, "on the") {
				t.Errorf("%s, said by %s, gave %s", name, tool, raw)
			}
		}
	}
	if code := s.end(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	look("the log", []byte(s.stderr.String()))

	args := `{"code":3,"message":` + quoted(pem) + `,"text":` + quoted(pem) + `}`
	for _, tool := range []string{"text", "fail", "die", "env", "argv"} {
		look("run --trace "+tool, []byte(f.run("", "run", "graph.yaml", tool, "--trace", "--log-level", "debug", "--args", args)))
		look("runs show "+tool, []byte(f.run("", "runs", "show", "last")))
		look("runs export "+tool, []byte(f.run("", "runs", "export", "last")))
		look("replay "+tool, []byte(f.run("", "replay", "last")))
		look("debug "+tool, []byte(f.run("step\nprint $.entry\nlist\ncontinue\n", "debug", "graph.yaml", tool, "--args", args)))
	}
	for _, command := range []string{"test --record -v", "test -v", "lock graph.yaml", "doctor -g graph.yaml", "check --live graph.yaml", "runs list", "run graph.yaml env --dry-run"} {
		look(command, []byte(f.run("", strings.Fields(command)...)))
	}
	found := strings.Join(filesBelow(t, f.dir, look), " ")
	for _, name := range []string{"graph.yaml", "graph.cassette.json", "graph.lock.yaml", "history.db"} {
		if !strings.Contains(found, name) {
			t.Errorf("%s is not among the files that were searched: %s", name, found)
		}
	}
}

// folded is a text in lines of a width.
func folded(text string, width int) string {
	var b strings.Builder
	for ; len(text) > width; text = text[width:] {
		b.WriteString(text[:width] + "\n")
	}
	return b.String() + text
}

// filesBelow looks at each file below a directory and names them.
func filesBelow(t testing.TB, dir string, look func(string, []byte)) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		found = append(found, entry.Name())
		look(path, raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
