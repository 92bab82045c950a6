package server

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// A prompt of a tool is got by a run of the tool, as a call is made: it counts among the calls, can be cancelled, reports
// its progress and asks. Only its answer has another form: messages, or a JSON-RPC error.

// asPrompt returns the tool as a prompt.
func (t *tool) asPrompt(run Run) *tool {
	p := *t
	p.run, p.prompt, p.headers = run, true, false
	p.listed = appendPromptEntry(nil, t.def)
	return &p
}

// request names what a call asks for, so that the answer to a question of a prompt is not taken for that of a tool.
func (t *tool) request() string {
	if t.prompt {
		return "prompts/get " + t.name
	}
	return t.name
}

// appendPromptEntry appends the entry of prompts/list.
func appendPromptEntry(dst []byte, def *config.Tool) []byte {
	dst = value.AppendString(append(dst, `{"name":`...), def.Name.Value)
	dst = appendTexts(dst, [][2]string{{"title", def.Title.Value}, {"description", def.Description.Value}})
	properties := def.InputSchema.Get("properties")
	if properties != nil && len(properties.Keys) > 0 {
		dst = append(dst, `,"arguments":[`...)
		for i, key := range properties.Keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value.AppendString(append(dst, `{"name":`...), key.Value)
			title, _ := properties.Items[i].Get("title").Value().(string)
			description, _ := properties.Items[i].Get("description").Value().(string)
			dst = appendTexts(dst, [][2]string{{"title", title}, {"description", description}})
			if def.InputSchema.Requires(key.Value) && properties.Items[i].Get("default") == nil {
				dst = append(dst, `,"required":true`...)
			}
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	if def.Icons != nil {
		dst = append(append(dst, `,"icons":`...), def.Icons.JSON()...)
	}
	return append(dst, '}')
}

// appendTexts appends the members that are not empty.
func appendTexts(dst []byte, members [][2]string) []byte {
	for _, m := range members {
		if m[1] != "" {
			dst = value.AppendString(append(dst, `,"`+m[0]+`":`...), m[1])
		}
	}
	return dst
}

// promptEntries returns the entries of all prompts: those of tools, then those of servers.
func (s *Server) promptEntries() (entries [][]byte) {
	for _, p := range s.tools.Load().prompts {
		entries = append(entries, p.listed)
	}
	if s.opts.Prompts != nil {
		entries = append(entries, s.opts.Prompts.List()...)
	}
	return entries
}

// promptOf returns the prompt of this name that is a tool, or nil.
func (c *catalog) promptOf(name string) *tool {
	for _, p := range c.prompts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// nearPrompt returns a hint with a similar name of a prompt.
func (s *Server) nearPrompt(name string) string {
	var names []string
	for _, p := range s.tools.Load().prompts {
		names = append(names, p.name)
	}
	return wording.Suggest(name, names)
}

// isCall reports whether a request is answered by a run.
func (s *Server) isCall(method string, m *message) bool {
	switch method {
	case "tools/call":
		return true
	case "prompts/get":
		return s.hasPrompts && s.tools.Load().promptOf(text(m.name)) != nil
	}
	return false
}

// wanted returns the tool or the prompt that a call asks for.
func (c *catalog) wanted(m *message) (*tool, *rpcError) {
	name := text(m.name)
	if string(m.method) == `"prompts/get"` {
		if p := c.promptOf(name); p != nil {
			return p, nil
		}
		return nil, invalidParams("unknown prompt " + wording.Quote(name)) // it has just been removed
	}
	if m.name == nil || m.name[0] != '"' {
		return nil, invalidParams("name: expected the name of a tool, a string, got " + describeRaw(m.name))
	}
	t, hint := c.find(name)
	if t == nil {
		return nil, invalidParams("unknown tool " + wording.Quote(name) + hint)
	}
	return t, nil
}

// appendPrompt appends the answer line of a prompt: the result of its run as messages of the user.
func (s *Server) appendPrompt(ctx context.Context, dst, id []byte, c *call, a *Answer, err error) []byte {
	if err != nil {
		a.Notice = failed(err.Error())
	}
	if a.Notice != nil {
		return s.appendNotice(dst, id, c, a.Notice, a.Usage)
	}
	shown, isText := a.Value.(string)
	if isText {
		shown, err = c.from.secrets.RedactWithin(ctx, shown)
	} else {
		var raw []byte
		raw, _, err = encode(ctx, c, a.Value)
		shown = string(raw)
	}
	if err != nil {
		return s.appendNotice(dst, id, c, unencodable(c, err), a.Usage)
	}
	return s.appendMessages(dst, id, c, [][]byte{appendText(nil, shown)}, a.Usage, len(shown))
}

// appendPromptNotice appends the answer line of a prompt without a value: an error, or the summary of a large result.
func (s *Server) appendPromptNotice(dst, id []byte, c *call, n *Notice, used *Usage) []byte {
	if n.Failed {
		c.failed(n.Texts[0])
		c.outcome.Code = codeInternal
		return s.appendRefusal(dst, id, &rpcError{code: codeInternal, message: c.from.secrets.Redact(n.Texts[0])})
	}
	var contents [][]byte
	out := 0
	for _, text := range n.Texts {
		text = c.from.secrets.Redact(text)
		contents, out = append(contents, appendText(nil, text)), out+len(text)
	}
	if n.Link != nil {
		contents = append(contents, n.appendLink(nil))
	}
	return s.appendMessages(dst, id, c, contents, used, out)
}

// appendMessages appends the answer line of a prompt with contents, which are JSON.
func (s *Server) appendMessages(dst, id []byte, c *call, contents [][]byte, used *Usage, out int) []byte {
	dst = append(appendHead(dst, id), `"result":{`...)
	if description := c.tool.def.Description.Value; description != "" {
		dst = append(value.AppendString(append(dst, `"description":`...), description), ',')
	}
	dst = append(dst, `"messages":[`...)
	for i, content := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"role":"user","content":`...), content...), '}')
	}
	return s.appendTail(append(dst, ']'), c, used, out)
}
