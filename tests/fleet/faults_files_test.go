//go:build unix

package fleet

import "strings"

// shopFile has the tool order, which pays between calls that only read; confirm, which asks before it pays; and slow, which
// waits long between turns.
const shopFile = `version: "1.0"
server: {name: shop, version: 1.0.0}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: order
  inputSchema: {type: object, properties: {id: {type: integer}, steps: {type: integer, default: 1}}, required: [id]}
  steps:
  - {id: looks, each: "[1..$$.args.steps]", call: up.look, effect: read, args: {id: {expr: $$.args.id}}, maxParallel: 1, retry: {attempts: 10, maxDelayMs: 2000}}
  - {id: paid, call: up.pay, args: {id: {expr: args.id}}}
  - {id: after, call: up.look, effect: read, args: {id: {expr: args.id}}, retry: {attempts: 10, maxDelayMs: 2000}}
  return: '{"id": after, "paid": paid, "version": 1}'
- name: confirm
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  steps:
  - {id: sure, ask: {message: "Pay?"}}
  - {id: paid, call: up.pay, args: {id: {expr: args.id}}}
  return: '{"id": args.id, "paid": paid, "version": 1}'
- name: slow
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  steps:
  - {id: paid, call: up.pay, args: {id: {expr: args.id}}}
  - {id: done, call: up.look, effect: read, args: {id: {expr: args.id}}, repeat: {until: $n = 3, times: 3, delayMs: 3000}, retry: {attempts: 10, maxDelayMs: 2000}}
  return: '{"id": done, "paid": paid, "version": 1}'
`

// deskFile has the tool job, which is answered with a task.
const deskFile = `version: "1.0"
server: {name: desk, version: 1.0.0, taskAfterMs: 1}
mcpServers:
  up: {type: http, url: "%s/mcp"}
tools:
- name: job
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  steps:
  - {id: before, call: up.look, effect: read, args: {id: {expr: args.id}}, retry: {attempts: 10, maxDelayMs: 2000}}
  - {id: paid, call: up.pay, args: {id: {expr: before}}}
  - {id: after, call: up.look, effect: read, args: {id: {expr: args.id}}, retry: {attempts: 10, maxDelayMs: 2000}}
  return: '{"id": after, "paid": paid, "version": 1}'
`

// secondVersion returns a file whose results say that they are of its second version.
func secondVersion(file string) string {
	return strings.ReplaceAll(file, `"version": 1`, `"version": 2`)
}
