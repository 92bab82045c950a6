package schema

import (
	"fmt"
	"strings"

	"toolgraph/config"
)

// What a schema may have. The library's time to compile grows with the cube of the depth
// (v6.0.3: 40 s at 5,000 levels) with the square of the number of objects, and for references to parts that are
// not known as schemas, with the number of objects for each.
const (
	maxDepth   = 64
	maxObjects = 10_000
	maxStrays  = 500
	maxBytes   = 1 << 20 // of a schema as JSON; a graph file is bounded as a whole
)

// SizeError is a schema that is too large to be used.
type SizeError struct{ message string }

func (e *SizeError) Error() string { return e.message }

// tooLarge is why a schema has too many parts, or "".
func tooLarge(document any) string {
	found := census{}
	found.count(document)
	switch {
	case found.objects > maxObjects:
		return fmt.Sprintf("has %d objects, at most %d are allowed", found.objects, maxObjects)
	case found.strays > maxStrays:
		return fmt.Sprintf("has %d references to parts that are not in $defs, definitions or properties, at most %d are allowed", found.strays, maxStrays)
	}
	return ""
}

// census counts the parts of a schema.
type census struct{ objects, strays int }

func (c *census) count(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.count(item)
		}
	case map[string]any:
		c.objects++
		for key, item := range v {
			if ref, isText := item.(string); isText && key == "$ref" && isStray(ref) {
				c.strays++
			}
			c.count(item)
		}
	}
}

func isStray(ref string) bool {
	for _, head := range []string{"#/$defs/", "#/definitions/", "#/properties/"} {
		if strings.HasPrefix(ref, head) {
			return false
		}
	}
	return strings.HasPrefix(ref, "#/")
}

// deeperThan is the first part of d that is nested deeper than limit, or nil.
func deeperThan(d *config.Data, limit int) *config.Data {
	if d == nil || len(d.Items) == 0 {
		return nil
	}
	if limit == 0 {
		return d
	}
	for _, item := range d.Items {
		if deep := deeperThan(item, limit-1); deep != nil {
			return deep
		}
	}
	return nil
}

// tooDeep is deeperThan for JSON.
func tooDeep(v any, limit int) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if limit == 0 || tooDeep(item, limit-1) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if limit == 0 || tooDeep(item, limit-1) {
				return true
			}
		}
	}
	return false
}
