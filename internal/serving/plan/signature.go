package plan

import (
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

func worst(g *graph.Graph, b Beliefs) config.Effect { return graph.WorstEffect(g, b.Effect) }

// argumentNames returns the names of the arguments that a schema declares.
func argumentNames(schema []byte) []string {
	properties := member(decoded(schema), "properties")
	if object, isObject := value.ObjectOf(properties); isObject {
		return object.Keys()
	}
	return nil
}

func decoded(schema []byte) value.Value {
	if len(schema) == 0 {
		return nil
	}
	v, err := value.Decode(schema)
	if err != nil {
		return nil
	}
	return v
}

func member(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		item, _ := object.Get(key)
		return item
	}
	return nil
}

const (
	shownArguments = 12 // of a signature
	shownFields    = 12 // of a form
	shownDepth     = 4  // of a form
)

// signature is a line about a tool: its name, arguments, result, effect and description. What the server says of it is
// quoted as that.
func signature(e *entry) string {
	var b strings.Builder
	b.WriteString(plainName(e.name()) + "(")
	schema := decoded(e.input)
	properties, _ := value.ObjectOf(member(schema, "properties"))
	required := wordsOf(member(schema, "required"))
	if properties != nil {
		keys := slices.Clone(properties.Keys())
		slices.SortStableFunc(keys, func(a, b string) int { // required ones first
			return boolRank(slices.Contains(required, a)) - boolRank(slices.Contains(required, b))
		})
		for i, key := range keys {
			if i == shownArguments {
				b.WriteString(", …")
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(plainName(key))
			if !slices.Contains(required, key) {
				b.WriteByte('?')
			}
			item, _ := properties.Get(key)
			b.WriteString(": " + form(item, 1))
		}
	}
	b.WriteString(") → ")
	if len(e.output) == 0 && len(e.tool.Seen) > 0 {
		b.WriteString("seen " + form(decoded(e.tool.Seen), 1))
	} else {
		b.WriteString(form(decoded(e.output), 1))
	}
	b.WriteString("  " + shownUse(e.effect))
	if e.asks {
		b.WriteString(", asks")
	}
	if text := strings.TrimSpace(wording.Truncate(wording.OneLine(wording.Foreign(e.tool.Description)), shownDescription)); text != "" {
		b.WriteString("  " + quoted(text))
	}
	return b.String()
}

// quoted marks a text as that of a server.
func quoted(text string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(text) + "”"
}

func plainName(name string) string {
	return wording.Truncate(wording.OneLine(wording.Foreign(name)), shownDescription/3)
}

func boolRank(first bool) int {
	if first {
		return 0
	}
	return 1
}

func shownUse(e config.Effect) string {
	switch e {
	case config.ReadEffect:
		return "reads"
	case config.WriteEffect:
		return "writes"
	case config.DestroyEffect:
		return "destroys"
	}
	return "unknown"
}

func wordsOf(v value.Value) (words []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if word, isText := item.(string); isText {
			words = append(words, word)
		}
	}
	return words
}

// form returns the form of a schema in short: string, {path: string, size?: number}, [string].
func form(schema value.Value, depth int) string {
	if schema == nil {
		return "unknown"
	}
	if enum, _ := member(schema, "enum").([]any); len(enum) > 0 {
		words := wordsOf(member(schema, "enum"))
		if len(words) == len(enum) && len(words) <= shownFields {
			shown := make([]string, len(words))
			for i, w := range words {
				shown[i] = wording.Quote(plainName(w))
			}
			return strings.Join(shown, "|")
		}
	}
	kinds := wordsOf(member(schema, "type"))
	if kind, isText := member(schema, "type").(string); isText {
		kinds = []string{kind}
	}
	var parts []string
	for _, kind := range kinds {
		switch kind {
		case "object":
			parts = append(parts, objectForm(schema, depth))
		case "array":
			items := "any"
			if of := member(schema, "items"); of != nil && depth < shownDepth {
				items = form(of, depth+1)
			}
			parts = append(parts, "["+items+"]")
		case "string", "number", "integer", "boolean", "null":
			parts = append(parts, kind)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "|")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, _ := member(schema, key).([]any); len(list) > 0 && depth < shownDepth {
			for _, item := range list[:min(len(list), shownFields)] {
				if f := form(item, depth+1); !slices.Contains(parts, f) {
					parts = append(parts, f)
				}
			}
			return strings.Join(parts, "|")
		}
	}
	return "any"
}

func objectForm(schema value.Value, depth int) string {
	properties, _ := value.ObjectOf(member(schema, "properties"))
	if properties == nil || properties.Len() == 0 || depth >= shownDepth {
		return "object"
	}
	required := wordsOf(member(schema, "required"))
	var fields []string
	for i, key := range properties.Keys() {
		if i == shownFields {
			fields = append(fields, "…")
			break
		}
		mark := "?"
		if slices.Contains(required, key) {
			mark = ""
		}
		item, _ := properties.Get(key)
		fields = append(fields, plainName(key)+mark+": "+form(item, depth+1))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
