package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
)

// list answers tools/list in pages of a third of the tools each.
func (s *server) list(m message) {
	if s.has("emptylist") {
		s.result(m.ID, map[string]any{"tools": []any{}})
		return
	}
	var p struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &p)
	names, pulled := s.pulled()
	size := (len(names) + 2) / 3
	from, _ := strconv.Atoi(p.Cursor)
	to := min(from+size, len(names))
	tools := make([]json.RawMessage, 0, size)
	for _, name := range names[from:to] {
		if other := pulled[name]; other != nil {
			tools = append(tools, other)
			continue
		}
		tools = append(tools, definition(name))
	}
	answer := map[string]any{"tools": tools}
	if to < len(names) {
		answer["nextCursor"] = strconv.Itoa(to)
	}
	s.result(m.ID, answer)
}

// pulled are the tools to list, and the definitions that mode rugpull gives in place of
// theirs.
func (s *server) pulled() ([]string, map[string]json.RawMessage) {
	names := toolNames()
	src, err := os.ReadFile(s.modes["rugpull"])
	if err != nil {
		return names, nil
	}
	other := map[string]json.RawMessage{}
	for more := json.NewDecoder(bytes.NewReader(src)); more.More(); { // an object a line, or one alone
		if err := more.Decode(&other); err != nil {
			fmt.Fprintln(os.Stderr, "rugpull:", err)
			break
		}
	}
	remaining := names[:0]
	for _, name := range names {
		if string(other[name]) != "null" {
			remaining = append(remaining, name)
		}
	}
	for name, definition := range other {
		if tools[name] == nil && string(definition) != "null" {
			remaining = append(remaining, name)
		}
	}
	slices.Sort(remaining)
	return remaining, other
}

// definition is a tool as tools/list shows it.
func definition(name string) json.RawMessage {
	switch name {
	case "bigtool":
		return json.RawMessage(`{"name":"bigtool","title":"Big tool","description":"keywords that clients like to lose",` +
			`"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
			`"properties":{"n":{"type":["integer","null"],"minimum":9007199254740993},"any":true},` +
			`"oneOf":[{"required":["n"]},{"required":["any"]}],"minProperties":1,"unevaluatedProperties":false},` +
			`"outputSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"x-order":[3,1,2]},` +
			`"annotations":{"readOnlyHint":true,"x-custom":{"remaining":true}},"_meta":{"vendor":1}}`)
	case "task":
		return json.RawMessage(`{"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`)
	case "oddtool":
		return json.RawMessage(`{"name":"oddtool","inputSchema":{"type":["object","null"]}}`)
	}
	raw, _ := json.Marshal(map[string]any{
		"name": name, "description": "the tool " + name,
		"inputSchema": map[string]any{"type": "object"},
	})
	return raw
}
