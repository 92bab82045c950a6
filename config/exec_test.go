package config

import (
	"strings"
	"testing"
	"time"
)

func TestExecServer(t *testing.T) {
	f, err := Parse("/graphs/g.yaml", []byte(head+`mcpServers:
  local:
    type: exec
    env: {MODE: "${MODE}"}
    cwd: tools
    timeoutMs: 2000
    maxInFlight: 2
    tools:
      markitdown: {command: [markitdown], timeoutMs: 30000, effect: read}
      sift: {command: ["${BIN}/sift", semantic, --rate, 0.4, --api-key, "${KEY}", "a;b", --]}
`), Options{LookupEnv: environment("MODE", "fast", "BIN", "/opt", "KEY", "secret-key")})
	if err != nil {
		t.Fatal(err)
	}
	u := f.Servers[0]
	first, second := u.Program("markitdown"), u.Program("sift")
	if u.Transport != Exec || u.Dir != "/graphs/tools" || u.Timeout != 2*time.Second || u.MaxInFlight != 2 || len(u.Env) != 1 || u.Program("none") != nil {
		t.Errorf("server: %+v", u)
	}
	if first.Timeout != 30*time.Second || first.Effect != ReadEffect || !first.TakesOptions() {
		t.Errorf("first: %+v", first)
	}
	if got := strings.Join(texts(second.Command), " "); got != "/opt/sift semantic --rate 0.4 --api-key secret-key a;b --" || second.Timeout != 0 || second.Effect != "" || second.TakesOptions() {
		t.Errorf("second: %s %+v", got, second)
	}
	if as := u.Starting(second); as.Transport != Stdio || as.Command.Value != "/opt/sift" || len(as.Args) != 7 || as.Dir != u.Dir {
		t.Errorf("starting: %+v", as)
	}
	if want := "markitdown: markitdown; sift: ${BIN}/sift semantic --rate 0.4 --api-key ${KEY} 'a;b' --"; u.Identity != want {
		t.Errorf("identity %s, expected %s", u.Identity, want)
	}
	if got := strings.Join(u.Variables, " "); got != "BIN KEY MODE" {
		t.Errorf("variables: %s", got)
	}
	if f.Secrets.Redact("a secret-key") != "a [redacted]" {
		t.Error("the key is not secret")
	}
}

func TestExecServerMistakes(t *testing.T) {
	for src, expected := range map[string]string{
		"{type: exec}":                                              `3:17: server "s" has no tools, expected at least one program; add tools: {NAME: {command: [PROGRAM]}} [missing-field]`,
		"{type: exec, tools: }":                                     `server "s" has no tools`,
		"{type: exec, tools: {}}":                                   `tools of server "s" is empty, expected at least one program`,
		"{type: exec, tools: [a]}":                                  `tools of server "s" is a list, expected a mapping of tool names to programs`,
		"{type: exec, tools: {a: x}}":                               `program "a" of server "s" is text, expected a mapping; its keys are command, timeoutMs, effect`,
		"{type: exec, tools: {a: {}}}":                              `program "a" of server "s" has no command, expected a list that begins with a program`,
		"{type: exec, tools: {a: {command: []}}}":                   `command of program "a" of server "s" names no program`,
		"{type: exec, tools: {a: {command: ['']}}}":                 `command of program "a" of server "s" names no program`,
		"{type: exec, tools: {a: {command: 'x -y'}}}":               `command of program "a" of server "s" is text, expected a list of words; write command: [PROGRAM, ARGUMENT]`,
		"{type: exec, tools: {a: {command: [x, [y]]}}}":             `word 2 of command of program "a" of server "s" is a list, expected text`,
		"{type: exec, tools: {a: {command: ['${NONE}']}}}":          `environment variable NONE is not set (used by command of program "a" of server "s")`,
		"{type: exec, tools: {a: {command: [x], efect: read}}}":     `unknown field "efect" of program "a" of server "s"; did you mean "effect"?`,
		"{type: exec, tools: {a: {command: [x], effect: red}}}":     `effect of program "a" of server "s" is "red", expected read, write or destroy`,
		"{type: exec, tools: {a: {command: [x], timeoutMs: 0}}}":    `timeoutMs of program "a" of server "s" is 0, expected at least 1`,
		"{type: exec, tools: {'a b': {command: [x]}}}":              `program name "a b" of server "s" has a length or characters that the names of tools may not have`,
		"{type: exec, command: x, tools: {a: {command: [x]}}}":      `unknown field "command" of server "s"; its keys are type, tools, env, cwd, timeoutMs, maxInFlight, rate, results [unknown-key]`,
		"{type: exec, url: 'http://x', tools: {a: {command: [x]}}}": `unknown field "url" of server "s"`,
		"{type: exec, trusted: true, tools: {a: {command: [x]}}}":   `unknown field "trusted" of server "s"`,
		"{type: exce, tools: {a: {command: [x]}}}":                  `type of server "s" is "exce", expected stdio, streamableHttp, sse or exec; did you mean "exec"?`,
		"{command: x, tools: {a: {command: [x]}}}":                  `unknown field "tools" of server "s"; tools belongs to servers of type exec`,
	} {
		_, err := Parse("g.yaml", []byte(head+"mcpServers: {s: "+src+"}\n"), Options{LookupEnv: environment()})
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s:\n%v\nexpected %s", src, err, expected)
		}
	}
}
