package flows

import "slices"

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
	var all []*program
	less := func(change func(*program)) {
		c := p.clone()
		change(c)
		all = append(all, c)
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
	return all
}

func (p *program) clone() *program {
	c := *p
	c.tools = make([]*tool, len(p.tools))
	for i, t := range p.tools {
		c.tools[i] = &tool{t.name, slices.Clone(t.fields), cloneNodes(t.nodes)}
	}
	return &c
}

func cloneNodes(nodes []*node) []*node {
	out := make([]*node, len(nodes))
	for i, n := range nodes {
		out[i] = &node{n.id, n.kind, slices.Clone(n.fields), cloneNodes(n.branches)}
	}
	return out
}
