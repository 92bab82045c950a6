package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// warnRequired warns of names in required that are not among the properties: most likely
// one of the two is misspelt. It checks objects whose properties are all in one place,
// which those in the branches of a choice are not.
func warnRequired(d *config.Data, field string, found *config.Diagnostics) {
	if d == nil || d.Kind != config.KindObject {
		return
	}
	properties := d.Get("properties")
	if properties != nil && properties.Kind == config.KindObject {
		if more := d.Get("additionalProperties"); !hasAny(d, elsewhere...) && (more == nil || more.Scalar == false) {
			warnUndeclared(d.Get("required"), properties, field, found)
		}
		for i, item := range properties.Items {
			warnRequired(item, field+pathText(nil, []string{"properties", properties.Keys[i].Value}), found)
		}
	}
	warnRequired(d.Get("items"), field+".items", found)
}

// elsewhere are the keywords that can declare properties beside properties.
var elsewhere = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties",
}

func warnUndeclared(required, properties *config.Data, field string, found *config.Diagnostics) {
	if required == nil || len(properties.Keys) == 0 {
		return
	}
	names := make([]string, len(properties.Keys))
	for i, key := range properties.Keys {
		names[i] = key.Value
	}
	for _, item := range required.Items {
		name, isText := item.Scalar.(string)
		if !isText || properties.Get(name) != nil {
			continue
		}
		near := wording.Nearest(name, names)
		found.Warn(item.Pos, "schema-required",
			fmt.Sprintf("%s requires %s, which is not one of its properties (%s)", field, wording.Quote(name), wording.List(names)),
			cmp.Or(wording.Meant(near), "declare it under properties")).Meant(item.Text, near)
	}
}

// maxTargets bounds how many targets of references, and how many lists of branches,
// warnRecursive checks.
const maxTargets = 300

// warnRecursive warns of a recursive oneOf, anyOf or allOf of which several branches lead
// back to the same definition: validators that try each branch, such as those of many
// hosts, take time that doubles with each level of the value. A choice whose branches
// differ in a constant is fine, since a validator leaves the wrong branch there.
func warnRecursive(source *config.Data, field string, found *config.Diagnostics) {
	if source == nil {
		return
	}
	r := recursion{refs: newResolver(source), direct: map[*config.Data]targets{}, all: map[*config.Data]targets{}}
	direct := r.within(source)
	if len(direct) == 0 || len(direct) > maxTargets {
		return
	}
	for to := range direct {
		r.direct[to] = r.within(to)
	}
	r.direct[source] = direct
	r.walk(source, nil, []*config.Data{source}, func(list *config.Data, path []string) {
		found.Warn(list.Pos, "schema-recursive",
			fmt.Sprintf("%s%s: several branches lead back to the same part; validators that try every branch, as in many hosts, may never finish", field, pathText(nil, path)),
			"move the parts that the branches share out of them, or give each branch a constant by which it differs")
	})
}

type targets map[*config.Data]bool

// recursion has the targets of the references in a schema.
type recursion struct {
	refs    *resolver
	direct  map[*config.Data]targets // by target: the targets of the references inside it
	all     map[*config.Data]targets // by target: itself and all targets that it leads to
	checked int                      // lists of branches
}

// within returns the targets of the references inside a part.
func (r *recursion) within(part *config.Data) targets {
	found := targets{}
	for path, ref := range parts(part) {
		text, isText := ref.Scalar.(string)
		if len(path) == 0 || path[len(path)-1] != "$ref" || !isText {
			continue
		}
		if to := r.refs.resolve(text); to != nil {
			found[to] = true
		}
	}
	return found
}

// reached returns a target and all targets that it leads to.
func (r *recursion) reached(from *config.Data) targets {
	if r.all[from] == nil {
		all := targets{}
		var add func(to *config.Data)
		add = func(to *config.Data) {
			if !all[to] {
				all[to] = true
				for next := range r.direct[to] {
					add(next)
				}
			}
		}
		add(from)
		r.all[from] = all
	}
	return r.all[from]
}

// walk calls report for each list of branches that is recursive in several of them.
// owners are the targets around the part.
func (r *recursion) walk(part *config.Data, path []string, owners []*config.Data, report func(*config.Data, []string)) {
	if _, isTarget := r.direct[part]; isTarget && len(path) > 0 {
		owners = append(owners[:len(owners):len(owners)], part)
	}
	for i, item := range part.Items {
		key := ""
		if part.Kind == config.KindObject {
			key = part.Keys[i].Value
		}
		at := slices.Concat(path, []string{key})
		switch key {
		case "oneOf", "anyOf", "allOf":
			if item.Kind == config.KindArray && r.returns(item.Items, owners) && !r.differ(item.Items) {
				report(item, at)
			}
		case "const", "enum", "default", "examples":
			continue
		}
		r.walk(item, at, owners, report)
	}
}

// returns reports whether two branches lead to one target that leads back to them.
func (r *recursion) returns(branches, owners []*config.Data) bool {
	if r.checked++; len(branches) < 2 || r.checked > maxTargets {
		return false
	}
	seen := targets{}
	for _, branch := range branches {
		reached := targets{}
		for to := range r.within(branch) {
			maps.Copy(reached, r.reached(to))
		}
		for to := range reached {
			if !slices.ContainsFunc(owners, func(owner *config.Data) bool { return r.reached(to)[owner] }) {
				continue
			}
			if seen[to] {
				return true
			}
			seen[to] = true
		}
	}
	return false
}

// differ reports whether there is a property that has another constant in each branch.
func (r *recursion) differ(branches []*config.Data) bool {
	applying := make([][]*config.Data, len(branches))
	for i, branch := range branches {
		applying[i] = r.refs.applying(branch)
	}
	names, _ := properties(applying[0])
	for _, name := range names {
		seen := map[string]bool{}
		for _, own := range applying {
			seen[constantOf(own, name)] = true
		}
		if len(seen) == len(branches) && !seen[""] {
			return true
		}
	}
	return false
}

// constantOf returns the only value of a property that the parts of a branch allow, as
// JSON, or "".
func constantOf(branch []*config.Data, name string) string {
	for _, part := range branch {
		property := part.Get("properties").Get(name)
		if one := property.Get("const"); one != nil {
			return string(one.JSON())
		}
		if list := property.Get("enum"); list != nil && len(list.Items) == 1 {
			return string(list.Items[0].JSON())
		}
	}
	return ""
}
