package flows

import (
	"regexp"
	"slices"
)

// shrink leaves out nodes, branches and optional fields of a program for as long as it still fails.
func shrink(p *program, fails func(*program) bool) *program {
	for again := true; again; {
		again = false
		for _, smaller := range p.smaller() {
			if fails(smaller) {
				p, again = smaller, true
				break
			}
		}
	}
	return p
}

// smaller are the programs that lack one thing.
func (p *program) smaller() []*program {
	var smaller []*program
	less := func(change func(*program)) {
		c := p.clone()
		change(c)
		smaller = append(smaller, c)
	}
	if len(p.tools) > 1 {
		less(func(c *program) { c.tools = c.tools[:len(c.tools)-1] })
	}
	for i, t := range p.tools {
		for j, n := range t.nodes {
			if n.kind != "entry" && n.kind != "exit" {
				less(func(c *program) { c.tools[i].nodes = slices.Delete(c.tools[i].nodes, j, j+1) })
			}
		}
		for k, f := range t.fields {
			if f.optional {
				less(func(c *program) { c.tools[i].fields = slices.Delete(c.tools[i].fields, k, k+1) })
			}
		}
		for j, s := range all(t.steps) {
			less(func(c *program) { c.tools[i].without(s.id) })
			for k, f := range s.fields {
				if f.optional {
					less(func(c *program) {
						own := all(c.tools[i].steps)[j]
						own.fields = slices.Delete(own.fields, k, k+1)
					})
				}
			}
		}
		for j, n := range t.nodes {
			for k, f := range n.fields {
				if f.optional {
					less(func(c *program) { c.tools[i].nodes[j].fields = slices.Delete(c.tools[i].nodes[j].fields, k, k+1) })
				}
			}
			for l, b := range n.branches {
				if len(n.branches) > 2 {
					less(func(c *program) { c.tools[i].nodes[j].branches = slices.Delete(c.tools[i].nodes[j].branches, l, l+1) })
				}
				for k, f := range b.fields {
					if f.optional {
						less(func(c *program) {
							branch := c.tools[i].nodes[j].branches[l]
							branch.fields = slices.Delete(branch.fields, k, k+1)
						})
					}
				}
			}
		}
	}
	return smaller
}

func (p *program) clone() *program {
	c := *p
	c.tools = make([]*tool, len(p.tools))
	for i, t := range p.tools {
		c.tools[i] = &tool{t.name, slices.Clone(t.fields), cloneNodes(t.nodes), cloneNodes(t.steps)}
	}
	return &c
}

// all are steps and those of the blocks in them.
func all(steps []*node) (found []*node) {
	for _, s := range steps {
		found = append(append(found, s), all(s.steps)...)
	}
	return found
}

// without removes a step; what reads it reads nothing then.
func (t *tool) without(id string) {
	t.steps = remove(t.steps, id)
	name := regexp.MustCompile(`\b` + id + `\b`)
	forget := func(fields []field) {
		for i := range fields {
			fields[i].text = name.ReplaceAllString(fields[i].text, "args.gone")
		}
	}
	forget(t.fields)
	for _, s := range all(t.steps) {
		forget(s.fields)
	}
}

func remove(steps []*node, id string) []*node {
	steps = slices.DeleteFunc(steps, func(s *node) bool { return s.id == id })
	for _, s := range steps {
		s.steps = remove(s.steps, id)
	}
	return steps
}

func cloneNodes(nodes []*node) []*node {
	if nodes == nil {
		return nil
	}
	out := make([]*node, len(nodes))
	for i, n := range nodes {
		out[i] = &node{n.id, n.kind, slices.Clone(n.fields), cloneNodes(n.branches), cloneNodes(n.steps)}
	}
	return out
}
