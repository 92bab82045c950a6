package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The page of diagnostics has an entry for every code that the program can give,
// and none for a code that it cannot.
func TestDiagnosticsPageIsComplete(t *testing.T) {
	t.Parallel()
	_, entries := readPage(t)
	given := maps.Clone(givenCodes(t))
	for _, e := range entries {
		if given[e.code] == "" {
			t.Errorf("%s:%d: no code of the program gives %s", diagnosticsPage, e.line, e.code)
		}
		delete(given, e.code)
	}
	for _, code := range slices.Sorted(maps.Keys(given)) {
		t.Errorf("%s has no entry for %s, which %s gives", diagnosticsPage, code, given[code])
	}
}

// program is the syntax of all packages of the module, without tests.
type program struct {
	fset  *token.FileSet
	files []*source
	nodes map[reflect.Type][]placed // all of them
	seen  map[ast.Expr]bool         // expressions that are being followed
}

// placed is a node, the function around it and its file.
type placed struct {
	node ast.Node
	in   *ast.FuncDecl // nil outside functions
	file *source
}

type source struct {
	*ast.File
	dir string
}

// site is an expression and where it stands.
type site struct {
	expr ast.Expr
	in   *ast.FuncDecl // nil outside functions
	file *source
}

func parseProgram(t *testing.T) *program {
	t.Helper()
	p := &program{fset: token.NewFileSet(), nodes: map[reflect.Type][]placed{}, seen: map[ast.Expr]bool{}}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (name[0] == '.' || name == "testdata" || name == "tests"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution)
		if err == nil {
			p.add(&source{file, filepath.Dir(path)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// add adds a file.
func (p *program) add(file *source) {
	p.files = append(p.files, file)
	for _, decl := range file.Decls {
		fn, _ := decl.(*ast.FuncDecl)
		ast.Inspect(decl, func(n ast.Node) bool {
			if n != nil {
				p.nodes[reflect.TypeOf(n)] = append(p.nodes[reflect.TypeOf(n)], placed{n, fn, file})
			}
			return true
		})
	}
}

// eachNode calls f for every node of a type in every file, with the function around it.
func eachNode[T ast.Node](p *program, f func(n T, in *ast.FuncDecl, file *source)) {
	for _, at := range p.nodes[reflect.TypeFor[T]()] {
		f(at.node.(T), at.in, at.file)
	}
}

// The codes that the program can give, for the tests of this process.
var (
	codesOnce sync.Once
	codesMade map[string]string
)

// givenCodes are the codes of all Diagnostics that are made anywhere, and where.
func givenCodes(t *testing.T) map[string]string {
	t.Helper()
	codesOnce.Do(func() { codesMade = parseProgram(t).codes(t) })
	if codesMade == nil {
		t.Fatal("the program could not be read")
	}
	return codesMade
}

// codes are the codes of all Diagnostics that are made anywhere, and where.
func (p *program) codes(t *testing.T) map[string]string {
	t.Helper()
	codes := map[string]string{}
	for _, s := range p.made() {
		values, err := p.values(s)
		if err != nil {
			t.Error(err)
		}
		for _, v := range values {
			if v.text != "" {
				codes[v.text] = p.fset.Position(v.pos).String()
			}
		}
	}
	return codes
}

// made are the codes in all literals of Diagnostic.
func (p *program) made() []site {
	var found []site
	take := func(lit *ast.CompositeLit, in *ast.FuncDecl, file *source) {
		if code := literalField(lit, "Code", -1); code != nil {
			found = append(found, site{code, in, file})
		}
	}
	eachNode(p, func(lit *ast.CompositeLit, in *ast.FuncDecl, file *source) {
		if _, own := lit.Type.(*ast.Ident); own && file.Name.Name != "config" {
			return // a type of the same name, such as the editors'
		}
		switch lastName(lit.Type) {
		case "Diagnostic":
			take(lit, in, file)
		case "Diagnostics":
			for _, e := range lit.Elts {
				if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
					take(inner, in, file)
				}
			}
		}
	})
	return found
}

// literalField is the value of a literal's field; index is its place in a literal without keys.
func literalField(lit *ast.CompositeLit, key string, index int) ast.Expr {
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if lastName(kv.Key) == key {
				return kv.Value
			}
		} else if i == index {
			return e
		}
	}
	return nil
}

// lastName is the last word of a name; "" for anything else.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// value is one value that an expression may have.
type v struct {
	text string
	pos  token.Pos
}

// values are all texts that an expression may be, found by following names back.
func (p *program) values(s site) ([]v, error) {
	if p.seen[s.expr] {
		return nil, nil
	}
	p.seen[s.expr] = true
	defer delete(p.seen, s.expr)
	switch e := s.expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return []v{{text, e.Pos()}}, err
	case *ast.BinaryExpr:
		return p.sums(s, e)
	case *ast.CallExpr:
		if len(e.Args) == 1 && lastName(e.Fun) == "string" {
			return p.values(site{e.Args[0], s.in, s.file})
		}
	case *ast.Ident, *ast.SelectorExpr:
		if origins := p.origins(s); len(origins) > 0 {
			return p.all(origins)
		}
	}
	return nil, fmt.Errorf("%s: a code is given in a way that this test cannot follow", p.fset.Position(s.expr.Pos()))
}

func (p *program) all(sites []site) (found []v, err error) {
	for _, s := range sites {
		more, err := p.values(s)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// sums are the values of a + b.
func (p *program) sums(s site, e *ast.BinaryExpr) ([]v, error) {
	left, err := p.values(site{e.X, s.in, s.file})
	if err != nil {
		return nil, err
	}
	right, err := p.values(site{e.Y, s.in, s.file})
	var found []v
	for _, l := range left {
		for _, r := range right {
			found = append(found, v{l.text + r.text, l.pos})
		}
	}
	return found, err
}
