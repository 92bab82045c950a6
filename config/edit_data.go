package config

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// With is the object with this value under a key, in the place that the key has or at
// the end; a nil value takes the key out. The data itself is not changed.
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

// items are those of a list; none when it is something else.
func (d *Data) items() []*Data {
	if d == nil || d.Kind != KindArray {
		return nil
	}
	return d.Items
}

// textValue is the text that the data is, or "".
func (d *Data) textValue() string {
	if d == nil {
		return ""
	}
	text, _ := d.Scalar.(string)
	return text
}

// The order in which a tool, its schemas, its nodes and their conditions are written; what
// is in no list stands before the last.
var (
	toolOrder      = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "result", "nodes"}
	nodeOrder      = []string{"id", "type", "server", "tool", "args", "onCrash", "transform", "conditions", "next"}
	conditionOrder = []string{"rule", "next"}
	schemaOrder    = []string{"type", "title", "description", "enum", "items", "properties", "required", "additionalProperties"}
)

// canonicalTool is a tool with its keys, and those of its parts, in the usual order. The
// older name of a node type becomes the current one, for it would make a current file one
// of the older form, in which other texts are expressions.
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
		return node.ordered(nodeOrder).each("conditions", func(c *Data) *Data { return c.ordered(conditionOrder) })
	})
}

// canonicalSchema is a schema with its keys, and those of its properties and items, in the
// usual order.
func canonicalSchema(schema *Data) *Data {
	schema = schema.ordered(schemaOrder)
	if items := schema.Get("items"); items != nil {
		schema = schema.With("items", canonicalSchema(items))
	}
	if properties := schema.Get("properties"); properties != nil && properties.Kind == KindObject {
		all := *properties
		all.Items = make([]*Data, len(properties.Items))
		for i, property := range properties.Items {
			all.Items[i] = canonicalSchema(property)
		}
		schema = schema.With("properties", &all)
	}
	return schema
}

// each is the object with every item of the list under a key changed.
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

// sameValue reports whether a node of a checked document means the data.
func sameValue(n *yaml.Node, d *Data) bool { return reflect.DeepEqual(valueOf(n), d.Value()) }

// valueOf is what a node of a checked document means, as Data.Value gives it.
func valueOf(n *yaml.Node) any {
	n = followed(n)
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, child := range n.Content {
			list[i] = valueOf(child)
		}
		return list
	case yaml.MappingNode:
		return mappingValue(n)
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	if styleOf(n) != stylePlain {
		return n.Value
	}
	value, problem := resolvePlain(n.Value)
	if problem != nil {
		return n.Value
	}
	return value
}

func mappingValue(n *yaml.Node) map[string]any {
	object := map[string]any{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !isMerge(key):
			object[followed(key).Value] = valueOf(value)
		case followed(value).Kind == yaml.SequenceNode:
			merged = append(merged, followed(value).Content...)
		default:
			merged = append(merged, value)
		}
	}
	for _, source := range merged {
		if fields, ok := valueOf(source).(map[string]any); ok {
			for key, value := range fields {
				if _, have := object[key]; !have {
					object[key] = value
				}
			}
		}
	}
	return object
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

func rootDocument(root *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}
}
