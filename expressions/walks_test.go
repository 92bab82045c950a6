package expressions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unmetered are the recursive functions over values that take no meter, each with the reason why its
// input is a tree whose size is bounded. Values share parts only when an evaluation has made them.
var unmetered = map[string]string{
	"value.AppendCanonical":   "of constants of a file, arguments and outputs, which maxNodeOutputBytes bounds as JSON",
	"value.Size":              "of arguments and outputs, which are bounded as JSON; SizeWithin is for others",
	"value.fromPlain":         "of values decoded from JSON or YAML, and of Go values",
	"value.fromReflect":       "see fromPlain",
	"jsonata.match":           "of a signature: it goes from parameter to parameter, not into the arguments",
	"jsonlogic.compile":       "of a rule decoded from YAML or JSON, which has at most ruleParts parts",
	"jsonlogic.compileObject": "see compile",
	"jsonlogic.writtenKeys":   "see compile",
	"jsonlogic.walk":          "it follows the steps of a path",
	"schema.add":              "of a schema decoded from JSON, or of a plain copy, whose making is charged",
	"schema.problems":         "of the errors of a validation, which detailBytes bounds",
	"schema.of":               "a sample for a schema decoded from JSON",
	"schema.object":           "see of",
	"schema.array":            "see of",
}

var (
	takesValue = regexp.MustCompile(`^(value\.)?(Value|Object)$|^any$|^\[\](any|value\.Value|Value)$|^map\[string\](any|value\.Value|Value)$`)
	isMeter    = regexp.MustCompile(`\.Spend\(|\.spend\(|\.Make\(|\.make\(|\.makeArray\(|\.Read\(|\.read\(|\.Items\(|[mM]eter|\.Err\(\)|run \*ruleRun`)
)

// Every function over values that reaches itself within its package is charged to a meter, in itself or
// in a function of the circle.
func TestX01RecursiveWalksAreCharged(t *testing.T) {
	for _, dir := range []string{"value", "jsonata", "jsonlogic", "schema"} {
		functions := functionsOf(t, dir)
		for name, f := range functions {
			if !f.walks || unmetered[dir+"."+name] != "" {
				continue
			}
			if circle := circleOf(functions, name); circle != nil {
				t.Errorf("%s: %s walks over values and reaches itself by %v without a charge to a meter", dir, name, circle)
			}
		}
	}
}

// declared is what the test knows of the functions of a name.
type declared struct {
	walks   bool // takes a value
	charges bool // mentions a meter
	calls   map[string]bool
}

// functionsOf reads the functions of a package by their names; methods of one name count as one.
func functionsOf(t *testing.T, dir string) map[string]*declared {
	t.Helper()
	out := map[string]*declared{}
	set := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(set, path, source, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				text := func(n ast.Node) string {
					return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
				}
				known := out[f.Name.Name]
				if known == nil {
					known = &declared{calls: map[string]bool{}}
					out[f.Name.Name] = known
				}
				for _, param := range f.Type.Params.List {
					known.walks = known.walks || takesValue.MatchString(text(param.Type))
				}
				known.charges = known.charges || isMeter.MatchString(text(f.Body))
				ast.Inspect(f.Body, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						switch fun := call.Fun.(type) {
						case *ast.Ident:
							known.calls[fun.Name] = true
						case *ast.SelectorExpr:
							known.calls[fun.Sel.Name] = true
						}
					}
					return true
				})
			}
		}
	}
	return out
}

// circleOf returns a way from a function back to itself, nil for none.
func circleOf(functions map[string]*declared, name string) []string {
	seen := map[string]bool{}
	var walk func(at string, way []string) []string
	walk = func(at string, way []string) []string {
		for next := range functions[at].calls {
			if next == name {
				return append(slices.Clone(way), next)
			}
			if f := functions[next]; f == nil || !f.walks || f.charges || seen[next] {
				continue
			}
			seen[next] = true
			if found := walk(next, append(slices.Clone(way), next)); found != nil {
				return found
			}
		}
		return nil
	}
	if functions[name].charges {
		return nil
	}
	return walk(name, []string{name})
}
