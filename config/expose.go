package config

import (
	"fmt"
	"strings"

	"toolgraph/internal/base/wording"
)

// Passed is a server whose prompts, or resources, clients get.
type Passed struct {
	Pos                Pos
	Server             Text
	Prompts, Resources bool
}

var passedForm = lazyForm(func() *form {
	return &form{
		name: "a server of expose", doc: "A server whose prompts or resources clients get.",
		keys: []key{
			{name: "server", doc: "A name of mcpServers.", value: textValue("docs"), required: true},
			{name: "prompts", doc: "Whether clients get its prompts, each as SERVER__PROMPT.", value: flag()},
			{name: "resources", doc: "Whether clients get its resources and their templates, with the URIs that the server gives them.", value: flag()},
		},
	}
})

var exposeKey = key{
	name: "expose", common: true, doc: "What clients get of servers beside the tools of this file. A tool: server.tool, or with a * at the end, whatever follows; clients see it as SERVER__TOOL. " +
		"Prompts and resources: {server: NAME, prompts: true, resources: true}.",
	value: listOf(value{"anyOf": []any{textValue("files.read_text_file", "git.*"), formValue("passed")}}),
}

// ExposedName returns the name of a tool, or a prompt, of a server for clients.
func ExposedName(server, tool string) string { return server + "__" + tool }

// LongestExposed is how many characters such a name may have: longer ones are refused by some hosts.
const LongestExposed = 64

// portable are the characters of names that all hosts accept.
const portable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// IsPortable reports whether a name is not empty and has only characters that all hosts accept in names of tools.
func IsPortable(name string) bool { return name != "" && strings.Trim(name, portable) == "" }

// exposed decodes what the file exposes; tools are nil when the key is missing.
func (d *decoder) exposed(file *fields) (tools []Text, passed []*Passed) {
	it := file.get("expose")
	if it == nil {
		return nil, nil
	}
	const asList = `write expose: ["SERVER.*"] for all tools of a server`
	switch word := it.word(); {
	case it.kind == itemMapping:
		hint := asList
		if it.has("server") {
			hint = "write expose: [{server: …}], a list"
		}
		file.wrong("expose", "a list", hint)
		return nil, nil
	case strings.Contains(word, "."):
		file.wrong("expose", "a list", "write expose: ["+wording.Quote(word)+"]")
		return nil, nil
	case it.kind != itemList:
		file.wrong("expose", "a list", asList)
		return nil, nil
	}
	tools = []Text{}
	for _, item := range it.items {
		switch {
		case item.word() != "":
			tools = append(tools, item.text)
		case item.kind == itemMapping:
			if p := d.passed(item); p != nil {
				passed = append(passed, p)
			}
		default:
			d.found.Add(item.pos, "wrong-type", fmt.Sprintf("expose has %s in it, expected server.tool, or {server: NAME, prompts: true}", item.describe()),
				`write "SERVER.TOOL", or "SERVER.*" for all tools of a server`).Over(item.text)
		}
	}
	return tools, passed
}

// passed decodes a server whose prompts or resources are exposed; nil when the mapping means something else.
func (d *decoder) passed(it *item) *Passed {
	if !it.has("server") && len(it.keys) > 0 && passedForm().find(it.keys[0].Value) == nil {
		hint := `write "SERVER.TOOL" for a tool, or {server: NAME, prompts: true, resources: true}`
		if name := it.keys[0].Value; it.items[0].kind == itemList || it.items[0].word() != "" {
			hint = fmt.Sprintf(`write "%s.TOOL" for a tool of it, or "%s.*" for all`, name, name)
		}
		d.found.Add(it.pos, "wrong-type", "expose has a mapping without server in it, expected server.tool, or {server: NAME, prompts: true}", hint)
		return nil
	}
	fs := d.open(it, passedForm(), "expose")
	if fs == nil {
		return nil
	}
	p := &Passed{Pos: it.pos, Server: fs.text("server"), Prompts: fs.boolean("prompts"), Resources: fs.boolean("resources")}
	fs.require("server", p.Server)
	if !p.Prompts && !p.Resources && !fs.bad["prompts"] && !fs.bad["resources"] {
		d.found.Add(it.pos, "missing-field", "expose passes on nothing of server "+wording.Quote(p.Server.Value)+", expected prompts: true or resources: true",
			fmt.Sprintf("add prompts: true or resources: true; tools of it are written %q", p.Server.Value+".*"))
	}
	return p
}
