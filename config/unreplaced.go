package config

import (
	"fmt"
	"path/filepath"
	"slices"
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

// bareVariable matches a variable of the environment as shells write it, where it is a word or a part of a path or an address.
var bareVariable = wording.Pattern(`(?:^|[\s=:/@,"'])(\$([A-Z][A-Z0-9_]+))(?:$|[\s/:@,."'?&])`)

// bareVariables warns of variables of the environment without braces in a text of a server.
func (d *decoder) bareVariables(t Text, owner string) {
	for _, m := range bareVariable().FindAllStringSubmatchIndex(t.Value, -1) {
		d.found.Warn(t.At(m[2]), "variable-not-replaced",
			fmt.Sprintf("%s in %s is sent as literal text", wording.Quote(t.Value[m[2]:m[3]]), owner), "write ${"+wording.Shorten(t.Value[m[4]:m[5]])+"}")
	}
}

// bareInArgs warns of them in the arguments of a program. A shell replaces them itself.
func (d *decoder) bareInArgs(command string, items []*item, owner string) {
	shells := []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "env", "pwsh", "powershell"}
	if slices.Contains(shells, strings.TrimSuffix(filepath.Base(command), ".exe")) {
		return
	}
	for _, it := range items {
		if text, isText := it.looseText(); isText {
			d.bareVariables(text, owner)
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
