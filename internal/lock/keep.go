package lock

import (
	"bytes"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// keptMost is how large a schema may be that is kept, in bytes of JSON. A graph's lock
// has to fit into a file that can be read.
const keptMost = 64 << 10

// keepable is a schema as the lock keeps it: compact JSON with sorted keys, its
// descriptions as they may be shown, without secrets. It is nil when the schema is too
// large or too deep for the file.
func keepable(raw []byte, secrets *config.Secrets) []byte {
	v, err := value.Decode(secrets.RedactJSON(raw))
	if err != nil {
		return nil
	}
	kept, err := value.Encode(tidy(value.Plain(v)))
	if err != nil || len(kept) > keptMost {
		return nil
	}
	data, err := dataOf(kept)
	if err != nil {
		return nil
	}
	again, err := config.ParseData("", config.EncodeData(data))
	if err != nil || !bytes.Equal(again.JSON(), data.JSON()) {
		return nil
	}
	return kept
}

// verbatim are the keywords whose values are data: every character of them counts.
var verbatim = map[string]bool{"enum": true, "const": true, "default": true, "examples": true}

// tidy is a schema with texts for people as they may be shown.
func tidy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			text, isText := item.(string)
			switch {
			case isText && (key == title || key == description || key == "$comment"):
				out[key] = Shown(text, schemaTextShown)
			case verbatim[key]:
				out[key] = item
			default:
				out[key] = tidy(item)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = tidy(item)
		}
		return out
	}
	return v
}

// dataOf is JSON as data for a file, keys in its order.
func dataOf(src []byte) (*config.Data, error) {
	v, err := value.Decode(src)
	if err != nil {
		return nil, err
	}
	return dataOfPlain(value.Plain(v)), nil
}

// dataOfPlain is plain JSON, with data in it as it is, as data; keys are sorted.
func dataOfPlain(v any) *config.Data {
	switch v := v.(type) {
	case *config.Data:
		return v
	case map[string]any:
		d := &config.Data{Kind: config.KindObject}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.Keys = append(d.Keys, config.Text{Value: key})
			d.Items = append(d.Items, dataOfPlain(v[key]))
		}
		return d
	case []any:
		d := &config.Data{Kind: config.KindArray}
		for _, item := range v {
			d.Items = append(d.Items, dataOfPlain(item))
		}
		return d
	}
	return &config.Data{Scalar: v}
}
