package graph

import (
	"fmt"

	"toolgraph/config"
)

// readResult is the name of the tool by which clients read a result that exceeds maxResultBytes.
const readResult = "read_result"

// checkResults reports what does not go with maxResultBytes.
func checkResults(f *config.File, found *config.Diagnostics) {
	bounded := false
	for _, t := range f.Tools {
		limit := f.Limits.Own(t.Limits).MaxResultBytes
		if limit == 0 || t.Hidden {
			continue
		}
		bounded = true
		if t.OutputSchema != nil {
			found.Warn(t.OutputSchema.Pos, "result-over-schema",
				fmt.Sprintf("tool %q has an outputSchema, so a result over executionLimits.maxResultBytes (%d) is an error: its summary does not match the schema", t.Name.Value, limit),
				"remove outputSchema, or the limit")
		}
	}
	for _, t := range f.Tools {
		if bounded && t.Name.Value == readResult {
			found.Add(t.Name.Pos, "name-taken", fmt.Sprintf("tool %q has the name of the tool by which clients read results over executionLimits.maxResultBytes", readResult), "rename it")
		}
	}
}
