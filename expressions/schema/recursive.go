package schema

import (
	"fmt"
	"slices"

	"toolgraph/config"
)

// maxTargets bounds how many targets of references, and how many lists of branches,
// warnRecursive looks at.
const maxTargets = 300

// warnRecursive warns of a recursive oneOf, anyOf or allOf of which several branches lead
// back to the same definition: validators that try each branch, as those of many hosts
// do, take time that doubles with each level of the value. A choice whose branches differ
// in a constant is fine, since a validator leaves the wrong branch there.
func warnRecursive(source *config.Data, field string, found *config.Diagnostics) {
	if source == nil {
		return
	}
	r := recursion{refs: &defaults{root: source, anchors: map[string]*config.Data{}}, direct: map[*config.Data]targets{}, closed: map[*config.Data]targets{}}
	r.refs.findAnchors(source)
	if r.collect(source); len(r.direct) == 0 || len(r.direct) > maxTargets {
		return
	}
	r.direct[source] = r.within(source)
	r.walk(source, nil, []*config.Data{source}, func(list *config.Data, path []string) {
		found.Warn(list.Pos, "schema-recursive",
			fmt.Sprintf("%s%s: several branches refer back to the same part, and validators that try every branch, "+
				"as those of many hosts do, may never come to an end", field, pathText(nil, path)),
			"move what the branches share out of them, or give each branch a constant by which it differs")
	})
}

type targets map[*config.Data]bool

// recursion is what the parts of a schema refer to.
type recursion struct {
	refs   *defaults
	direct map[*config.Data]targets // by the target of a reference: what is referred to inside of it
	closed map[*config.Data]targets // by the target of a reference: all that it leads to
	looked int                      // lists of branches
}

// collect finds the targets of all references.
func (r *recursion) collect(part *config.Data) {
	for to := range r.within(part) {
		if _, known := r.direct[to]; !known && len(r.direct) <= maxTargets {
			r.direct[to] = r.within(to)
		}
	}
}

// within are the targets of the references inside a part.
func (r *recursion) within(part *config.Data) targets {
	all := targets{}
	var walk func(d *config.Data)
	walk = func(d *config.Data) {
		for i, item := range d.Items {
			if d.Kind == config.KindObject && d.Keys[i].Value == "$ref" {
				if text, isText := item.Scalar.(string); isText {
					if to := r.refs.resolve(text); to != nil {
						all[to] = true
					}
				}
			}
			walk(item)
		}
	}
	walk(part)
	return all
}

// reach are the targets that a part leads to.
func (r *recursion) reach(part *config.Data) targets {
	all := targets{}
	for to := range r.within(part) {
		r.close(to, all)
	}
	return all
}

// close adds a target and what it leads to.
func (r *recursion) close(to *config.Data, all targets) {
	if !all[to] {
		all[to] = true
		for next := range r.direct[to] {
			r.close(next, all)
		}
	}
}

// walk calls report for each list of branches that is recursive in several of them.
// owners are the targets that the part stands in.
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
	if r.looked++; len(branches) < 2 || r.looked > maxTargets {
		return false
	}
	seen := targets{}
	for _, branch := range branches {
		for to := range r.reach(branch) {
			if !r.leadsTo(to, owners) {
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

func (r *recursion) leadsTo(from *config.Data, owners []*config.Data) bool {
	all := r.closed[from]
	if all == nil {
		all = targets{}
		r.close(from, all)
		r.closed[from] = all
	}
	return slices.ContainsFunc(owners, func(owner *config.Data) bool { return all[owner] })
}

// differ reports whether each branch wants another constant of a property of one name.
func (r *recursion) differ(branches []*config.Data) bool {
	parts := make([][]*config.Data, len(branches))
	for i, branch := range branches {
		parts[i] = r.refs.applying(branch)
	}
	names, _ := properties(parts[0])
	for _, name := range names {
		seen := map[string]bool{}
		for _, own := range parts {
			seen[constantOf(own, name)] = true
		}
		if len(seen) == len(branches) && !seen[""] {
			return true
		}
	}
	return false
}

// constantOf is the one value of a property that the parts of a branch allow, as JSON, or "".
func constantOf(parts []*config.Data, name string) string {
	for _, part := range parts {
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
