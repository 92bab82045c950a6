package tests

import (
	"os"
	"strings"
	"testing"
)

// What hosts see of run_plan is the worst that plans may do: by effects, and under a lock by what is locked.
func TestAnnotationsOfPlans(t *testing.T) {
	t.Parallel()
	for plan, want := range map[string]string{
		`plan: {calls: ["up.*"]}`:                         `{"readOnlyHint":false,"destructiveHint":true}`,
		`plan: {calls: ["up.*"], effects: [read, write]}`: `{"readOnlyHint":false,"destructiveHint":false}`,
		`plan: {calls: ["up.*"], effects: [read]}`:        `{"readOnlyHint":true,"destructiveHint":false}`,
	} {
		s := start(t, exposing+plan)
		if got := string(listedTools(t, s)["run_plan"]); !strings.Contains(got, `"annotations":`+want) {
			t.Errorf("%s: %s", plan, got)
		}
	}
	l := newLockedGraph(t)
	src, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	l.write(strings.Replace(string(src), "mcpServers:\n", "plan: {calls: [\"up.mes*\"], tools: []}\nmcpServers:\n", 1))
	l.pull(map[string]any{"messages_send": map[string]any{"name": "messages_send", "inputSchema": objectSchema, "annotations": map[string]any{"readOnlyHint": true}}})
	l.command(0, "lock", l.path)
	s := l.serve()
	if got := string(listedTools(t, s)["run_plan"]); !strings.Contains(got, `"readOnlyHint":true`) {
		t.Errorf("only reading tools are locked: %s", got)
	}
	s.end()
}

// askingPlans is a file whose plans may write with consent.
const askingPlans = `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ["$LEDGER"]}}
plan: {calls: [up.enter]}
tools: []
`

// W06: at each door a plan with a call that needs consent is refused before its first call where the host cannot ask; it
// runs after a yes, and not after a no.
func TestW06PlansAtEachDoor(t *testing.T) {
	t.Parallel()
	const steps = `{"steps":[{"id":"one","call":"up.enter","args":{"n":1}},{"id":"two","call":"up.enter","args":{"n":{"expr":"one"}}}],"return":"two"}`
	atEachDoor(t, askingPlans, `{}`, func(_ *testing.T, h *userHost) {
		h.begin("run_plan", steps).cannotAsk("up.enter", "the host cannot ask its user (it has not declared elicitation)")
		h.called(0)
	})
	atEachDoor(t, askingPlans, canAsk, func(t *testing.T, h *userHost) {
		c := h.begin("run_plan", steps)
		c.answer(c.question(), no)
		c.failed("the user declined", "nothing was changed before")
		h.called(0)
		c = h.begin("run_plan", steps)
		q := c.question()
		if !strings.Contains(q.Message, `up.enter (effect: unknown, may destroy) {"n":1}`) {
			t.Errorf("the question: %s", q.Message)
		}
		c.answer(q, yes)
		if q = c.question(); !strings.Contains(q.Message, `{"n":2}`) || !strings.Contains(q.Message, "up") {
			t.Errorf("the second question: %s", q.Message)
		}
		c.answer(q, yes)
		if got := c.result().text(t); got != "3" {
			t.Errorf("got %s", got)
		}
		h.called(2)
	})
}
