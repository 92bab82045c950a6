package checks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/graph/flow"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// mostCut is how many tools are left out of a text that is no YAML.
const mostCut = 8

// aroundSyntax adds to the finding that a text is no YAML what is found in the tools that do not have the broken
// line. Where the break cannot be limited to one tool, as with a quote that is never closed, nothing is added.
func aroundSyntax(ctx context.Context, path string, src []byte, opts config.Options, broken config.Diagnostics, clean *flow.Clean) (config.Diagnostics, error) {
	lines := strings.SplitAfter(string(src), "\n")
	var cuts []cut
	for at := syntaxLine(path, broken); at > 0; {
		c, ok := cutAt(lines, at)
		if !ok || len(cuts) == mostCut || slices.ContainsFunc(cuts, func(before cut) bool { return before.from == c.from }) {
			broken.Sort() // what is left may break where it did before: that is one finding
			return broken, nil
		}
		cuts = append(cuts, c)
		c.apply(lines)
		p, err := project.Parse(ctx, path, []byte(strings.Join(lines, "")), opts)
		var found config.Diagnostics
		if err != nil && !errors.As(err, &found) {
			return nil, err
		}
		if at = syntaxLine(path, found); at > 0 {
			broken = append(broken, found...)
			continue
		}
		if p == nil {
			return broken, nil
		}
		rest, err := beside(ctx, p, found, opts.ReadFile, Beside{Clean: clean})
		if err != nil {
			return nil, err
		}
		return withoutCuts(p.File, broken, rest.Found, cuts), nil
	}
	return broken, nil
}

// syntaxLine returns the line of the finding that a text is no YAML; 0 without one.
func syntaxLine(path string, found config.Diagnostics) int {
	for _, d := range found {
		if d.Code == "yaml-syntax" && d.Pos.File == path {
			return d.Pos.Line
		}
	}
	return 0
}

// withoutCuts adds to the findings of the breaks those about tools that are whole. What may come of a
// tool that is left out is not among them: what nothing uses, and calls of a tool whose name is not known.
func withoutCuts(file *config.File, broken, rest config.Diagnostics, cuts []cut) config.Diagnostics {
	nameless := slices.ContainsFunc(cuts, func(c cut) bool { return c.name == "" })
	for _, d := range rest {
		in := project.ToolAt(file, d.Pos)
		isCut := slices.ContainsFunc(cuts, func(c cut) bool { return c.from < d.Pos.Line && d.Pos.Line <= c.to })
		if in == nil || isCut || d.Code == "unused-hidden" || nameless && d.Code == "unknown-graph" {
			continue
		}
		broken = append(broken, d)
	}
	broken.Sort()
	return broken
}

// cut is an entry of tools: the lines after from, up to and with to, counted from 1.
type cut struct {
	from, to int
	indent   string
	name     string // as it is written; "" when it cannot be seen
}

var (
	toolsKey  = wording.Pattern(`^tools:\s*(#.*)?$`)
	listItem  = wording.Pattern(`^( *)- `)
	nameOfOne = wording.Pattern(`^ *(?:- *)?\{? *name: *([A-Za-z0-9_.-]+|"[^"]*"|'[^']*') *(?:,.*|#.*)?$`)
)

// cutAt returns the entry of tools that has a line.
func cutAt(lines []string, at int) (c cut, ok bool) {
	text := func(i int) string { return strings.TrimRight(lines[i], "\r\n") }
	top := slices.IndexFunc(lines, func(line string) bool { return toolsKey().MatchString(strings.TrimRight(line, "\r\n")) })
	if top < 0 || at <= top+1 {
		return cut{}, false
	}
	indent, end := "", len(lines)
	var begins []int
	for i := top + 1; i < len(lines); i++ {
		line := text(i)
		if item := listItem().FindStringSubmatch(line); item != nil && (begins == nil || item[1] == indent) {
			indent, begins = item[1], append(begins, i)
		} else if line != "" && !strings.ContainsAny(line[:1], " \t#-") {
			end = i
			break
		}
	}
	n := len(begins)
	for n > 0 && begins[n-1] > at-1 {
		n--
	}
	if n == 0 || at-1 >= end {
		return cut{}, false
	}
	c = cut{from: begins[n-1], to: end, indent: indent}
	if n < len(begins) {
		c.to = begins[n]
	}
	for i := c.from; i < c.to && c.name == ""; i++ {
		if name := nameOfOne().FindStringSubmatch(text(i)); name != nil {
			c.name = name[1]
		}
	}
	return c, true
}

// apply puts a tool of the same name without any work in the place of the entry. All other lines keep their numbers.
func (c cut) apply(lines []string) {
	for i := c.from; i < c.to; i++ {
		lines[i] = strings.Repeat("\n", strings.Count(lines[i], "\n"))
	}
	if c.name != "" {
		lines[c.from] = c.indent + "- {name: " + c.name + ", description: cut, inputSchema: {type: object}, nodes: " +
			"[{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}" + lines[c.from]
	}
}
