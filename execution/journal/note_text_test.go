package journal

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// Notes that are written field by field are what the encoder of JSON writes, for every text and field that they have.
func TestNotesAreJSON(t *testing.T) {
	at := time.Date(2026, 11, 28, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	texts := []string{"a", "", "ünï \u2028 <&> \"\\\n\x01", "bad \xff utf-8"}
	for _, text := range texts {
		for _, attempt := range []int{0, 1, 7} {
			n := Note{Event: execution.Event{
				Kind: execution.CallStarted, Run: "RUN" + text, Time: at,
				Step: &execution.Visit{
					Frame: execution.Address(text), Index: attempt, Part: text, Graph: text, NodeID: text, NodeType: config.MCPNode, Attempt: attempt,
					Server: text, Tool: text, Digest: "0123456789abcdef",
				},
			}}
			for _, begin := range []*beginning{nil, newBeginning(About{}, []byte("\x00\x01\xff")), newBeginning(About{File: text, Server: text}, []byte{})} {
				n.Begin = begin
				got, err := n.append(nil)
				if err != nil || !json.Valid(got) {
					t.Fatalf("%s, %v", got, err)
				}
				want, err := json.Marshal(n)
				if err != nil {
					t.Fatal(err)
				}
				one, ok := ReadNote(got)
				other, _ := ReadNote(want)
				if !ok || !one.Event.Time.Equal(other.Event.Time) {
					t.Fatalf("%s is no note as %s", got, want)
				}
				one.Event.Time = other.Event.Time
				if !reflect.DeepEqual(one, other) {
					t.Errorf("%s, expected %s", got, want)
				}
			}
		}
		e := execution.Event{Kind: execution.RunStarted, Run: text, Time: at, Start: &execution.Start{Tool: text, Graph: text}}
		if !isShortStart(e) {
			continue
		}
		var one, other execution.Event
		want, err := json.Marshal(bare(e, nil))
		if err != nil || json.Unmarshal(want, &other) != nil || json.Unmarshal(startHead(e), &one) != nil || !reflect.DeepEqual(one, other) {
			t.Errorf("%s, expected %s, %v", startHead(e), want, err)
		}
	}
}
