package plan

import (
	"fmt"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// maxDepth is how deep the values of a plan may be nested: 8 blocks, and the arguments of a call in the innermost.
const maxDepth = 64

// placer makes data of a request whose places are paths.
type placer struct{ number int }

// data returns a value as data of a file. The error says where it is nested too deep.
func (p *placer) data(path string, v value.Value, depth int) (*config.Data, error) {
	p.number++
	data := &config.Data{Pos: config.PathPos(path, p.number)}
	if depth > maxDepth {
		return nil, fmt.Errorf("the plan is nested more than %d levels deep", maxDepth)
	}
	if object, isObject := value.ObjectOf(v); isObject {
		data.Kind = config.KindObject
		for _, key := range object.Keys() {
			item, _ := object.Get(key)
			at := within(path, key)
			data.Keys = append(data.Keys, config.Text{Value: key, Pos: config.PathPos(at, p.number+1)})
			child, err := p.data(at, item, depth+1)
			if err != nil {
				return nil, err
			}
			data.Items = append(data.Items, child)
		}
		return data, nil
	}
	switch v := v.(type) {
	case []any:
		data.Kind = config.KindArray
		for i, item := range v {
			child, err := p.data(path+"["+strconv.Itoa(i)+"]", item, depth+1)
			if err != nil {
				return nil, err
			}
			data.Items = append(data.Items, child)
		}
	case string:
		data.Scalar, data.Text = v, config.Text{Value: v, Pos: data.Pos}
	default:
		if v != value.Null {
			data.Scalar = v
		}
	}
	return data, nil
}

// within returns the path of a member of a value.
func within(path, key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	switch {
	case !plain:
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
