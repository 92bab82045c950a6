//go:build unix

package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// severalFile has the tool several, whose parts look at a gate, pay and ask at the same time.
const severalFile = `version: "1.0"
server: {name: shop, version: 1.0.0, taskAfterMs: 1}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: several
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: look}
  - {id: look, type: mcp, server: up, tool: look, effect: read, args: {id: {expr: $.entry.id}}, next: parts}
  - id: parts
    type: parallel
    branches:
      red: {type: graph, tool: part, args: {id: {expr: $.entry.id + 1}, name: red}}
      green: {type: graph, tool: part, args: {id: {expr: $.entry.id + 2}, name: green}}
      blue: {type: graph, tool: part, args: {id: {expr: $.entry.id + 3}, name: blue}}
    next: exit
  - {id: exit, type: exit}
- name: part
  hidden: true
  inputSchema: {type: object, properties: {id: {type: integer}, name: {type: string}}, required: [id, name]}
  nodes:
  - {id: entry, type: entry, next: pay}
  - {id: pay, type: mcp, server: up, tool: pay, args: {id: {expr: $.entry.id}}, next: much}
  - {id: much, type: ask, message: {expr: '"How much " & $.entry.name & "?"'}, schema: {type: object, properties: {n: {type: integer}}, required: [n]}, next: value}
  - {id: value, type: transform, transform: {expr: '{"paid": $.pay, "n": $.much.n}'}, next: exit}
  - {id: exit, type: exit}
`

// keys returns the keys of the open questions of a task by the color in their message.
func (of task) keys() map[string]string {
	all := map[string]string{}
	for key, q := range of.InputRequests {
		_, rest, _ := strings.Cut(string(q.Params), "How much ")
		color, _, _ := strings.Cut(rest, "?")
		all[color] = key
	}
	return all
}

func colors(of task) string { return strings.Join(slices.Sorted(maps.Keys(of.keys())), " ") }

// answers sends answers to questions of a task in one request.
func (c taskClient) answers(p *process, id string, replies map[string]string) string {
	var all []string
	for key, content := range replies {
		all = append(all, fmt.Sprintf(`%q:{"action":"accept","content":%s}`, key, content))
	}
	_, body := c.send(p, "tasks/update", id, fmt.Sprintf(`"taskId":%q,"inputResponses":{%s}`, id, strings.Join(all, ",")))
	return body
}

// The parts of a task ask at the same time, and its client gets all questions at once. It may answer one or several, in any
// process, while the process of the run lives and after it was killed; what was paid is paid once.
func TestTaskAsksAtOnce(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, c := newFleetOf(t, severalFile, place(t), 0), taskClient{t: t}
			run := func() *process { return f.run(true, "--resume=false") }
			first, second := run(), run()
			open := f.up.gate(40)
			made := c.start(first, "several", `{"id":40}`)
			open()
			asks := func(p *process, want string) (of task) {
				t.Helper()
				f.wait("the task asks "+want, func() bool {
					of = c.get(p, made.TaskID)
					return of.Status == "input_required" && colors(of) == want
				})
				return of
			}
			keys := asks(second, "blue green red").keys()
			if got := c.answers(second, made.TaskID, map[string]string{keys["red"]: `{"n":1}`, keys["blue"]: `{"n":"many"}`}); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, keys["blue"]) {
				t.Errorf("one of two answers does not fit: %s", got)
			}
			if of := c.get(first, made.TaskID); colors(of) != "blue green red" {
				t.Errorf("after an answer that was refused: %+v", of)
			}
			if got := c.answers(second, made.TaskID, map[string]string{keys["red"]: `{"n":1}`, "other": `{"n":5}`}); !strings.HasPrefix(got, acknowledged) {
				t.Errorf("one answer: %s", got)
			}
			if of := c.get(second, made.TaskID); colors(of) != "blue green" { // at once, without waiting
				t.Errorf("after one answer: %+v", of)
			}
			first.kill(t)
			if of := asks(second, "blue green"); of.keys()["blue"] != keys["blue"] || of.keys()["green"] != keys["green"] {
				t.Errorf("in a process that does not have the run: %+v", of)
			}
			// The first answer resumes the run, the second one follows at once.
			for color, content := range map[string]string{"green": `{"n":2}`, "blue": `{"n":3}`} {
				if got := c.answers(second, made.TaskID, map[string]string{keys[color]: content}); !strings.HasPrefix(got, acknowledged) {
					t.Errorf("%s: %s", color, got)
				}
			}
			done := c.until(f, second, made.TaskID, "completed")
			const want = `"structuredContent":{"red":{"paid":1,"n":1},"green":{"paid":1,"n":2},"blue":{"paid":1,"n":3}}`
			if !strings.Contains(string(done.Result), want) {
				t.Errorf("%s", done.Result)
			}
			for id := 41; id <= 43; id++ {
				if n := f.up.count(id); n != 1 {
					t.Errorf("paid %d for %d times", id, n)
				}
			}
		})
	}
}

// Several answers in one request end the questions of a task together.
func TestTaskAnsweredTogether(t *testing.T) {
	t.Parallel()
	f, c := newFleetOf(t, severalFile, t.TempDir(), 0), taskClient{t: t}
	first, second := f.run(true, "--resume=false"), f.run(true, "--resume=false")
	for i, kill := range []bool{false, true} {
		id := 60 + 10*i
		open := f.up.gate(id)
		made := c.start(first, "several", fmt.Sprintf(`{"id":%d}`, id))
		open()
		var of task
		f.wait("the task asks", func() bool {
			of = c.get(first, made.TaskID)
			return len(of.InputRequests) == 3
		})
		if kill {
			first.kill(t)
		}
		replies := map[string]string{}
		for color, key := range of.keys() {
			replies[key] = fmt.Sprintf(`{"n":%d}`, len(color))
		}
		if got := c.answers(second, made.TaskID, replies); !strings.HasPrefix(got, acknowledged) {
			t.Errorf("%s", got)
		}
		done := c.until(f, second, made.TaskID, "completed")
		if want := `{"red":{"paid":1,"n":3},"green":{"paid":1,"n":5},"blue":{"paid":1,"n":4}}`; !strings.Contains(string(done.Result), want) {
			t.Errorf("%s", done.Result)
		}
	}
}
