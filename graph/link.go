package graph

import (
	"context"
	"fmt"

	"toolgraph/config"
)

// link resolves the ways out of a node.
func (c *compiler) link(ctx context.Context, node Node, n *config.Node) {
	if s := node.oneWay(); s != nil {
		s.Next = c.resolveNext(node, n)
		if o := OnErrorOf(node); o != nil && given(n.OnError.Next) {
			o.hasNext = true
			o.Next = c.resolve(node, n.OnError.Next, n.OnError.Pos, fmt.Sprintf("onError of node %q", n.ID.Value))
		}
	} else if s, isSwitch := node.(*Switch); isSwitch {
		c.linkSwitch(ctx, s, n)
	}
}

// given reports whether a node has a field, be it empty.
func given(t config.Text) bool { return t.IsSet() || t.Value != "" }

// linkSwitch resolves the conditions of a switch and its default: the first condition that
// always holds, else the node's own next.
func (c *compiler) linkSwitch(ctx context.Context, node *Switch, n *config.Node) {
	checkCap(&c.found, "too-many-conditions", fmt.Sprintf("switch %q", node.id), "conditions", "split it into several switches",
		len(n.Conditions), c.caps.ConditionsPerSwitch, func(i int) config.Pos { return n.Conditions[i].Pos })
	always := 0 // the number of the condition that always holds
	for i, cond := range n.Conditions {
		number := i + 1
		target := c.resolve(node, cond.Next, cond.Pos, fmt.Sprintf("condition %d of switch %q", number, node.id))
		rule, holds := c.condition(ctx, node, cond, number)
		switch {
		case always > 0:
			c.found.Warn(cond.Pos, "unreachable-condition",
				fmt.Sprintf("condition %d of switch %q is never tried: condition %d always holds", number, node.id, always),
				fmt.Sprintf("move it before condition %d or remove it", always)).Fixed(config.RemoveItem(cond.Pos))
		case holds:
			always, node.Default = number, target
		default:
			node.Conditions = append(node.Conditions, Condition{Rule: rule, Next: target})
		}
	}
	c.linkDefault(node, n, always)
}

// condition compiles the rule of a condition and reports whether it always holds.
func (c *compiler) condition(ctx context.Context, node *Switch, cond config.Condition, number int) (rule *Rule, always bool) {
	if cond.Rule == nil {
		return nil, true
	}
	if rule = c.compileRule(ctx, cond.Rule); rule == nil {
		return nil, false
	}
	holds, constant := rule.Constant()
	text, isText := cond.Rule.Scalar.(string)
	switch {
	case constant && isText:
		c.found.Warn(cond.Rule.Pos, "constant-condition",
			fmt.Sprintf("the rule of condition %d of switch %q is a text, which always %s; expected JSON Logic", number, node.id, map[bool]string{true: "holds", false: "fails"}[holds]),
			fmt.Sprintf("to ask an expression, write rule: {var: %q}", text))
	case constant && holds:
		c.found.Warn(cond.Rule.Pos, "constant-condition", fmt.Sprintf("condition %d of switch %q reads nothing and always holds", number, node.id),
			"write next: NODE on the switch itself, and remove it").Fixed(config.RemoveItem(cond.Pos))
	case constant:
		c.found.Warn(cond.Rule.Pos, "constant-condition", fmt.Sprintf("condition %d of switch %q reads nothing and never holds", number, node.id),
			"remove it, or read a node's output with {var: \"node.field\"}").Fixed(config.RemoveItem(cond.Pos))
	}
	return rule, constant && holds
}

func (c *compiler) linkDefault(node *Switch, n *config.Node, always int) {
	hasNext := given(n.Next)
	var target Node
	if hasNext {
		target = c.resolveNext(node, n)
	}
	switch {
	case always > 0 && hasNext:
		c.found.Warn(n.Next.Pos, "unused-default", fmt.Sprintf("next of switch %q is never taken: condition %d always holds", node.id, always),
			fmt.Sprintf("remove next, or give condition %d a rule that can fail", always)).Over(n.Next).Fixed(config.RemoveKey(n.Next.Pos))
	case always > 0:
	case !hasNext:
		c.loose[node.index] = true
		c.found.Add(n.Pos, "switch-without-default",
			fmt.Sprintf("switch %q has no default for when no condition holds, expected next or a last condition without a rule", node.id),
			"add next: NODE").Fixed(c.nextOf(node.index, n.Pos)...)
	default:
		node.Default = target
		if len(n.Conditions) == 0 {
			c.found.Warn(n.Pos, "switch-without-conditions", fmt.Sprintf("switch %q has no conditions, so it always goes to %q", node.id, n.Next.Value),
				"add conditions, or let the node before it go there")
		}
	}
}

// targets returns the ids that a next may name.
func (c *compiler) targets() []string {
	ids := make([]string, 0, len(c.ids))
	for _, id := range c.ids {
		if id != "" && c.tool.Nodes[c.byID[id]].Type != config.EntryNode {
			ids = append(ids, id)
		}
	}
	return ids
}

func (c *compiler) resolveNext(node Node, n *config.Node) Node {
	return c.resolve(node, n.Next, n.Pos, fmt.Sprintf("node %q", n.ID.Value))
}

// resolve returns the node that a next names, or nil and a finding when the tool has no such
// node. pos is the place of the next's owner.
func (c *compiler) resolve(from Node, next config.Text, pos config.Pos, owner string) Node {
	if next.Value == "" {
		c.loose[from.core().index] = true
		c.found.Add(orPos(next.Pos, pos), "missing-next", owner+" has no next, expected the id of the node to go to", "add next: NODE").Fixed(c.nextOf(from.core().index, pos)...)
		return nil
	}
	i, ok := c.byID[next.Value]
	if !ok {
		c.loose[from.core().index] = true
		hint, near := c.suggest(next.Value, c.targets, "the nodes are ")
		c.found.Add(next.Pos, "unknown-node",
			fmt.Sprintf("%s goes to %q, but tool %q has no node with this id", owner, next.Value, c.tool.Name.Value), hint).Meant(next, near)
		return nil
	}
	if c.tool.Nodes[i].Type == config.EntryNode {
		c.found.Add(next.Pos, "entry-as-target",
			fmt.Sprintf("%s goes to the entry %q, expected another node: the entry runs only once", owner, next.Value),
			"go to the node after the entry")
	}
	if _, isSwitch := from.(*Switch); isSwitch && !c.toExit && c.tool.Nodes[i].Type == config.ExitNode {
		c.toExit = true
		c.found.Warn(next.Pos, "switch-to-exit",
			fmt.Sprintf("%s goes straight to the exit, so the result is the text %q: the output of a switch is the id of the node it goes to", owner, next.Value),
			"go to a transform that returns the result")
	}
	return c.nodes[i]
}
