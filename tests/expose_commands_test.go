package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// check --live compares what expose, plan and pipeline name with what the servers list.
func TestCheckLiveKnowsWhatRequestsName(t *testing.T) {
	t.Parallel()
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	l := &lockedGraph{t: t, path: filepath.Join(t.TempDir(), "graph.yaml")}
	l.write(strings.ReplaceAll(`server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE}}
expose: [up.echo, up.ehco, "up.mes*", "up.xyz*"]
plan: {calls: [up.incc]}
`, "$FAKE", fake))
	said := l.command(3, "check", "--live", l.path)
	for _, want := range []string{
		`:3:19: expose has "up.ehco", which names no tool of server "up"; did you mean "echo"? [expose-tools]`,
		`:3:39: expose has "up.xyz*", which names no tool of server "up" [expose-tools]`,
		`:4:16: calls of plan has "up.incc", which names no tool of server "up"; did you mean "inc"? [plan-tools]`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%s\nwant %s", said, want)
		}
	}
	if strings.Contains(said, "mes*") || strings.Contains(said, `"up.echo"`) {
		t.Error(said)
	}
	l.write(strings.ReplaceAll("server: {name: one, version: 1.0.0}\nmcpServers: {up: {command: $FAKE}}\npipeline: {calls: [up.incc]}\n", "$FAKE", fake))
	if said := l.command(3, "check", "--live", l.path); !strings.Contains(said, `calls of the pipeline has "up.incc", which names no tool of server "up"; did you mean "inc"?`) {
		t.Error(said)
	}
}

// run, capabilities and graph take the name of an exposed tool.
func TestCommandsKnowExposedTools(t *testing.T) {
	t.Parallel()
	l := &lockedGraph{t: t, path: filepath.Join(t.TempDir(), "graph.yaml")}
	l.write(strings.ReplaceAll("server: {name: one, version: 1.0.0}\nmcpServers: {up: {command: $FAKE}}\nexpose: [up.echo, \"up.mes*\"]\n", "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver")))
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{0, []string{"run", l.path, "up__echo", "a=1"}, `"a": 1`},
		{0, []string{"run", l.path, "up__messages_send", "channel_id=7"}, `"channel_id"`},
		{0, []string{"capabilities", l.path, "up__echo"}, "up.echo"},
		{0, []string{"graph", l.path, "up__echo"}, "echo"},
		{2, []string{"run", l.path, "up__ehco"}, `did you mean "up__echo"?`},
		{2, []string{"graph", l.path, "up__ehco"}, `did you mean "up__echo"?`},
		{2, []string{"capabilities", l.path, "up__ehco"}, `did you mean "up__echo"?`},
	} {
		if said := l.command(c.code, c.args...); !strings.Contains(said, c.want) {
			t.Errorf("%v: %s\nwant %s", c.args, said, c.want)
		}
	}
}
