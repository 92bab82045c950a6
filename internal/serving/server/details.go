package server

import (
	"slices"
	"time"

	"toolgraph/expressions/value"
)

// detailsOf returns the details of item i of so many; nil for none, and where the items sent are not those
// of the upstream result but of the JSON in its one text.
func (a *Answer) detailsOf(i, count int) value.Value {
	if len(a.Details) != count {
		return nil
	}
	return a.Details[i]
}

// appendDetailed appends a text item with its details, nil for none.
func appendDetailed[T string | []byte](dst []byte, c *call, text T, details value.Value) []byte {
	dst = appendText(dst, text)
	return append(appendDetails(dst[:len(dst)-1], c, details), '}')
}

// appendDetails appends, as further members of a text item, those of the details of it that are still
// valid once they are redacted. A client may drop the whole result because of an invalid one.
func appendDetails(dst []byte, c *call, details value.Value) []byte {
	if details == nil {
		return dst
	}
	raw, err := value.Encode(details)
	if err != nil {
		return dst
	}
	clean, err := value.Decode(c.from.secrets.RedactJSON(raw))
	if err != nil {
		return dst
	}
	dst = appendMember(dst, `,"annotations":`, annotations(member(clean, "annotations")))
	return appendMember(dst, `,"_meta":`, member(clean, "_meta"))
}

// appendMember appends a member whose value is an object with members, and no other.
func appendMember(dst []byte, name string, v value.Value) []byte {
	if o, isObject := value.ObjectOf(v); !isObject || o.Len() == 0 {
		return dst
	}
	raw, err := value.Encode(v)
	if err != nil {
		return dst
	}
	return append(append(dst, name...), raw...)
}

// annotations returns the members of the annotations of an item that the protocol defines and that are valid.
func annotations(of value.Value) value.Value {
	var keys []string
	var values []value.Value
	add := func(key string, valid bool) {
		if valid {
			keys, values = append(keys, key), append(values, member(of, key))
		}
	}
	audience, _ := member(of, "audience").([]any)
	add("audience", audience != nil && !slices.ContainsFunc(audience, func(role any) bool { return role != "user" && role != "assistant" }))
	priority, isNumber := member(of, "priority").(float64)
	add("priority", isNumber && priority >= 0 && priority <= 1)
	modified, _ := member(of, "lastModified").(string)
	_, err := time.Parse(time.RFC3339, modified)
	add("lastModified", err == nil)
	return value.NewObject(keys, values)
}
