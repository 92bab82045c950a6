package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// misbehaving are the tools that break the protocol or the process:
//
//	die           {code, message}: message to stderr, then exit with code
//	dieafter      answers, then exits with {code}
//	hang          never answers; is in flight until it is cancelled
//	stderr        {message} to stderr, then answers
//	stderrflood   {size} MB to stderr, then answers
//	noline        {size} MB to stdout without a newline
//	garbage       junk, half a line, a wrong id, then the answer twice
//	closestdout   closes stdout and lives on
//	progress      {n} progress notifications, then answers
//	report        {n, message, text, ms}: reports {text}, the rest of the params in JSON, and
//	              n times i of n+1, each after {ms}, with the call's own token; answers when
//	              the gate, if any, is open
//	listchanged   sends notifications/tools/list_changed, then answers
//	callback      sends the request {method, params} to the client and answers with its reply
//	deep          structuredContent nested {n} deep
func misbehaving() map[string]func(*call) {
	return map[string]func(*call){
		"die": func(c *call) {
			fmt.Fprintln(os.Stderr, c.in.Message)
			os.Exit(c.in.Code)
		},
		"dieafter": func(c *call) {
			c.text("bye")
			os.Exit(c.in.Code)
		},
		"hang": func(c *call) {
			c.note("hang")
			<-c.cancelled
		},
		"stderr": func(c *call) {
			fmt.Fprintln(os.Stderr, c.in.Message)
			c.text("said")
		},
		"stderrflood": (*call).stderrFlood,
		"noline":      (*call).noLine,
		"garbage":     (*call).garbage,
		"closestdout": func(c *call) {
			_ = os.Stdout.Close()
			time.Sleep(time.Hour)
		},
		"progress": func(c *call) {
			for i := range int(c.in.N) {
				c.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`+"\n", i))
			}
			c.text("done")
		},
		"report": (*call).report,
		"listchanged": func(c *call) {
			c.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
			c.text("changed")
		},
		"callback": (*call).callback,
		"deep": func(c *call) {
			n := int(c.in.N)
			c.result(c.id, map[string]any{"structuredContent": json.RawMessage(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))})
		},
	}
}

func (c *call) report() {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(c.params, &p)
	send := func(rest string) {
		if p.Meta.Token != nil {
			c.raw(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(p.Meta.Token) + `,` + rest + "}}\n")
		}
	}
	if c.in.Text != "" {
		send(c.in.Text)
	}
	for i := range int(c.in.N) {
		time.Sleep(time.Duration(c.in.MS) * time.Millisecond)
		send(fmt.Sprintf(`"progress":%d,"total":%d,"message":%q`, i+1, int(c.in.N)+1, c.in.Message))
	}
	c.note("reported")
	if c.modes["gate"] != "" {
		select {
		case <-c.gate:
		case <-c.cancelled:
			return
		}
	}
	c.text("done")
}

func (c *call) stderrFlood() {
	line := strings.Repeat("e", 1023) + "\n"
	block := strings.Repeat(line, 1024)
	for range c.in.Size {
		_, _ = os.Stderr.WriteString(block)
	}
	fmt.Fprintln(os.Stderr, "the last line")
	c.text("flooded")
}

func (c *call) noLine() {
	c.out.Lock()
	defer c.out.Unlock()
	block := strings.Repeat("x", 1<<20)
	for range c.in.Size {
		if _, err := os.Stdout.WriteString(block); err != nil {
			return
		}
	}
	_, _ = os.Stdout.WriteString("\n")
}

func (c *call) garbage() {
	c.raw("DEBUG hello " + c.in.Message + "\n")
	c.raw(`{"jsonrpc":"2.0","id":` + "\n")
	c.raw(`[1,2,3]` + "\n" + `"text"` + "\n" + `{}` + "\n" + "\x00\xff\xfe\n")
	c.raw(`{"jsonrpc":"2.0","id":987654321,"result":{"content":[{"type":"text","text":"wrong id"}]}}` + "\n")
	c.raw(`{"jsonrpc":"2.0","id":"nonsense","result":{}}` + "\n")
	c.text("right")
	c.text("duplicate")
}

// callback asks the client for something and answers with the client's whole reply.
func (c *call) callback() {
	if c.has("modern") {
		c.callBackLater()
		return
	}
	method := c.in.Method
	if method == "" {
		method = "sampling/createMessage"
	}
	reply := make(chan json.RawMessage, 1)
	c.mu.Lock()
	c.asked++
	id := fmt.Sprintf(`"ask-%d"`, c.asked)
	c.waiting[id] = reply
	c.mu.Unlock()
	params := c.in.Params
	if params == nil {
		params = json.RawMessage(`{"messages":[],"maxTokens":1}`)
	}
	c.reply(message{ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case raw := <-reply:
		c.structured(raw)
	case <-time.After(5 * time.Minute): // far more than any test needs
		c.text("no reply")
	}
}

// callBackLater is callback in the modern era: the request {name, method, params} is the answer
// of the first call, and the reply comes with the next.
func (c *call) callBackLater() {
	var p struct {
		InputResponses map[string]json.RawMessage `json:"inputResponses"`
	}
	_ = json.Unmarshal(c.params, &p)
	if reply := p.InputResponses[c.in.Name]; reply != nil {
		c.result(c.id, map[string]any{"resultType": "complete", "structuredContent": map[string]any{"result": reply}, "content": []any{}})
		return
	}
	c.result(c.id, map[string]any{"resultType": "input_required", "requestState": "asked", "inputRequests": map[string]any{
		c.in.Name: map[string]any{"method": c.in.Method, "params": c.in.Params},
	}})
}
