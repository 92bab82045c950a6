package config

import (
	"fmt"
	"strings"

	"toolgraph/internal/base/wording"
)

// notReplaced matches constants in the notation of other languages, and of expressions.
var notReplaced = wording.Pattern(`\$vars\.([A-Za-z_]\w*)|\{\{\s*\$?vars\.([A-Za-z_]\w*)\s*\}\}|(?:^|[^$])\{\$?vars\.([A-Za-z_]\w*)\}`)

// bareConstants warns of constants in a text of a server in a notation that is not replaced there.
func (d *decoder) bareConstants(t Text, owner string) {
	for _, m := range notReplaced().FindAllStringSubmatchIndex(t.Value, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group] < 0 {
				continue
			}
			v := d.file.Var(t.Value[m[group]:m[group+1]])
			if v == nil {
				continue
			}
			v.InText = true // it is meant
			d.found.Warn(t.At(m[0]), "variable-not-replaced",
				fmt.Sprintf("%s in %s is sent as literal text", wording.Quote(t.Value[m[0]:m[1]]), owner), "write ${vars."+v.Name.Value+"}")
		}
	}
}

// constantsInText warns of ${vars.NAME} in a text in which variables are not replaced.
func (d *decoder) constantsInText(t Text, owner string) {
	if !strings.Contains(t.Value, "${vars.") {
		return
	}
	for _, m := range varReference().FindAllStringSubmatchIndex(t.Value, -1) {
		name := t.Value[m[2]:m[3]]
		if v := d.file.Var(name); v != nil {
			v.InText = true
			d.found.Warn(t.At(m[0]), "variable-not-replaced", "variables are not replaced in "+owner, "write the value of "+name)
			return
		}
	}
}

// constantOf returns the remedy for an environment variable with the name of a constant, or "".
func (d *decoder) constantOf(name string) string {
	v := d.file.Var(name)
	if v == nil {
		return ""
	}
	v.InText = true // it is meant
	return "write ${vars." + wording.Shorten(name) + "}"
}
