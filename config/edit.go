package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"toolgraph/internal/base/wording"
)

// AddTool adds a tool at the end of a graph file and returns the new content. The rest of the
// file does not change: comments, order and style included. tool is an item of tools, as from
// ParseData. It reads and writes no file; Parse must check the result. The error is Diagnostics;
// path is for messages.
func AddTool(path string, src []byte, tool *Data) ([]byte, error) {
	if err := sameInOlder(path, src, tool); err != nil {
		return nil, err
	}
	return editTools(path, src, tool.Get("name").textValue(), func(tools []*Data, at int) ([]*Data, error) {
		if at >= 0 {
			return nil, cannotEdit(path, tools[at].Pos, fmt.Sprintf("tool %q already exists", tool.Get("name").textValue()), "choose another name, or update that tool")
		}
		return append(tools, canonicalTool(tool)), nil
	})
}

// ReplaceTool replaces the tool of this name by a definition that may have another name. Equal
// parts of both do not change, comments included. Otherwise it is like AddTool.
func ReplaceTool(path string, src []byte, name string, tool *Data) ([]byte, error) {
	src, err := withOwnNodes(path, src, name)
	if err == nil {
		err = sameInOlder(path, src, tool)
	}
	if err != nil {
		return nil, err
	}
	return editTools(path, src, name, func(tools []*Data, at int) ([]*Data, error) {
		if at < 0 {
			return nil, noSuchTool(path, tools, name)
		}
		tools[at] = canonicalTool(tool)
		return tools, nil
	})
}

// DeleteTool removes the tool of this name, and the comment above it. Otherwise it is like
// AddTool.
func DeleteTool(path string, src []byte, name string) ([]byte, error) {
	src, err := withOwnNodes(path, src, name)
	if err != nil {
		return nil, err
	}
	return editTools(path, src, name, func(tools []*Data, at int) ([]*Data, error) {
		if at < 0 {
			return nil, noSuchTool(path, tools, name)
		}
		return slices.Delete(tools, at, at+1), nil
	})
}

// editTools changes the list of tools; at is the index of the tool of this name, or -1.
func editTools(path string, src []byte, name string, change func(tools []*Data, at int) ([]*Data, error)) ([]byte, error) {
	root, err := ParseData(path, src)
	if err != nil {
		return nil, err
	}
	tools := root.Get("tools")
	if root.Kind != KindObject || tools != nil && tools.Kind != KindArray && tools.Scalar != nil {
		return nil, cannotEdit(path, root.Pos, "not a graph file with a list of tools", "toolgraph init writes a file to start from")
	}
	var list []*Data
	if tools != nil {
		list = slices.Clone(tools.Items)
	}
	at := slices.IndexFunc(list, func(t *Data) bool { return t.Get("name").textValue() == name })
	if list, err = change(list, at); err != nil {
		return nil, err
	}
	return Rewrite(path, src, root.With("tools", &Data{Kind: KindArray, Items: list}))
}

// withOwnNodes returns the file in its current form when the tool of this name has its nodes in
// the top-level list of an older file, where they cannot be changed for one tool alone.
func withOwnNodes(path string, src []byte, name string) ([]byte, error) {
	root, err := ParseData(path, src)
	if err != nil {
		return nil, err
	}
	for _, tool := range root.Get("tools").items() {
		if tool.Get("name").textValue() == name && tool.Get("nodes") == nil && root.Get("nodes") != nil {
			upgraded, _, err := Upgrade(path, src)
			return upgraded, err
		}
	}
	return src, nil
}

// sameInOlder rejects a tool that has another meaning in a file of an older form: a text of args
// that begins with $ is an expression there.
func sameInOlder(path string, src []byte, tool *Data) error {
	file, _ := parseForUpgrade(path, src)
	if file == nil || !file.Older {
		return nil
	}
	for _, node := range tool.Get("nodes").items() {
		for _, call := range append([]*Data{node}, node.Get("branches").values()...) {
			if text := dollarText(call.Get("args")); text != "" {
				return cannotEdit(path, Pos{}, fmt.Sprintf("the text %q in args would be an expression, because the file uses an older form", wording.Shorten(text)),
					"run toolgraph upgrade; or write {expr: …}, with the text in quotes if it is not an expression")
			}
		}
	}
	return nil
}

// dollarText returns the first text of args that begins with $, or "".
func dollarText(args *Data) string {
	for _, value := range args.values() {
		if text := value.textValue(); strings.HasPrefix(text, "$") {
			return text
		}
	}
	return ""
}

// Rewrite returns a YAML or JSON file with another content. Equal parts do not change, including
// comments, order, quotes and line ends; list items are matched by id or name. Changed parts are
// in block style, or on one line when they were and still fit; their comments remain. The result
// is parsed and compared with want. The error is Diagnostics; path is for messages. It reads and
// writes no file.
func Rewrite(path string, src []byte, want *Data) ([]byte, error) {
	return rewrite(path, src, want, false)
}

func rewrite(path string, src []byte, want *Data, keeps bool) ([]byte, error) {
	e, err := newEditor(path, src)
	if err != nil {
		return nil, err
	}
	e.keeps, e.notes = keeps, map[*Data]string{}
	text, err := e.rewriteRoot(want)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(src, byteOrderMark) {
		text = append(bytes.Clone(byteOrderMark), text...)
	}
	// This finds changes of shared anchors, and errors of the editor.
	got, err := ParseData(path, text)
	if err != nil || !reflect.DeepEqual(got.Value(), want.Value()) {
		return nil, cannotEdit(path, want.Pos, "cannot change this part of the file and leave the rest as it is", "replace anchors and aliases (&name, *name, <<) by what they share, or edit the file by hand")
	}
	return text, nil
}

func (e *editor) rewriteRoot(want *Data) ([]byte, error) {
	if e.sameValue(e.root, want) {
		return bytes.Clone(e.src.data), nil
	}
	from, to := e.start(e.root), e.stop(e.root)
	if json.Valid(e.src.data) {
		var out bytes.Buffer
		if err := json.Indent(&out, want.JSON(), "", "  "); err != nil {
			return nil, err
		}
		return slices.Concat(e.src.data[:from], out.Bytes(), e.src.data[to:]), nil
	}
	text, ok := e.rewritten(e.root, want)
	if !ok {
		return nil, cannotEdit(e.src.name, e.src.pos(from), "the file is not a mapping with one key per line", "remove the { } around it")
	}
	return slices.Concat(e.src.data[:from], []byte(text), e.src.data[to:]), nil
}

func cannotEdit(path string, at Pos, message, hint string) error {
	if !at.IsValid() {
		at = Pos{File: path, Line: 1, Column: 1}
	}
	return Diagnostics{{Pos: at, Code: "cannot-edit", Message: message, Hint: hint}}
}

func noSuchTool(path string, tools []*Data, name string) error {
	var names []string
	for _, t := range tools {
		names = append(names, t.Get("name").textValue())
	}
	hint := "the file has no tools"
	if len(names) > 0 {
		hint = "the tools are " + wording.Shorten(strings.Join(names, ", "))
	}
	return cannotEdit(path, Pos{}, "unknown tool "+wording.Quote(name), cmp.Or(wording.DidYouMean(name, names), hint))
}

// With returns a copy of the object with another value of a key; a new key is added at the end. A
// nil value removes the key.
func (d *Data) With(key string, value *Data) *Data {
	with := *d
	with.Keys, with.Items = slices.Clone(d.Keys), slices.Clone(d.Items)
	at := slices.IndexFunc(with.Keys, func(k Text) bool { return k.Value == key })
	switch {
	case value == nil && at >= 0:
		with.Keys, with.Items = slices.Delete(with.Keys, at, at+1), slices.Delete(with.Items, at, at+1)
	case value == nil:
	case at >= 0:
		with.Items[at] = value
	default:
		with.Keys, with.Items = append(with.Keys, Text{Value: key}), append(with.Items, value)
	}
	return &with
}

// items returns the items of a list, else nil.
func (d *Data) items() []*Data {
	if d == nil || d.Kind != KindArray {
		return nil
	}
	return d.Items
}

// values returns the values of an object, else nil.
func (d *Data) values() []*Data {
	if d == nil || d.Kind != KindObject {
		return nil
	}
	return d.Items
}

// textValue returns the value of a text, else "".
func (d *Data) textValue() string {
	if d == nil {
		return ""
	}
	text, _ := d.Scalar.(string)
	return text
}

// The order of keys in a tool, its schemas, its nodes and their conditions. Other keys come before
// the last one.
var (
	toolOrder = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta", "result", "hidden", "task", "executionLimits", "allow", "nodes"}
	nodeOrder = []string{
		"id", "type", "server", "tool", "forEach", "args", "branches", "message", "schema", "transform", "conditions",
		"timeoutMs", "retry", "onError", "help", "effect", "confirm", "onCrash", "next",
	}
	conditionOrder = []string{"rule", "next"}
	schemaOrder    = []string{"type", "title", "description", "enum", "items", "properties", "required", "additionalProperties"}
)

// canonicalTool returns a tool with its keys, and those of its parts, in the usual order, and
// with current names of node types: an older name would make the file one of the older form, in
// which other texts are expressions.
func canonicalTool(tool *Data) *Data {
	for _, key := range []string{"inputSchema", "outputSchema"} {
		if schema := tool.Get(key); schema != nil {
			tool = tool.With(key, canonicalSchema(schema))
		}
	}
	return tool.ordered(toolOrder).each("nodes", func(node *Data) *Data {
		if node.Get("type").textValue() == "mcp_tool" {
			node = node.With("type", &Data{Scalar: "mcp"})
		}
		if schema := node.Get("schema"); schema != nil {
			node = node.With("schema", canonicalSchema(schema))
		}
		node = node.ordered(nodeOrder).each("conditions", func(c *Data) *Data { return c.ordered(conditionOrder) })
		return node.eachValue("branches", func(branch *Data) *Data { return branch.ordered(nodeOrder) })
	})
}

// canonicalSchema returns a schema with its keys, and those of its properties and items, in the
// usual order.
func canonicalSchema(schema *Data) *Data {
	schema = schema.ordered(schemaOrder)
	if items := schema.Get("items"); items != nil {
		schema = schema.With("items", canonicalSchema(items))
	}
	return schema.eachValue("properties", canonicalSchema)
}

// eachValue returns the object with all values of the object under a key changed.
func (d *Data) eachValue(key string, change func(*Data) *Data) *Data {
	of := d.Get(key)
	if len(of.values()) == 0 {
		return d
	}
	all := *of
	all.Items = make([]*Data, len(of.Items))
	for i, value := range of.Items {
		all.Items[i] = change(value)
	}
	return d.With(key, &all)
}

// each returns the object with all items of the list under a key changed.
func (d *Data) each(key string, change func(*Data) *Data) *Data {
	items := d.Get(key).items()
	if len(items) == 0 {
		return d
	}
	list := &Data{Kind: KindArray, Items: make([]*Data, len(items))}
	for i, item := range items {
		list.Items[i] = change(item)
	}
	return d.With(key, list)
}

func (d *Data) ordered(order []string) *Data {
	if d.Kind != KindObject {
		return d
	}
	rank := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return 2 * i
		}
		return 2*len(order) - 3
	}
	places := make([]int, len(d.Keys))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return rank(d.Keys[a].Value) - rank(d.Keys[b].Value) })
	ordered := *d
	ordered.Keys, ordered.Items = make([]Text, len(places)), make([]*Data, len(places))
	for i, from := range places {
		ordered.Keys[i], ordered.Items[i] = d.Keys[from], d.Items[from]
	}
	return &ordered
}

// sameValue reports whether a node of the file has the value of the data.
func (e *editor) sameValue(n *yaml.Node, d *Data) bool {
	return reflect.DeepEqual((&decoder{}).data(e.items[followed(n)], "").Value(), d.Value())
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }
