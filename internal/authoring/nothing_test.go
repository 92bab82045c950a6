package authoring

import (
	"strings"
	"testing"
)

// Nothing and null are different in answers, and so are the text and the structuredContent of a
// tool that failed.
func TestNothingAndNull(t *testing.T) {
	k := kit(t, graphFile)
	const history = `"history":[{"nodeId":"a","output":1},{"nodeId":"a","nothing":true}]`
	for _, c := range []struct{ name, args, want, not string }{
		{"testJSONata", `{"expression":"$.found","context":{"found":null}}`, `"result":null`, `"nothing"`},
		{"testJSONata", `{"expression":"$.found","context":{}}`, `"result":null,"nothing":true`, ""},
		{"testJSONata", `{"expression":"[$exists(a), $executionCount('a'), $count($nodeExecutions('a'))]",` + history + `}`, `"result":[false,2,1]`, ""},
		{"testMcpTool", `{"server":"fake","tool":"nothing","args":{}}`, `"output":null,"nothing":true`, ""},
		{"testMcpTool", `{"server":"fake","tool":"text","args":{"text":"null"}}`, `"output":null`, `"nothing"`},
		{"testMcpTool", `{"server":"fake","tool":"unknowntype","args":{}}`, `"output":{"type":"hologram","planes":[1,2]}`, ""},
		{"testMcpTool", `{"server":"fake","tool":"failstructured","args":{"message":"too many","text":"x"}}`, `"structuredContent":{"status":429,"wait":"x"}`, ""},
	} {
		got := k.answerTo(t, c.name, c.args)
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s %s: got %s, want %s", c.name, c.args, got, c.want)
		}
	}
}
