package jsonlogic

import (
	"strings"

	"github.com/diegoholiveira/jsonlogic/v3"
)

// secondOpinion asks the jsonlogic library whether it finds a rule valid that has
// passed every check here, which bound its depth and size. The library knows no
// log and takes a bare null for no rule (v3.9.1, validator.go); both are shown to
// it as something it knows.
func secondOpinion(rule any) error {
	if jsonlogic.ValidateJsonLogic(plainRule(rule)) {
		return nil
	}
	return &Error{Message: "the jsonlogic library does not accept the rule"}
}

// plainRule is a copy of the rule in the library's dialect.
func plainRule(rule any) any {
	switch x := rule.(type) {
	case string, bool:
		return x
	case []any:
		items := make([]any, len(x))
		for i, item := range x {
			items[i] = plainRule(item)
		}
		return items
	case map[string]any:
		fields := make(map[string]any, len(x))
		for op, args := range x {
			if op == "log" {
				op = "!!"
			}
			fields[op] = plainRule(args)
		}
		return fields
	}
	return 0.0
}

// knownElsewhere says of an unknown operator that the jsonlogic library has it.
func knownElsewhere(op string) string {
	if !strings.Contains(op, "var") && jsonlogic.ValidateJsonLogic(map[string]any{op: true}) {
		return ", which some libraries add to JSON Logic's own"
	}
	return ""
}
