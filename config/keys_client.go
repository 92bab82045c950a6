package config

// The keys of a tool, and of the server, that only clients read.

var metaKey = key{
	name: "_meta", doc: "Passed to clients in tools/list, unchanged: for example anthropic/maxResultSizeChars.",
	value: value{"type": "object", "examples": []any{map[string]any{"anthropic/maxResultSizeChars": 200_000}}},
}

func iconsKey(of string) key {
	return key{name: "icons", doc: "Icons of " + of + " for clients that show them.", value: value{
		"type": "array", "items": formValue("icon"), "maxItems": maxIcons,
	}}
}

var iconForm = lazyForm(func() *form {
	return &form{
		name: "an icon", doc: "An image, as the Model Context Protocol defines icons.",
		keys: []key{
			{name: "src", doc: "The image: an https: or data:image/ URL.", value: value{"type": "string", "pattern": "^(https://|data:image/)", "examples": []any{"https://example.com/icon.svg"}}, required: true},
			{name: "mimeType", doc: "Its media type, when the server of src may give another one.", value: textValue("image/svg+xml")},
			{name: "sizes", doc: "The sizes in pixels for which it is meant, or any.", value: listOf(value{"type": "string", "pattern": iconSizePattern, "examples": []any{"48x48", "any"}})},
			{name: "theme", doc: "The background for which it is meant.", value: oneOf("light", "dark")},
		},
	}
})
