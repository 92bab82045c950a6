package importer

import (
	"strings"

	"toolgraph/expressions/value"
)

// addHost takes an entry of a host's transcript. Entries and items of other types are ignored:
// hosts write many, and each version other ones.
func (t *trace) addHost(e entry) error {
	kind, _ := e.object.Get("type")
	message, _ := e.object.Get("message")
	if kind != "assistant" && kind != "user" {
		return nil
	}
	t.isHost = true
	object, isObject := value.ObjectOf(message)
	if !isObject {
		return nil
	}
	content, _ := object.Get("content")
	items, _ := content.([]any)
	if text, isText := content.(string); isText && kind == "user" {
		t.said = append(t.said, text)
	}
	for _, item := range items {
		o, isItem := value.ObjectOf(item)
		if !isItem {
			continue
		}
		var err error
		switch itemType, _ := o.Get("type"); itemType {
		case "tool_use":
			err = t.addUse(e, o)
		case "tool_result":
			err = t.addResult(e, o)
		case "text":
			if text, _ := e.text(o, "text"); kind == "user" && text != "" {
				t.said = append(t.said, text)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addUse takes the request of a call.
func (t *trace) addUse(e entry, item value.Object) error {
	name, err := e.text(item, "name")
	if err != nil {
		return err
	}
	id, err := e.text(item, "id")
	if err != nil {
		return err
	}
	server, tool, isMCP := mcpName(name)
	if !isMCP {
		t.skipped = append(t.skipped, name)
		return nil
	}
	if id == "" {
		return e.errorf("the tool_use of %q has no id", name)
	}
	input, _ := item.Get("input")
	args, err := e.argsOf(input)
	if err != nil {
		return err
	}
	if before := t.byID[id]; before != nil { // transcripts of resumed sessions repeat entries
		if before.server == server && before.tool == tool && value.Same(before.args, args) {
			return nil
		}
		return e.errorf("the tool_use id %q is also that of another call, on line %d", id, before.line)
	}
	c := &call{entry: e, server: server, tool: tool, args: args, asked: t.moment, time: e.time("timestamp")}
	t.byID[id] = c
	return t.append(c)
}

// mcpName returns the server and the tool of mcp__SERVER__TOOL.
func mcpName(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	return server, tool, ok && server != "" && tool != ""
}

// addResult takes the answer of a call.
func (t *trace) addResult(e entry, item value.Object) error {
	id, err := e.text(item, "tool_use_id")
	if err != nil {
		return err
	}
	c := t.byID[id]
	if c == nil { // of another tool, or of a part of the session that was left out
		return nil
	}
	isError, _ := item.Get("is_error")
	content, _ := item.Get("content")
	var v value.Value
	failed := isError == true
	if !failed {
		switch content := content.(type) {
		case string:
			v, failed, err = contentResult([]any{textItem(content)})
		case []any:
			v, failed, err = contentResult(content)
		case nil, value.NullType:
		default:
			return e.errorf("content of the tool_result is %s, expected text or a list", kindOf(content))
		}
		if err != nil {
			return e.errorf("the result of %q cannot be read: %s", id, err)
		}
	}
	if c.answered > 0 {
		if c.failed == failed && value.Same(c.result, v) {
			return nil
		}
		return e.errorf("the call %q has a second result", id)
	}
	c.answered, c.failed, c.result = t.moment, failed, v
	return nil
}
