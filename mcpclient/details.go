package mcpclient

import "toolgraph/expressions/value"

// Details are what the text items of a result say of themselves and its value does not have: one
// entry for each item of the content, in its order. An entry is an object with the annotations and the
// _meta of a text item, as the server wrote them and not redacted, or nil when it has neither or is
// no text. They are nil when no item has any, or all together are longer than 16 KiB.
type Details []value.Value

const detailsMost = 16 << 10 // bytes of the details of one result

// textItem is a text item of a content array.
type textItem struct {
	text              string
	annotations, meta []byte // raw; nil when missing
}

// details returns an entry of Details, nil for nothing. What is no JSON object is left out.
func (t *textItem) details() value.Value {
	var keys []string
	var values []value.Value
	for _, part := range []struct {
		key string
		raw []byte
	}{{"annotations", t.annotations}, {"_meta", t.meta}} {
		v, err := value.Decode(part.raw)
		if _, isObject := value.ObjectOf(v); err == nil && isObject {
			keys, values = append(keys, part.key), append(values, v)
		}
	}
	if keys == nil {
		return nil
	}
	return value.NewObject(keys, values)
}

// detailsReader makes the Details of a content array with so many items.
type detailsReader struct {
	count, size int // size is in bytes
	details     Details
}

// add adds those of the item i.
func (r *detailsReader) add(i int, t *textItem) {
	size := len(t.annotations) + len(t.meta)
	if r.size += size; size == 0 || r.size > detailsMost {
		return
	}
	if about := t.details(); about != nil {
		if r.details == nil {
			r.details = make(Details, r.count)
		}
		r.details[i] = about
	}
}

func (r *detailsReader) all() Details {
	if r.size > detailsMost {
		return nil
	}
	return r.details
}
