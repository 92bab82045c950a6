package shape

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/expressions/jsonata"
)

// foreignValues are words of other languages for values, with what to write here.
var foreignValues = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"undefined": "a missing value is tested by $exists(…)", "None": "write null, or test by $exists(…)", "nil": "write null, or test by $exists(…)",
		"Null": "write null", "NULL": "write null", "True": "write true", "TRUE": "write true", "False": "write false", "FALSE": "write false", "NaN": "a number is always finite",
		"Math": "functions have no object: $max(…), $round(…)", "JSON": "a value becomes JSON by $string(…)", "Object": "functions have no object: $keys(…), $merge(…)",
		"Array": "functions have no object: $type(…) = \"array\"", "Date": "the time is $now() or $millis()", "this": "the current value is $",
	}
})

// listFields are what other languages read of a list as a field.
var listFields = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"length": "$count(%s)", "size": "$count(%s)", "count": "$count(%s)", "first": "%s[0]", "last": "%s[-1]", "sum": "$sum(%s)", "keys": "$keys(%s)",
	}
})

// fieldHint returns the remedy for a name that is not known where it is read; s is the value that is read, whole the list that it is an item of, owner their text.
func (in *inferrer) fieldHint(name string, s, whole Shape, owner string) remedy {
	if hint := foreignValues()[name]; hint != "" {
		return remedy{hint: hint}
	}
	if form := listFields()[name]; form != "" && owner != "" && (s.can(kindArray) && !s.can(kindObject) || !whole.IsAny() && whole.can(kindArray)) {
		return remedy{hint: "write " + fmt.Sprintf(form, owner)}
	}
	return in.ofVariable(name)
}

// ofVariable returns the remedy for a field that a variable in scope has: in a function, $ and plain names are read from the context.
func (in *inferrer) ofVariable(field string) remedy {
	for s := in.scope; s != nil; s = s.outer {
		for _, name := range sortedNames(s.vars) {
			of := s.vars[name].shape
			if _, has := of.get().field(field); has && !of.IsAny() {
				return meant("$" + name + "." + field)
			}
		}
	}
	return remedy{}
}

// countsOne reports $count of one text or object, which is always 1.
func (in *inferrer) countsOne(s *site) {
	if len(s.args) == 0 || s.args[0].shape.IsAny() {
		return
	}
	var hint string
	switch s.args[0].shape.get().kinds {
	case kindString:
		hint = "the number of its characters is $length(…)"
	case kindObject:
		hint = "the number of its fields is $count($keys(…))"
	default:
		return
	}
	in.report(s.place(0), CodeWrongArgument, fmt.Sprintf("%s and no list, so that $count is always 1", in.described(s.place(0), s.args[0])), hint)
}

// typeNames are the results of $type.
var typeNames = []string{"array", "boolean", "function", "null", "number", "object", "string"}

// unknownType reports a comparison of $type with a word that is no type.
func (in *inferrer) unknownType(t *tree) bool {
	for i := range t.Parts {
		call, word := &t.Parts[i], &t.Parts[1-i]
		if call.Kind != jsonata.CallKind || call.Parts[0].Kind != jsonata.VariableKind || call.Parts[0].Text != "type" || word.Kind != jsonata.StringKind || slices.Contains(typeNames, word.Text) {
			continue
		}
		hint := "$type returns " + strings.Join(typeNames, ", ")
		if word.Text == "undefined" {
			hint = "of a missing value $type is missing, too: write $exists(…)"
		}
		in.report(t, CodeConstantComparison, fmt.Sprintf("$type never returns %s", in.text(word)), hint)
		return true
	}
	return false
}

// ordersBy reports a term of ^( ) that is the same for all items, or by which nothing can be ordered.
func (in *inferrer) ordersBy(t *tree, term fact) {
	switch {
	case t.Kind == jsonata.StringKind && plainName(t.Text):
		in.report(t, CodeConstantCondition, fmt.Sprintf("the items are sorted by the text %s, which is the same for all", in.text(t)), fmt.Sprintf("write the field without quotes: ^(%s)", t.Text))
	case term.excludes(kindNumber | kindString):
		in.report(t, CodeWrongOperand, fmt.Sprintf("%s, but items are sorted by numbers or strings", in.described(t, term)), "sort by a field: ^(field) or ^(>field)")
	}
}

// items reports parts of a list that is written as an argument which the function rejects.
func (in *inferrer) items(s *site, i int, p param) (found bool) {
	list := s.place(i)
	if p.items == 0 || list.Kind != jsonata.ArrayKind || i >= len(s.trees) || s.trees[i] == nil {
		return false
	}
	for k := range list.Parts {
		part := &list.Parts[k]
		var v fact
		in.silently(func() { v = in.infer(part, s.focus) })
		if items := v.shape.item(); v.shape.IsAny() || items.isNone() || items.can(p.items) {
			continue
		}
		by := map[kinds]string{kindString: "string", kindNumber: "number"}[p.items]
		if v.shape.can(kindObject | kindArray) {
			by = ""
		}
		certain := s.complete() && !p.lax && !v.shape.MayBeNothing() && surelyFilled(v.shape)
		in.reportFailure(part, certain, CodeWrongArgument, fmt.Sprintf("%s, but $%s takes %s", in.described(part, v), s.name, p.text()), conversion(by)).converted(in.source, by)
		found = true
	}
	return found
}
