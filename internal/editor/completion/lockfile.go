package completion

import "sync"

// lockForm has the keys of a lock. toolgraph lock writes the file; that it is not edited is said at each part.
var lockForm = sync.OnceValue(func() schema {
	text := func(doc string) map[string]any { return map[string]any{"type": "string", "description": doc} }
	object := func(doc string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "description": doc, "properties": properties}
	}
	each := func(doc string, of map[string]any) map[string]any {
		return map[string]any{"type": "object", "description": doc, "additionalProperties": of}
	}
	tool := object("A pinned tool, as its server listed it.", map[string]any{
		"hash":         text("Hash over everything that the server lists of the tool, and over the definition of the server in the graph file."),
		"title":        text("The name for people, in the form that may be shown."),
		"description":  text("The description, in the form that may be shown."),
		"inputSchema":  map[string]any{"type": "object", "description": "JSON Schema of the arguments; check compares args with it."},
		"outputSchema": map[string]any{"type": "object", "description": "JSON Schema of the value; types in expressions come from it."},
		"annotations":  map[string]any{"type": "object", "description": "Hints of the server: readOnlyHint, destructiveHint, idempotentHint, openWorldHint."},
		"omitted":      map[string]any{"type": "array", "description": "The parts that are too large to be stored."},
		"keptHash":     text("Hash over the stored parts, where hash cannot be computed from them."),
		"taskSupport":  map[string]any{"enum": []any{"required"}, "description": "The tool can only be called as a task."},
		"learned":      map[string]any{"const": true, "description": "The outputSchema was inferred from recorded calls; the server declares none."},
		"answers":      map[string]any{"type": "integer", "description": "From how many recorded calls the outputSchema was inferred."},
	})
	return object("The upstream tools of a graph file, pinned. toolgraph lock writes the file; do not edit it.", map[string]any{
		"version": map[string]any{"type": "integer", "description": "The version of the format."},
		"capabilities": object("What the tools of the graph file can do; lock --check reports what the file can do beyond it.", map[string]any{
			"tools": each("The tools of the graph file.", object("What one tool can do.", map[string]any{
				"calls": each("The tools of servers that it may call, as server.tool, each with its effects.", map[string]any{"type": "array", "items": map[string]any{"enum": []any{"read", "write", "destroy"}}}),
				"asks":  map[string]any{"const": true, "description": "It asks the user."},
			})),
			"variables": each("The variables of the environment that each server reads.", map[string]any{"type": "array"}),
		}),
		"servers": each("The servers whose tools are pinned, by their names in mcpServers.", object("A server.", map[string]any{
			"identity": text("What the graph file says of the server: its command or address."),
			"tools":    each("Its pinned tools, by name.", tool),
		})),
	})
})
