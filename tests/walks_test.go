package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unmetered are the recursive functions over values that take no meter, each with the reason why its
// input is a tree whose size is bounded. Values share parts only when an evaluation has made them, and
// what an evaluation returns has at most value.MaxBytes of JSON.
var unmetered = map[string]string{
	"value.Size":        "of arguments and outputs, which are bounded as JSON; SizeWithin is for others",
	"value.fromPlain":   "of values decoded from JSON or YAML, and of Go values",
	"value.fromReflect": "see fromPlain",

	"jsonata.signature.match":              "of a signature: it goes from parameter to parameter, not into the arguments",
	"jsonlogic.ruleCompiler.compile":       "of a rule decoded from YAML or JSON, which has at most ruleParts parts",
	"jsonlogic.ruleCompiler.compileObject": "see compile",
	"jsonlogic.ruleCompiler.writtenKeys":   "see compile",
	"schema.Schema.problems":               "of the errors of a validation, which detailBytes bounds",
	"schema.dynamicAnchors.walk":           "of a schema decoded from JSON",
	"schema.sampler.array":                 "see of",
	"schema.sampler.object":                "see of",
	"schema.sampler.of":                    "a sample for a schema decoded from JSON",
	"schema.newSimple":                     "of a schema decoded from JSON, to simpleDepth",
	"schema.simpleProperties":              "see newSimple",
	"schema.simple.fits":                   "of at most simpleValues values",
	"schema.simple.fitsObject":             "see fits",
	"schema.size.add":                      "of a schema decoded from JSON, or of a plain copy, whose making is charged",
	"shape.Shape.Has":                      "of constants of a file",
	"shape.ofValue":                        "of constants of a file and of decoded answers, to maxDepth",
	"shape.ruleWalk.path":                  "of a rule of a file; see value",
	"shape.ruleWalk.value":                 "of a rule of a file; it ends when its steps are exhausted",

	"second.floats": "of data that the command line decodes from JSON, for the other engine",

	"config.Secrets.redactParts":    "of a document decoded from JSON",
	"config.secretLeaves":           "of the value of a secret, which is in a file or the environment",
	"graph.meaning.value":           "of a file",
	"graph/flow.argsChecker.need":   "of a schema and the arguments in a file",
	"graph/flow.argsChecker.object": "see need",
	"graph/flow.argsChecker.value":  "see need",

	"execution/journal.gapIn": "of a recorded result, decoded from JSON",

	"telemetry/audit.shaper.list":      "see of",
	"telemetry/audit.shaper.object":    "see of",
	"telemetry/audit.shaper.of":        "of the arguments of a call, to maxDepth, until it has maxShape bytes",
	"authoring/drift.settle":           "of recorded and present answers, decoded from JSON",
	"authoring/drift.settleObjects":    "see settle",
	"authoring/drift.settleLists":      "see settle",
	"authoring/drift.merge":            "of recorded and present answers, decoded from JSON",
	"authoring/drift.mergeObjects":     "see merge",
	"authoring/drift.declaredAs":       "of a recorded answer, decoded from JSON",
	"authoring.DataOf":                 "of the arguments of a call, decoded from JSON",
	"authoring.argsTrial.eval":         "of the arguments of a call, decoded from JSON",
	"cli.undeclared":                   "of the arguments of the command line, by their schema",
	"debugger/page.begin":              "it ends when it has as many bytes as are shown",
	"debugger/page.wholeWriter.value":  "of an output, which is bounded as JSON, and until the browser goes",
	"base/diff.compare":                "of recorded and expected values, which are bounded as JSON",
	"base/diff.compareArrays":          "see compare",
	"base/diff.compareObjects":         "see compare",
	"authoring/graphtest.eachString":   "of arguments and outputs, which are bounded as JSON",
	"authoring/graphtest.lacking":      "of arguments and outputs, which are bounded as JSON, by what a test file expects of them",
	"graph/flow.dataOf":                "of a constant of a file, which has at most MaxFileBytes",
	"project/lock.dataOf":              "of a definition that an upstream server lists, decoded from JSON",
	"project/lock.tidy":                "see dataOf",
	"authoring/habit.Secrets.without":  "of recorded calls, which are bounded as JSON, to deepest levels; so are those below",
	"authoring/habit.dataWithin":       "see Secrets.without",
	"authoring/habit.eachScalar":       "see Secrets.without",
	"authoring/habit.eachSecret":       "see Secrets.without",
	"authoring/habit.evaluator.walk":   "see Secrets.without; until it has seen mostPlaces parts",
	"authoring/habit.hasExpr":          "see Secrets.without",
	"authoring/habit.isTrivial":        "see Secrets.without",
	"authoring/habit.longestKey":       "see Secrets.without",
	"authoring/habit.maker.object":     "of the arguments of recorded calls, which are bounded as JSON",
	"authoring/habit.maker.parts":      "see maker.object",
	"authoring/habit.maker.value":      "see maker.object",
	"authoring/habit.replaced":         "see Secrets.without",
	"authoring/habit.sameBut":          "see Secrets.without",
	"authoring/habit.shapeOf":          "see Secrets.without",
	"authoring/proposal.calls":         "of a recorded plan, which has at most MostPlanBytes bytes; so are those below",
	"authoring/proposal.dataOf":        "see calls",
	"authoring/proposal.maker.list":    "see calls",
	"authoring/proposal.maker.members": "see calls",
	"authoring/proposal.maker.value":   "see calls",
	"authoring/proposal.schemaOf":      "of what a plan returned, to mostDepth",
	"serving/pipeline.dataOf":          "of the request, which has at most maxRequest bytes",
	"serving/pipeline.texts":           "see dataOf",
	"serving/plan.placer.data":         "of the plan, which has at most MostPlanBytes bytes, to maxDepth",
	"serving/plan.form":                "of a schema decoded from JSON, to shownDepth",
	"serving/plan.objectForm":          "see form",
	"runtime/results.sample":           "to mostDepth, mostSamples parts of each",
	"runtime.seenForm.note":            "of an answer, to mostSeenLevels, at most mostSeenValues parts",
	"runtime.Loaded.Run":               "does not reach itself: it calls Run of an engine",

	"interop/importer.checkDepth":  "of a trace, which has at most MaxTraceBytes and is decoded from JSON; so are those below",
	"interop/importer.countValues": "see checkDepth",
}

var (
	takesValue = regexp.MustCompile(`^(\[\]|\*|map\[string\]|\.\.\.)*((value\.)?(Value|Object|Map)|any)$`)
	isMeter    = regexp.MustCompile(`\.[sS]pend\(|\.[mM]ake\(|\.makeArray\(|\.read\(|\bmeter\b|Meter\b|[cC]tx\.Err\(\)|run \*ruleRun`)
)

// Every function over values that reaches itself within its package is charged to a meter, in itself or
// in a function of the circle.
func TestX01RecursiveWalksAreCharged(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, dir := range valuePackages(t) {
		functions := functionsOf(t, filepath.Join("..", dir))
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			if circle := circleOf(functions, name); functions[name].walks && circle != nil {
				key := strings.TrimPrefix(strings.TrimPrefix(dir, "internal/"), "expressions/") + "." + name
				if found[key] = true; unmetered[key] == "" {
					t.Errorf("%s walks over values and reaches itself by %v without a charge to a meter", key, circle)
				}
			}
		}
	}
	for key := range unmetered {
		if !found[key] {
			t.Errorf("%s is an exception and no recursive function over values without a charge", key)
		}
	}
}

// The test finds circles of functions, of methods and of literals, and sees a charge anywhere in a circle.
func TestX01WalksAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := `package p

import "x/value"

func alone(v any) { alone(v) }
func one(v value.Value) { for range 2 { other(v) } }
func other(v []any) { one(v[0]) }
func literal(v any) { var walk func(v any); walk = func(v any) { walk(v) }; walk(v) }
func short() { w := func(o value.Object, f func(any)) { f(o) }; w(nil, nil) }
func (t *T) method(v map[string]any) { t.inner.deep(v) }
func (u U) deep(v ...any) { anything.method(v) }
func charged(m *value.Meter, v any) { if m.Spend(1) == nil { half(m, v) } }
func half(m *value.Meter, v any) { charged(m, v) }
func noValue(n int) { noValue(n) }
func elsewhere(v any) { value.elsewhere(v) }
`
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	functions := functionsOf(t, dir)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if functions[name].walks && circleOf(functions, name) != nil {
			found = append(found, name)
		}
	}
	if want := []string{"T.method", "U.deep", "alone", "literal.walk", "one", "other"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// valuePackages returns the directories of the product's packages that import expressions/value, and those of
// values itself and config, whose redaction walks them.
func valuePackages(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{"config": true, "expressions/value": true}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch path, _ = filepath.Rel("..", path); {
		case err != nil:
			return err
		case entry.IsDir() && (path == "tests" || path == "internal/tools/bench" || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return filepath.SkipDir
		case !isProduct(path):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range file.Imports {
			if imported.Path.Value == `"toolgraph/expressions/value"` {
				found[filepath.Dir(path)] = true
			}
		}
		return nil
	})
	if err != nil || len(found) < 20 {
		t.Fatalf("found %d packages: %v", len(found), err)
	}
	return slices.Sorted(maps.Keys(found))
}

func isProduct(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

// declared is what the test knows of the functions of a name.
type declared struct {
	walks   bool // takes a value
	charges bool // mentions a meter
	calls   map[string]bool
}

// functionsOf reads the functions of a package. A method is named after its type; a function literal that a
// variable has, after the function around it and the variable.
func functionsOf(t *testing.T, dir string) map[string]*declared {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	r := walkReader{set: token.NewFileSet(), functions: map[string]*declared{}}
	for _, path := range paths {
		if !isProduct(path) {
			continue
		}
		if r.source, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(r.set, path, r.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.imports = map[string]bool{}
		for _, imported := range file.Imports {
			if imported.Name != nil {
				r.imports[imported.Name.Name] = true
			}
			path := strings.Trim(imported.Path.Value, `"`)
			r.imports[path[strings.LastIndex(path, "/")+1:]] = true
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				r.declared(f)
			}
		}
	}
	for _, f := range r.functions { // a method of a type that is not known here is one of any type
		for called := range f.calls {
			if method, ok := strings.CutPrefix(called, "*."); ok {
				for name := range r.functions {
					if _, of, _ := strings.Cut(name, "."); of == method {
						f.calls[name] = true
					}
				}
			}
		}
	}
	return r.functions
}

// walkReader reads the functions of a package.
type walkReader struct {
	set       *token.FileSet
	source    []byte // of the file that is read
	imports   map[string]bool
	receiver  string // of the method that is read, and its type
	of        string
	functions map[string]*declared
}

func (r *walkReader) text(n ast.Node) string {
	return string(r.source[r.set.Position(n.Pos()).Offset:r.set.Position(n.End()).Offset])
}

// declared reads a declared function or method.
func (r *walkReader) declared(f *ast.FuncDecl) {
	name := f.Name.Name
	r.receiver, r.of = "", ""
	if f.Recv != nil {
		r.of, _, _ = strings.Cut(strings.TrimLeft(r.text(f.Recv.List[0].Type), "*"), "[")
		name = r.of + "." + name
		if names := f.Recv.List[0].Names; len(names) > 0 {
			r.receiver = names[0].Name
		}
	}
	r.function(name, f.Type, f.Body, nil)
}

// called returns the name of what is called, "*.name" for a method of a type that is not known here.
func (r *walkReader) called(call *ast.CallExpr, locals map[string]string) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if local, ok := locals[fun.Name]; ok {
			return local
		}
		return fun.Name
	case *ast.SelectorExpr:
		of, _ := fun.X.(*ast.Ident)
		switch {
		case of != nil && r.imports[of.Name]:
			return ""
		case of != nil && of.Name == r.receiver:
			return r.of + "." + fun.Sel.Name
		}
		return "*." + fun.Sel.Name
	}
	return ""
}

// function reads a function; locals are the names of the literals around it, by their variables.
func (r *walkReader) function(name string, signature *ast.FuncType, body *ast.BlockStmt, locals map[string]string) {
	known := r.functions[name]
	if known == nil {
		known = &declared{calls: map[string]bool{}}
		r.functions[name] = known
	}
	for _, param := range signature.Params.List {
		known.walks = known.walks || takesValue.MatchString(r.text(param.Type))
	}
	known.charges = known.charges || isMeter.MatchString(r.text(body))
	literals := map[string]*ast.FuncLit{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					addLiteral(literals, id, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					addLiteral(literals, id, n.Values[i])
				}
			}
		}
		return true
	})
	inner := maps.Clone(locals)
	if inner == nil {
		inner = map[string]string{}
	}
	for variable := range literals {
		inner[variable] = name + "." + variable
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			known.calls[r.called(call, inner)] = true
		}
		return true
	})
	for variable, literal := range literals {
		if full := name + "." + variable; r.functions[full] == nil {
			r.function(full, literal.Type, literal.Body, inner)
		}
	}
}

func addLiteral(literals map[string]*ast.FuncLit, variable *ast.Ident, v ast.Expr) {
	if literal, ok := v.(*ast.FuncLit); ok {
		literals[variable.Name] = literal
	}
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
