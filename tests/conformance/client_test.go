package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// The suite runs a command as the client under test: this test binary, which then does what a user
// of the program would do with a server: log in, list its tools, and call each of them.

// clientProgram names the environment variable with the path of toolgraph for the client.
const clientProgram = "TOOLGRAPH_CONFORMANCE_CLIENT"

// client is a user with a graph file that has one server, called suite.
type client struct {
	program, dir string
	url          string
	oauth        map[string]any // nil: the server needs no login
	machine      bool           // the program logs in by itself
	secret       string         // of the client, or its key
}

// runClient is the client's main; url is the server of the scenario.
func runClient(program, url string) error {
	dir, err := os.MkdirTemp("", "conformance-client")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &client{program: program, dir: dir, url: url}
	var known struct { // what the suite gives the client of some scenarios
		ClientID  string     `json:"client_id"`
		Secret    string     `json:"client_secret"`
		Key       string     `json:"private_key_pem"`
		ToolCalls []toolCall `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &known); err != nil {
			return err
		}
	}
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		c.oauth = map[string]any{}
		if known.ClientID != "" {
			c.oauth["clientId"] = known.ClientID
		}
		c.machine = strings.Contains(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "/client-credentials-")
		if c.machine {
			c.oauth["grant"] = "client_credentials"
		}
		for name, value := range map[string]string{"clientSecret": known.Secret, "privateKey": known.Key} {
			if value != "" && (c.machine || name == "clientSecret") {
				c.oauth[name] = "${SUITE_SECRET}"
				c.secret = value
			}
		}
	}
	if err := c.writeGraph(); err != nil {
		return err
	}
	if c.oauth != nil && !c.machine {
		if err := c.login(); err != nil {
			return err
		}
	}
	calls := known.ToolCalls
	if calls == nil {
		if calls, err = c.calls(); err != nil {
			return err
		}
	}
	var failures []error
	for _, call := range calls {
		failures = append(failures, c.call(call))
	}
	return errors.Join(failures...)
}

func (c *client) writeGraph() error {
	// The authorization servers of the suite have other ports of this machine.
	server := map[string]any{"url": c.url, "allow": []string{"elicitation"}, "allowPrivate": true}
	if os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION") == "2026-07-28" { // auto would begin with initialize, which most scenarios answer
		server["protocol"] = "modern"
	}
	if c.oauth != nil {
		server["oauth"] = c.oauth
	}
	raw, err := json.Marshal(map[string]any{
		"version": "1.0", "server": map[string]string{"name": "client", "version": "1.0.0"},
		"mcpServers": map[string]any{"suite": server},
		"tools": []any{map[string]any{"name": "none", "description": "Not called.", "nodes": []any{
			map[string]string{"id": "entry", "type": "entry", "next": "exit"}, map[string]string{"id": "exit", "type": "exit"},
		}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, "graph.yaml"), raw, 0o600)
}

// command is toolgraph with the files of this user only.
func (c *client) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.program, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "XDG_CONFIG_HOME="+c.dir, "XDG_CACHE_HOME="+c.dir, "XDG_STATE_HOME="+c.dir, "SUITE_SECRET="+c.secret)
	return cmd
}

var authorizeAddress = regexp.MustCompile(`https?://\S+`)

// login logs in; the browser is an HTTP client, because the authorization server of the suite asks no questions.
func (c *client) login() error {
	cmd := c.command("login", "suite", "-g", "graph.yaml", "--wait", "10s")
	said := &testbin.Said{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for opened := false; ; {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("login: %w: %s", err, said)
			}
			return nil
		case <-time.After(10 * time.Millisecond):
		}
		if address := authorizeAddress.FindString(said.String()); address != "" && !opened && strings.Contains(said.String(), address+"\n") {
			opened = true
			if resp, err := http.Get(address); err == nil {
				_ = resp.Body.Close()
			}
		}
	}
}

// toolCall is a call that the client makes.
type toolCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// calls are calls of all tools that the server lists, with arguments for their required properties.
func (c *client) calls() ([]toolCall, error) {
	out, err := c.output(c.command, "mcp", "tools", "suite", "--live", "--json")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Servers []struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Servers) != 1 {
		return nil, fmt.Errorf("mcp tools printed %s", out)
	}
	schemas := map[string]json.RawMessage{}
	var calls []toolCall
	for _, t := range answer.Servers[0].Tools {
		schemas[t.Name] = t.InputSchema
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(t.InputSchema, &schema); err != nil {
			return nil, err
		}
		args := map[string]any{}
		for _, name := range schema.Required {
			args[name] = map[string]any{
				"number": 5, "integer": 5, "boolean": true, "object": map[string]any{}, "array": []any{}, "null": nil,
			}[schema.Properties[name].Type]
			if schema.Properties[name].Type == "string" {
				args[name] = "text"
			}
		}
		if name, shown := "json_schema_2020_12_tool", schemas["json_schema_2020_12_tool"]; t.Name == "json_schema_echo" {
			if shown == nil {
				return nil, fmt.Errorf("%s is not listed before %s", name, t.Name)
			}
			args["schema"] = shown
		}
		calls = append(calls, toolCall{Name: t.Name, Arguments: args})
	}
	return calls, nil
}

// call makes a call. An argument that is null is left out: the program checks arguments by the
// inputSchema, and no schema of the suite allows null.
func (c *client) call(call toolCall) error {
	maps.DeleteFunc(call.Arguments, func(_ string, v any) bool { return v == nil })
	args, err := json.Marshal(call.Arguments)
	if err != nil {
		return err
	}
	_, err = c.output(c.onTerminal, "mcp", "call", "suite."+call.Name, "--args", string(args))
	return err
}

// requiredScopes are those that a server wants for a call.
var requiredScopes = regexp.MustCompile(`requires the scopes ([^;]*);`)

// output runs a command, once more after another login when it says that one is needed, with the
// scopes that it names. It returns standard output.
func (c *client) output(command func(...string) *exec.Cmd, args ...string) ([]byte, error) {
	args = append(args, "-g", "graph.yaml")
	out, err := outputOf(command(args...))
	if err == nil || c.oauth == nil || !strings.Contains(err.Error(), "toolgraph login") {
		return out, err
	}
	if named := requiredScopes.FindStringSubmatch(err.Error()); named != nil {
		c.oauth["scopes"] = append([]string{"mcp:basic"}, strings.Fields(named[1])...)
		if err := c.writeGraph(); err != nil {
			return nil, err
		}
	}
	if err := c.login(); err != nil {
		return nil, err
	}
	return outputOf(command(args...))
}

// onTerminal is a command in a terminal whose user presses return for every field of a form, and
// sends it.
func (c *client) onTerminal(args ...string) *exec.Cmd {
	cmd := c.command(args...)
	if script, err := exec.LookPath("script"); err == nil && c.oauth == nil {
		quoted := "'" + strings.ReplaceAll(cmd.Path, "'", `'\''`) + "'"
		for _, arg := range args {
			quoted += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		dir, env := cmd.Dir, slices.Concat(cmd.Env, []string{"TERM=dumb"})
		cmd = exec.Command(script, "-qec", quoted, os.DevNull)
		cmd.Dir, cmd.Env = dir, env
		cmd.Stdin = strings.NewReader(strings.Repeat("\n", 5) + strings.Repeat("yes\n", 3))
	}
	return cmd
}

func outputOf(cmd *exec.Cmd) ([]byte, error) {
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w: %s%s", cmd.Args[1:], err, &out, &failed)
	}
	return out.Bytes(), nil
}

// The client scenarios, with the requirements of each revision.
func TestClient(t *testing.T) {
	newer := modules(t, newerSuite, nodePackage)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(clientProgram, testbin.Build(t, "toolgraph"))
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			suite(t, newer, "client, "+revision, "expected-client-"+revision+".yaml", "client", "--command", self, "--requirements", revision)
		})
	}
}
