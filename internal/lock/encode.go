package lock

import "toolgraph/config"

// The versions of the file's format. The first had no seals. A reader refuses any other.
const (
	firstFormat = 1
	version     = 2
)

// sealKey is the key of an entry's seal in the file.
const sealKey = "keptHash"

// Encode is the lock as its file holds it. Equal locks give equal bytes.
func (l *Lock) Encode() []byte {
	const head = "# The upstream tools of the graph file, as their servers told them when they were locked.\n" +
		"# Written by `toolgraph lock`; commit it beside the graph, and do not edit it.\n"
	servers := map[string]any{}
	tools := map[string]map[string]any{}
	for _, e := range l.Entries {
		if tools[e.Server] == nil {
			tools[e.Server] = map[string]any{}
			servers[e.Server] = map[string]any{"identity": e.Identity, "tools": tools[e.Server]}
		}
		tools[e.Server][e.Tool] = e.plain()
	}
	root := &config.Data{
		Kind: config.KindObject, Keys: []config.Text{{Value: "version"}, {Value: "servers"}},
		Items: []*config.Data{{Scalar: float64(version)}, dataOfPlain(servers)},
	}
	return append([]byte(head), config.EncodeData(root)...)
}

// plain is the entry as dataOfPlain takes it.
func (e Entry) plain() map[string]any {
	out := map[string]any{"hash": e.Hash}
	for name, text := range map[string]string{title: e.Title, description: e.Description} {
		if text != "" {
			out[name] = text
		}
	}
	for name, src := range map[string][]byte{inputSchema: e.Input, outputSchema: e.Output, annotations: e.Annotations} {
		if data, err := dataOf(src); err == nil { // it is JSON, unless there is none
			out[name] = data
		}
	}
	if len(e.Omitted) > 0 {
		list := make([]any, len(e.Omitted))
		for i, name := range e.Omitted {
			list[i] = name
		}
		out["omitted"] = list
	}
	if e.Seal != "" {
		out[sealKey] = e.Seal
	}
	if e.Learned > 0 {
		out["learned"], out["answers"] = true, float64(e.Learned)
	}
	return out
}
