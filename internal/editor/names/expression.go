package names

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
)

// expression reads an expression of a tool.
func (r *reader) expression(t *tool, source config.Text) {
	if source.Value == "" {
		return
	}
	r.note(source)
	e, err := jsonata.Compile(context.Background(), source.Value)
	if err != nil {
		r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, Pos: source.Pos, Why: "the expression does not compile"})
		return
	}
	r.compiled(t, source, e, false)
	for _, ref := range e.References() {
		r.reference(t, source, ref)
	}
}

// compiled reads what is in an expression but for its paths: constants, its own variables, and texts
// that are compared with the output of a switch. relative is for an expression over something else than
// the context.
func (r *reader) compiled(t *tool, source config.Text, e *jsonata.Expression, relative bool) {
	for _, v := range e.Variables() {
		if v.Name == expressions.VarVars && len(v.Path) > 0 {
			r.step(t, source, v.Offset+1+len(v.Name), Name{Kind: Var, File: t.of.path, Name: v.Path[0]})
		}
	}
	if !relative {
		r.compared(t, source, e.Tree())
	}
	r.computed(t, source, e.Tree())
	r.locals(t, source, e.Tree())
}

// reference reads the first step of a path, and the second one when that is a branch.
func (r *reader) reference(t *tool, source config.Text, ref jsonata.Reference) {
	if len(ref.Path) == 0 {
		return
	}
	id := ref.Path[0]
	block := ""
	if r.scope != nil {
		of, found := r.scope.find(id)
		if !found {
			return // args, or no step that can be read here
		}
		block = of
	}
	node := Name{Kind: Node, File: t.of.path, Tool: t.name, In: block, Name: id}
	how := inField
	if ref.Function != "" {
		how = inString
	}
	end, ok := wordAt(source.Value, ref.Offset, id)
	if !ok {
		r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, Pos: source.At(ref.Offset), Why: "the expression writes a name with escapes"})
		return
	}
	if how == inField && source.Value[ref.Offset] != id[0] && source.Value[ref.Offset] != '`' {
		how = inString
	}
	r.add(source, segment{node, ref.Offset, end}, how, false)
	switch of := t.nodes[id]; {
	case of.Get("branches") == nil || ref.Function == "executionCount":
	case len(ref.Path) > 1 && ref.Function == "":
		r.step(t, source, end, Name{Kind: Branch, File: t.of.path, Tool: t.name, In: id, Name: ref.Path[1]})
	default:
		r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, In: id, Pos: source.At(ref.Offset), Why: "the expression reads all branches"})
	}
}

// step reads the step of a path that follows at an offset.
func (r *reader) step(t *tool, source config.Text, at int, n Name) {
	rest := source.Value[at:]
	after := strings.TrimLeft(rest, " \t\r\n")
	after, dot := strings.CutPrefix(after, ".")
	after = strings.TrimLeft(after, " \t\r\n")
	at += len(rest) - len(after)
	end, ok := wordAt(source.Value, at, n.Name)
	if !dot || !ok {
		r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, Pos: source.At(at), Why: "the expression writes a path in an unusual way"})
		return
	}
	how := inField
	if c := source.Value[at]; c == '"' || c == '\'' {
		how = inString
	}
	r.add(source, segment{n, at, end}, how, false)
}

// wordAt returns the end of a name that is written at an offset: plain, in backticks or in quotes.
func wordAt(source string, at int, name string) (end int, ok bool) {
	if at < 0 || at >= len(source) || name == "" {
		return 0, false
	}
	switch quote := source[at : at+1]; quote {
	case "`", `"`, "'":
		end = at + len(name) + 2
		return end, end <= len(source) && source[at:end] == quote+name+quote
	}
	end = at + len(name)
	return end, end <= len(source) && source[at:end] == name
}

// unquoted returns the place of a name inside its backticks or quotes.
func unquoted(source string, from, to int) (int, int) {
	if c := source[from]; c == '`' || c == '"' || c == '\'' {
		return from + 1, to - 1
	}
	return from, to
}

// rule reads a rule of a condition.
func (r *reader) rule(t *tool, rule *config.Data) {
	if rule == nil {
		return
	}
	compiled, err := jsonlogic.Compile(context.Background(), rule.Value())
	if err != nil {
		r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, Pos: rule.Pos, Why: "the rule does not compile"})
		return
	}
	for _, ref := range compiled.References() {
		if source := rule.At(ref.Var...).Text; source.IsSet() && (!ref.Body || ref.Function != "") {
			r.reference(t, source, ref.Reference)
		}
	}
	for _, read := range compiled.Reads() {
		if source := rule.At(read.Var...).Text; source.Value != "" {
			r.note(source)
		}
		if source := rule.At(read.Var...).Text; read.Expression != nil && source.IsSet() {
			r.compiled(t, source, read.Expression, read.Body)
		}
	}
	r.comparedInRule(t, rule)
}

// isSwitch reports whether a node is a switch, whose output is the id of the node that it went to.
func (t *tool) isSwitch(id string) bool { return word(t.nodes[id], "type") == "switch" }

// goesTo reports whether a switch can go to a node.
func (t *tool) goesTo(id, to string) bool {
	n := t.nodes[id]
	return word(n, "next") == to || slices.ContainsFunc(items(n.Get("conditions")), func(c *config.Data) bool {
		return word(c, "next") == to || word(c, "target") == to
	})
}

// compared reads the texts that an expression compares with the output of a switch.
func (r *reader) compared(t *tool, source config.Text, tree *jsonata.Tree) {
	if tree.Kind == jsonata.OperatorKind && len(tree.Parts) == 2 && slices.Contains([]string{"=", "!=", "in"}, tree.Text) {
		for i := range tree.Parts {
			if id := pathOfOne(&tree.Parts[i]); id != "" && t.isSwitch(id) {
				r.targets(t, source, id, &tree.Parts[1-i])
			}
		}
	}
	for i := range tree.Parts {
		r.compared(t, source, &tree.Parts[i])
	}
}

func (r *reader) targets(t *tool, source config.Text, id string, tree *jsonata.Tree) {
	if tree.Kind == jsonata.ArrayKind {
		for i := range tree.Parts {
			r.targets(t, source, id, &tree.Parts[i])
		}
	}
	if tree.Kind == jsonata.StringKind && t.goesTo(id, tree.Text) {
		if end, ok := wordAt(source.Value, tree.Offset, tree.Text); ok {
			n := t.node(tree.Text)
			r.add(source, segment{n.Name, tree.Offset, end}, inString, false)
		}
	}
}

// pathOfOne returns the name when an expression is $.name or name.
func pathOfOne(tree *jsonata.Tree) string {
	switch {
	case tree.Kind == jsonata.NameKind:
		return tree.Text
	case tree.Kind == jsonata.PathKind && len(tree.Parts) == 1 && tree.Parts[0].Kind == jsonata.NameKind:
		return tree.Parts[0].Text
	case tree.Kind == jsonata.PathKind && len(tree.Parts) == 2 && tree.Parts[0].Kind == jsonata.ContextKind && tree.Parts[1].Kind == jsonata.NameKind:
		return tree.Parts[1].Text
	}
	return ""
}

// comparedInRule is compared for a rule.
func (r *reader) comparedInRule(t *tool, rule *config.Data) {
	each(rule, func(op config.Text, args *config.Data) {
		if !slices.Contains([]string{"==", "===", "!=", "!==", "in"}, op.Value) || len(items(args)) != 2 {
			return
		}
		for i, side := range args.Items {
			of := side.Get("var")
			if of == nil {
				continue
			}
			if list := items(of); len(list) > 0 {
				of = list[0]
			}
			id := strings.TrimPrefix(strings.TrimPrefix(of.Text.Value, "$"), ".")
			if !t.isSwitch(id) {
				continue
			}
			other := args.Items[1-i]
			for _, d := range append([]*config.Data{other}, items(other)...) {
				if t.goesTo(id, d.Text.Value) {
					r.whole(d.Text, Name{Kind: Node, File: t.of.path, Tool: t.name}, false)
				}
			}
		}
	})
	for _, item := range rule.Items {
		r.comparedInRule(t, item)
	}
}

// computed notes calls of history functions whose id is not written out.
func (r *reader) computed(t *tool, source config.Text, tree *jsonata.Tree) {
	if tree.Kind == jsonata.CallKind || tree.Kind == jsonata.PartialCallKind {
		fn := &tree.Parts[0]
		isHistory := fn.Kind == jsonata.VariableKind && jsonata.ReadsNode(fn.Text)
		if isHistory && len(tree.Parts) > 1 && tree.Parts[1].Kind != jsonata.StringKind {
			r.unclear = append(r.unclear, Unclear{File: t.of.path, Tool: t.name, Pos: source.At(tree.Offset), Why: "$" + fn.Text + " computes the id of a node"})
		}
	}
	for i := range tree.Parts {
		r.computed(t, source, &tree.Parts[i])
	}
}

// locals reads the variables that an expression binds itself.
func (r *reader) locals(t *tool, source config.Text, tree *jsonata.Tree) {
	if strings.Contains(source.Value, "$") && !hasKind(tree, jsonata.FocusKind) && !hasKind(tree, jsonata.IndexKind) {
		l := localReader{reader: r, tool: t, source: source, bound: map[string][]int{}}
		l.scope([]jsonata.Tree{*tree})
	}
}

func hasKind(tree *jsonata.Tree, kind jsonata.Kind) bool {
	return tree.Kind == kind || slices.ContainsFunc(tree.Parts, func(part jsonata.Tree) bool { return hasKind(&part, kind) })
}

// localReader finds variables of an expression, each by the block or function that binds it.
type localReader struct {
	*reader
	tool   *tool
	source config.Text
	bound  map[string][]int // by name, the scopes around the part that bind it
}

func (l *localReader) scope(parts []jsonata.Tree) {
	binds := map[string]bool{}
	for i := range parts {
		parts[i].Binds(binds)
	}
	l.scopes++
	for name := range binds {
		l.bound[name] = append(l.bound[name], l.scopes)
	}
	for i := range parts {
		l.walk(&parts[i], false)
	}
	for name := range binds {
		l.bound[name] = l.bound[name][:len(l.bound[name])-1]
	}
}

func (l *localReader) walk(tree *jsonata.Tree, binds bool) {
	switch tree.Kind {
	case jsonata.BlockKind, jsonata.FunctionKind:
		l.scope(tree.Parts)
		return
	case jsonata.VariableKind, jsonata.ParameterKind:
		scopes := l.bound[tree.Text]
		end, ok := wordAt(l.source.Value, tree.Offset+1, tree.Text)
		if len(scopes) > 0 && ok {
			n := Name{Kind: Local, File: l.tool.of.path, In: strconv.Itoa(scopes[len(scopes)-1]), Name: tree.Text}
			l.add(l.source, segment{n, tree.Offset + 1, end}, inText, binds || tree.Kind == jsonata.ParameterKind)
		}
	}
	for i := range tree.Parts {
		l.walk(&tree.Parts[i], tree.Kind == jsonata.AssignmentKind && i == 0)
	}
}
