package expressions

import (
	"strings"
	"testing"
)

// outline is the tree as text: kind:text(parts).
func outline(t *Tree) string {
	text := t.Kind
	if t.Text != "" {
		text += ":" + t.Text
	}
	if len(t.Parts) == 0 {
		return text
	}
	parts := make([]string, len(t.Parts))
	for i := range t.Parts {
		parts[i] = outline(&t.Parts[i])
	}
	return text + "(" + strings.Join(parts, " ") + ")"
}

func TestTree(t *testing.T) {
	for source, want := range map[string]string{
		`$.a.b[x > 1.5] & "s"`:            `operator:&(path(context:$ name:a predicate(name:b operator:>(name:x number:1.5))) string:s)`,
		`$sum(list.(-3 + qty)) ?? 0`:      `operator:??(call(variable:sum path(name:list block(operator:+(number:-3 name:qty)))) number:0)`,
		`a or b`:                          `operator:or(name:a name:b)`,
		`($f := function($x){$x}; $f(?))`: `block(assignment(variable:f function(parameter:x variable:x)) partial call(variable:f placeholder:?))`,
		`a ? {"k": null} : [true, 1..2]`:  `conditional(name:a object(string:k literal:null) array(literal:true operator:..(number:1 number:2)))`,
		`a ~> |b|{}, "c"|`:                `operator:~>(name:a transform(name:b object string:c))`,
		`list^(>x){k: v}`:                 `group(sort(name:list name:x) name:k name:v)`,
		`*.**./a/`:                        `path(wildcard:* descendants:** pattern:a)`,
	} {
		e := mustCompile(t, source)
		tree := e.Tree()
		if tree == nil {
			t.Errorf("%s has no tree", source)
			continue
		}
		if got := outline(tree); got != want {
			t.Errorf("%s is\n     %s\nwant %s", source, got, want)
		}
	}
	if tree := mustCompile(t, `a.b`).Tree(); tree.Offset != 0 || tree.Parts[1].Offset != 2 {
		t.Errorf("offsets of a.b: %+v", tree)
	}
}
