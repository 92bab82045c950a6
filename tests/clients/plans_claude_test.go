package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// claudeEvent is a line that Claude Code prints: of these, a question to the program that drives it, or the end.
type claudeEvent struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
		Message string `json:"message"`
	} `json:"request"`
	MCPServers []struct{ Name, Status string } `json:"mcp_servers"`
}

// driveClaude runs a session of Claude Code with this model and these flags. With an answer, it is driven by a program, which
// gives that answer to each question; without, it has its prompt as an argument. It returns the questions, and all that it printed.
func driveClaude(t *testing.T, modules string, m *model, answer string, flags ...string) (questions []string, printed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	home := t.TempDir()
	line := append([]string{
		filepath.Join(modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs"), "--print", "--verbose", "--output-format", "stream-json",
		"--strict-mcp-config", "--tools", "", "--allowedTools", "mcp__jobs__run_plan,mcp__jobs__search_tools",
	}, flags...)
	if answer == "" {
		line = append(line, "--", "do the jobs")
	} else {
		line = append(line, "--input-format", "stream-json")
	}
	cmd := exec.CommandContext(ctx, "node", line...)
	cmd.Dir = home
	cmd.Env = []string{ // nothing of a login on this machine
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=scripted",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	send := func(message map[string]any) {
		if err := json.NewEncoder(in).Encode(message); err != nil {
			t.Error(err)
		}
	}
	if answer == "" {
		_ = in.Close()
	} else {
		send(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": "do the jobs"}})
	}
	for lines := json.NewDecoder(io.TeeReader(out, &stdout)); ; {
		var e claudeEvent
		if err := lines.Decode(&e); err != nil {
			break // the end
		}
		switch {
		case e.Type == "control_request" && e.Request.Subtype == "elicitation":
			questions = append(questions, e.Request.Message)
			send(map[string]any{"type": "control_response", "response": map[string]any{
				"subtype": "success", "request_id": e.RequestID, "response": map[string]any{"action": answer, "content": map[string]any{}},
			}})
		case e.Type == "result":
			_ = in.Close()
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s%s", err, &stderr, &stdout)
	}
	return questions, stdout.String()
}

// agree is a hook of Claude Code's settings that answers questions in place of the user.
const agree = `{"hooks": {"Elicitation": [{"hooks": [{"type": "command",
	"command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"Elicitation\", \"action\": \"accept\", \"content\": {}}}'"}]}]}}`

// Claude Code's model searches and runs plans, sees results and mistakes, and nothing of what passes between the steps. The question
// goes to the program that drives it, or to a hook of its settings; without both Claude Code closes it, though it says that it can ask.
func TestPlansThroughClaudeCode(t *testing.T) {
	hooked, closed := outcomes["accept"], outcomes["decline"]
	for i := range hooked {
		hooked[i].asked, closed[i].asked = nil, nil
		closed[i].text = []string{"the user closed the question", "nothing was changed before"}
	}
	for name, c := range map[string]struct {
		answer string
		flags  []string
		want   [2]outcome
	}{
		"accept":  {"accept", nil, outcomes["accept"]},
		"decline": {"decline", nil, outcomes["decline"]},
		"alone":   {"", nil, closed},
		"hook":    {"", []string{"--settings", agree}, hooked},
	} {
		t.Run(name, func(t *testing.T) {
			modules := modules(t, claudePackage)
			p := newPlanning(t)
			script := planCalls()
			for i := range script {
				script[i].Tool = "mcp__jobs__" + script[i].Tool
			}
			m := newModel(t, script)
			servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
				"jobs": map[string]any{"command": p.binary, "args": []string{"-g", p.graph, "--no-history"}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			questions, printed := driveClaude(t, modules, m, c.answer, append([]string{"--mcp-config", string(servers)}, c.flags...)...)
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, tool := range []string{"mcp__jobs__run_plan", "mcp__jobs__search_tools"} {
				if !slices.Contains(m.tools, tool) {
					t.Errorf("the model has the tools %q", m.tools)
				}
			}
			if !strings.Contains(m.heard, `\"return\": \"user.name\"}]`) {
				t.Error("the model has not got the end of the manual of run_plan")
			}
			p.check(t, c.want, m.given, questions)
			if strings.Contains(m.heard, intermediate) || strings.Contains(printed, intermediate) {
				t.Errorf("what passes between the steps is in the context of the model, or printed: %s", printed)
			}
		})
	}
}
