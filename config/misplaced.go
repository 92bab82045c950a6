package config

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// misplaced returns the remedy for a key that belongs to a mapping inside its own, or around it; "" when
// there is none. The names of env are upper-case by custom, so that cwd there is a key of the server.
func misplaced(f *form, name string) string {
	for _, inner := range []struct {
		of   *form
		key  string
		form *form
	}{
		{nodeForms()[MCPNode], "retry", pollForm()},
		{nodeForms()[MCPNode], "retry", retryForm()},
		{nodeForms()[MCPNode], "cache", cacheForm()},
		{nodeForms()[MCPNode], "forEach", forEachForm()},
		{nodeForms()[GraphNode], "forEach", forEachForm()},
		{nodeForms()[AskNode], "onError", onErrorForm()},
		{nodeForms()[TransformNode], "transform", transformForm()},
		{fileForm(), "server", serverForm()},
		{fileForm(), "executionLimits", limitsForm()},
		{fileForm(), "allow", allowForm()},
		{toolForm(), "executionLimits", limitsForm()},
		{toolForm(), "allow", allowForm()},
		{toolForm(), "annotations", annotationsForm()},
	} {
		if f.name == inner.of.name && inner.form.find(name) != nil {
			return "it is a key of " + inner.key + ": write " + inner.key + ": {" + wording.Shorten(name) + ": …}"
		}
		if f == inner.form && inner.of.find(name) != nil && !inner.of.find(name).older {
			return "it is a key of " + inner.of.name + ": write it beside " + inner.key
		}
	}
	return ""
}

// serverKeys warns of keys of the server in its env: there are upper-case names beside them, or none.
func (d *decoder) serverKeys(fs *fields, env *item) {
	if env == nil || env.kind != itemMapping || fs.form != upstreamForm() {
		return
	}
	var own []Text
	for i, key := range env.keys {
		switch {
		case fs.form.find(key.Value) != nil && fs.get(key.Value) == nil && (key.Value == "cwd" || key.Value != strings.ToLower(key.Value)) && env.items[i].kind == itemScalar:
			own = append(own, key)
		case key.Value != strings.ToUpper(key.Value):
			return
		}
	}
	for _, key := range own {
		d.found.Warn(key.Pos, "ignored-key", fmt.Sprintf("%s in env of %s is an environment variable of the process, not the key of the server", wording.Quote(key.Value), fs.who),
			"write it beside env")
	}
}

// nextWithin returns the next of a node that has none itself, but inside another of its mappings, and
// reports its place.
func (fs *fields) nextWithin() Text {
	for i, key := range fs.at.keys {
		it := fs.at.items[i]
		if !slices.Contains([]string{"args", "transform", "retry", "cache", "forEach", "schema", "onError"}, key.Value) {
			continue
		}
		within := key.Value
		if key.Value == "onError" { // it has a next of its own
			it, within = it.get("value"), "value of onError"
		}
		if it.get("next").word() == "" {
			continue
		}
		if slices.Contains([]string{"args", "schema", "onError"}, key.Value) { // others do not know the key
			at := it.keys[slices.IndexFunc(it.keys, func(k Text) bool { return k.Value == "next" })]
			fs.d.found.Add(at.Pos, "missing-next", fs.who+" has no next, and "+within+" has one", "write next beside "+key.Value)
		}
		return it.get("next").text
	}
	return Text{}
}
