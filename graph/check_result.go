package graph

import (
	"fmt"

	"toolgraph/config"
)

// readResult is the name of the tool by which clients read a result that exceeds maxResultBytes.
const readResult = "read_result"

// HostKeeps is about how many characters of a result clients keep: 25,000 tokens.
const HostKeeps = 100_000

// HostSizeKey is the key of a tool's _meta by which a client keeps more of its results.
const HostSizeKey = "anthropic/maxResultSizeChars"

// BoundsResult reports whether a tool gives clients no result that they truncate, or says how much of
// it they are to keep.
func BoundsResult(t *config.Tool, limits config.Limits) bool {
	bounded := func(limit int) bool { return limit > 0 && limit <= HostKeeps }
	return t.IsInner() || limits.MaxResultBytes > 0 || bounded(limits.MaxNodeOutputBytes) || t.Meta.Get(HostSizeKey) != nil
}

// allows returns the largest number of characters that a schema declares for a value, by maxLength and
// maxItems; 0 where it declares none.
func allows(schema *config.Data) (most float64) {
	if schema == nil {
		return 0
	}
	number := func(key string) float64 {
		n, _ := schema.Get(key).Value().(float64)
		return n
	}
	most = number("maxLength") + number("maxItems")*allows(schema.Get("items"))
	if properties := schema.Get("properties"); properties != nil {
		for _, property := range properties.Items {
			most += allows(property)
		}
	}
	return most
}

// checkSizes warns of tools whose outputSchema declares results that clients truncate.
func checkSizes(f *config.File, found *config.Diagnostics) {
	for _, t := range f.Tools {
		if most := allows(t.OutputSchema); most > HostKeeps && !BoundsResult(t, f.Limits.Own(t.Limits)) {
			found.Warn(t.OutputSchema.Pos, "large-result",
				fmt.Sprintf("outputSchema of tool %q allows texts of %.0f characters together, and clients may truncate a result above %d", t.Name.Value, most, HostKeeps),
				"lower maxLength or maxItems, or raise the client's limit with _meta: {"+HostSizeKey+": …}")
		}
	}
}

// checkResults reports what does not go with maxResultBytes.
func checkResults(f *config.File, found *config.Diagnostics) {
	bounded := false
	for _, t := range f.Tools {
		limit := f.Limits.Own(t.Limits).MaxResultBytes
		if limit == 0 || t.IsInner() {
			continue
		}
		bounded = true
		if t.OutputSchema != nil {
			found.Warn(t.OutputSchema.Pos, "result-over-schema",
				fmt.Sprintf("tool %q has an outputSchema, so a result over executionLimits.maxResultBytes (%d) is an error: its summary does not match the schema", t.Name.Value, limit),
				"remove outputSchema, or the limit").Fixed(config.RemoveNamed(t.Pos, "outputSchema"))
		}
	}
	for _, t := range f.Tools {
		if bounded && t.Name.Value == readResult {
			found.Add(t.Name.Pos, "name-taken", fmt.Sprintf("tool %q has the name of the tool by which clients read results over executionLimits.maxResultBytes", readResult), "rename it").Over(t.Name).Fixed(config.AnotherName(t.Name))
		}
	}
}
