package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

// The packed extension in VS Code, with and without trust in the folder. TOOLGRAPH_CODE_SERVER names the command of
// code-server, which needs a Node of its own version and minutes to install. With SHOTS, screenshots are put there.
func TestVSCode(t *testing.T) {
	codeServer := os.Getenv("TOOLGRAPH_CODE_SERVER")
	if codeServer == "" {
		t.Skip("needs code-server (npm's package, with Node 24); name its command with TOOLGRAPH_CODE_SERVER")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip(err)
	}
	modules, err := npm.Install(t.Context(), "playwright-core@1.65.1")
	if err != nil {
		t.Fatal(err)
	}
	archive := newExtension(t).pack()
	for name, trusted := range map[string]bool{"trusted": true, "restricted": false} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TOOLGRAPH_STATE", t.TempDir())
			project, binary := t.TempDir(), testbin.Build(t, "toolgraph")
			for name, text := range map[string]string{"notes.yaml": notes, "notes.test.yaml": notesTest, "other.yaml": "expr: $.a\n"} {
				if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			address := startCodeServer(t, codeServer, archive, map[string]any{
				"toolgraph.path": binary, "security.workspace.trust.enabled": !trusted, "security.workspace.trust.startupPrompt": "never",
				"security.workspace.trust.banner": "never", "workbench.startupEditor": "none", "workbench.editor.enablePreview": false,
				"chat.disableAIFeatures": true, "toolgraph.env": map[string]string{"PATH": filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH")},
			}, project)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "node", "--test-reporter=spec", "testdata/vscode.test.mjs")
			cmd.Env = append(withProgram(t), "ADDRESS="+address, "PROJECT="+project, "CHROMIUM="+chromium, "BINARY="+binary,
				"MODULES="+filepath.Join(modules, "node_modules"), fmt.Sprintf("TRUSTED=%d", map[bool]int{true: 1}[trusted]))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// startCodeServer installs the extension and serves the project on a free port of this machine.
func startCodeServer(t *testing.T, command, archive string, settings map[string]any, project string) string {
	t.Helper()
	data, home := t.TempDir(), t.TempDir()
	src, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []string{"User", "Machine"} { // paths are settings of the machine that the server is on
		if err := os.MkdirAll(filepath.Join(data, scope), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, scope, "settings.json"), src, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	var said bytes.Buffer
	server := func(args ...string) *exec.Cmd {
		cmd := exec.Command(command, append([]string{"--user-data-dir", data, "--extensions-dir", filepath.Join(data, "extensions")}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		cmd.Stdout, cmd.Stderr = &said, &said
		return cmd
	}
	if err := server("--install-extension", archive).Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	cmd := server("--auth", "none", "--bind-addr", at, "--disable-telemetry", "--disable-update-check", project)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if t.Failed() {
			t.Logf("code-server printed: %s", said.String())
		}
	})
	for deadline := time.Now().Add(noEnd); ; time.Sleep(50 * time.Millisecond) {
		if resp, err := http.Get("http://" + at + "/healthz"); err == nil {
			resp.Body.Close()
			return "http://" + at
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
