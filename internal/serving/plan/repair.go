package plan

import (
	"slices"
	"strconv"

	"toolgraph/config"
)

// noValue is an expression that never has a value, and may stand for one of any type: nothing follows from it.
const noValue = `$error("")`

// repair takes what errors are about out of a plan, so that what is left can be checked. It reports whether it has
// changed anything.
func repair(data *config.Data, found config.Diagnostics) (changed bool) {
	for _, d := range found {
		if d.Severity == config.Error && d.Pos.IsPath() && repairAt(data, d.Pos.File) {
			changed = true
		}
	}
	return changed
}

// repairAt repairs the value at a path below a value, and reports whether it has changed anything.
func repairAt(data *config.Data, path string) bool {
	for k, child := range data.Items {
		if data.Kind == config.KindObject && data.Keys[k].Pos.File == path || child.Pos.File == path {
			return repairValue(data, k, child)
		}
		if repairAt(child, path) {
			return true
		}
	}
	return false
}

// repairValue repairs item i of a value.
func repairValue(parent *config.Data, i int, data *config.Data) bool {
	if isStep(data) && parent.Kind == config.KindArray {
		return neutral(data)
	}
	if parent.Kind == config.KindArray {
		parent.Items = slices.Delete(parent.Items, i, i+1)
		return true
	}
	key := parent.Keys[i].Value
	text, isText := data.Scalar.(string)
	switch {
	case isText && text == noValue:
		return false
	case isStep(parent) && key == "id":
		return rename(data)
	case isStep(parent) && (slices.Contains([]string{"call", "ask"}, key) || kinds(parent) > 1):
		return neutral(parent)
	case isText && slices.Contains([]string{"expr", "return"}, key):
		data.Scalar, data.Text.Value = noValue, noValue
		return true
	}
	parent.Keys, parent.Items = slices.Delete(parent.Keys, i, i+1), slices.Delete(parent.Items, i, i+1)
	return true
}

func isStep(data *config.Data) bool { return data.Kind == config.KindObject && data.Get("id") != nil }

// neutral makes a step one whose value nothing is known of.
func neutral(step *config.Data) bool {
	if e := step.Get("expr"); len(step.Keys) == 2 && e != nil && e.Scalar == noValue {
		return false
	}
	id := step.Get("id")
	if id == nil || id.Kind != config.KindScalar {
		return false
	}
	step.Keys = []config.Text{{Value: "id", Pos: id.Pos}, {Value: "expr", Pos: step.Pos}}
	step.Items = []*config.Data{id, {Pos: step.Pos, Scalar: noValue, Text: config.Text{Value: noValue, Pos: step.Pos}}}
	return true
}

// rename gives a step an id that no other has.
func rename(id *config.Data) bool {
	name := "renamed_" + strconv.Itoa(id.Pos.Column)
	if id.Kind != config.KindScalar || id.Scalar == name {
		return false
	}
	id.Scalar, id.Text = name, config.Text{Value: name, Pos: id.Pos}
	return true
}

// kinds returns how many of the keys a step has of which it must have one.
func kinds(step *config.Data) (n int) {
	for _, key := range []string{"call", "expr", "ask", "steps"} {
		if step.Get(key) != nil {
			n++
		}
	}
	return n
}
