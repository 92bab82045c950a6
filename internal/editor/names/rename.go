package names

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/internal/base/wording"
)

// MayRename returns an error that says why a name cannot be renamed.
func (x *Index) MayRename(n Name) error {
	g := x.graphs[n.File]
	if g == nil {
		return fmt.Errorf("%s %s is of a file that cannot be read: %s", n.Kind, wording.Quote(n.Name), filepath.Base(n.File))
	}
	switch defined := len(x.Definitions(n)) > 0; {
	case n.Kind == Server && g.servers[n.Name].Get("registry") != nil:
		return fmt.Errorf("server %q is taken from a registry by this name; rename it there", n.Name)
	case n.Kind == ServerTool && g.servers[n.In].Get("tools").Get(n.Name) == nil:
		return fmt.Errorf("%q is a tool of server %q, which names its tools itself", n.Name, n.In)
	case !defined && n.Kind == Server:
		return fmt.Errorf("server %q is not defined in %s; rename it where it is defined", n.Name, filepath.Base(n.File))
	case !defined:
		return fmt.Errorf("nothing defines the %s %q; correct the name first", n.Kind, n.Name)
	}
	if t := g.toolOf(n); n.Kind == Branch && word(t.nodes[word(t.nodes[n.In], "next")], "type") == "exit" {
		return fmt.Errorf("branch %q is a property of the result of tool %q; rename it by hand", n.Name, n.Tool)
	}
	for _, u := range x.unclear {
		if u.File == n.File && u.mayHave(n) {
			return fmt.Errorf("%s:%d:%d: %s, so that a use of %q could be missed; change the expression first", filepath.Base(u.Pos.File), u.Pos.Line, u.Pos.Column, u.Why, n.Name)
		}
	}
	if len(x.unread) > 0 && n.Kind != Local {
		return fmt.Errorf("the names in %s are unknown, and one could be %q; correct that file, or rename by hand", filepath.Base(x.unread[0]), n.Name)
	}
	return nil
}

// toolOf returns the tool of a node or branch.
func (g *graphFile) toolOf(n Name) *tool {
	if t := g.tools[n.Tool]; t != nil {
		return t
	}
	return g.shared
}

// mayHave reports whether the name can be what was not found at the place.
func (u *Unclear) mayHave(n Name) bool {
	switch n.Kind {
	case Node:
		return u.Tool == n.Tool && u.In == ""
	case Branch:
		return u.Tool == n.Tool && (u.In == "" || u.In == n.In)
	case Var:
		return u.In == ""
	case Tool, Server, ServerTool, Import, Local:
	}
	return false
}

// rule says which names a kind of thing can have.
type rule struct {
	pattern func() *regexp.Regexp
	allowed string
}

var (
	identifier = rule{wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`), "letters, digits and _, with no digit first"}
	dashed     = rule{wording.Pattern(`^[A-Za-z0-9_-]{1,64}$`), "1 to 64 letters, digits, _ or -"}
	rules      = map[Kind]rule{
		Node:       {wording.Pattern(`^[\pL_]([\pL\pN_ -]{0,62}[\pL\pN_-])?$`), "at most 64 letters, digits, spaces, _ and -, with a letter or _ first"},
		Branch:     identifier,
		Tool:       dashed,
		Server:     dashed,
		ServerTool: dashed,
		Var:        identifier,
		Import:     {wording.Pattern(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`), "1 to 64 letters, digits, _ or -, the first of them no digit"},
		Local:      identifier,
	}
)

// mayBe returns an error that says why a thing cannot have another name.
func (x *Index) mayBe(n Name, to string) error {
	if allowed := rules[n.Kind]; !allowed.pattern().MatchString(to) {
		return fmt.Errorf("%s is no name for a %s, expected %s", wording.Quote(to), n.Kind, allowed.allowed)
	}
	switch g := x.graphs[n.File]; {
	case n.Kind == Node && g.toolOf(n).data.Get("steps") != nil && !isField(to):
		return fmt.Errorf("%s is no name for a step, expected %s", wording.Quote(to), identifier.allowed)
	case n.Kind == Node && g.toolOf(n).data.Get("steps") != nil && (to == "args" || x.shadows(n, to)):
		return fmt.Errorf("%q is read as something else in the same steps; choose another name", to)
	case (n.Kind == Node || n.Kind == Branch) && isReserved(to), n.Kind == Node && to == "__proto__":
		return fmt.Errorf("%q is a word of the expression language; choose another name", to)
	case n.Kind == Local && expressions.IsVariable(to):
		return fmt.Errorf("$%s has a meaning of its own in expressions; choose another name", to)
	case n.Kind == Tool && to == "read_result", n.Kind == Tool && to == word(x.graphs[n.File].root.Get("pipeline"), "name"):
		return fmt.Errorf("%q is the name of another tool that this file lists; choose another name", to)
	}
	other := n
	other.Name = to
	if taken := x.Of(other); len(taken) > 0 {
		at := taken[0].text.Pos
		return fmt.Errorf("%s %q already exists or is used (%s:%d); choose another name", n.Kind, to, filepath.Base(taken[0].Path), at.Line)
	}
	return nil
}

func isReserved(name string) bool {
	return slices.Contains([]string{"and", "or", "in", "true", "false", "null", "function"}, name)
}

// isField reports whether an expression reads a name as a field without backticks.
func isField(name string) bool { return identifier.pattern().MatchString(name) && !isReserved(name) }

// Rename returns the edits of each file, in order, after which a name is another one. The error says
// why there are none. After the edits every occurrence of a name is still one of the same thing, which is
// checked; what the files mean otherwise, the caller checks.
func (x *Index) Rename(n Name, to string) (map[string][]config.Edit, error) {
	if n.Name == to {
		return nil, nil
	}
	if err := x.MayRename(n); err != nil {
		return nil, err
	}
	if err := x.mayBe(n, to); err != nil {
		return nil, err
	}
	edits, err := x.edits(n, to)
	if err != nil {
		return nil, err
	}
	if lost := x.verify(n, to, edits); lost != nil {
		return nil, fmt.Errorf("%q cannot be renamed to %q: the name at %s would mean something else; rename it by hand", n.Name, to, lost.place(x))
	}
	return edits, nil
}

// place returns file:line of an occurrence.
func (o *Occurrence) place(x *Index) string {
	line := 1 + strings.Count(string(x.texts[o.Path][:o.From]), "\n")
	return fmt.Sprintf("%s:%d", filepath.Base(o.Path), line)
}

// edits returns the edits of all occurrences, those of one text together.
func (x *Index) edits(n Name, to string) (map[string][]config.Edit, error) {
	edits := map[string][]config.Edit{}
	all := x.Of(n)
	for i := 0; i < len(all); {
		first := &all[i]
		if first.form == inJSON {
			edits[first.Path] = append(edits[first.Path], config.Edit{From: first.From, To: first.To, Text: to})
			i++
			continue
		}
		var parts []config.Replacement
		for ; i < len(all) && all[i].Path == first.Path && all[i].form != inJSON && all[i].text == first.text; i++ {
			parts = append(parts, all[i].replacement(to))
		}
		made, ok := first.text.Replaced(parts...)
		if !ok {
			return nil, fmt.Errorf("%s: the text there cannot be changed; rename it by hand", first.place(x))
		}
		edits[first.Path] = append(edits[first.Path], made...)
	}
	return edits, nil
}

// replacement returns the text for another name as the occurrence is written. Backticks stay when the
// old name had them without need.
func (o *Occurrence) replacement(to string) config.Replacement {
	written := o.text.Value[o.from:o.to]
	with := to
	switch o.form {
	case inField:
		if had := written[0] == '`'; !isField(to) || had && isField(o.Name.Name) {
			with = "`" + to + "`"
		}
	case inString:
		with = written[:1] + to + written[:1]
	case inText, inJSON:
	}
	return config.Replacement{From: o.from, To: o.to, Text: with}
}

// verify returns an occurrence that is lost or means something else after the edits; nil when there is
// none.
func (x *Index) verify(n Name, to string, edits map[string][]config.Edit) *Occurrence {
	var sources []Source
	for _, path := range sortedKeys(x.texts) {
		sources = append(sources, Source{Path: path, Text: config.Apply(x.texts[path], edits[path])})
	}
	after := Read(sources)
	for _, path := range slices.Sorted(maps.Keys(x.texts)) {
		was, is := x.In(path), after.In(path)
		for i := range was {
			if i >= len(is) || is[i].Name != was[i].renamed(n, to) || is[i].Definition != was[i].Definition {
				return &was[i]
			}
		}
		if len(is) > len(was) {
			return &Occurrence{Path: path, From: min(is[len(was)].From, len(x.texts[path]))}
		}
	}
	return nil
}

// renamed returns the name after another one, or itself, got a new name.
func (n Name) renamed(old Name, to string) Name {
	switch {
	case n == old:
		n.Name = to
	case n.File != old.File:
	case old.Kind == Tool && (n.Kind == Node || n.Kind == Branch) && n.Tool == old.Name,
		old.Kind == Node && n.Kind == Branch && n.Tool == old.Tool && n.In == old.Name,
		old.Kind == Server && n.Kind == ServerTool && n.In == old.Name:
		if old.Kind == Tool {
			n.Tool = to
		} else {
			n.In = to
		}
	}
	return n
}
