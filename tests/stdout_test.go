package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mayPrint are the places that may name standard output: where the streams of the
// process are taken, and where it is kept for the protocol.
var mayPrint = []string{"internal/program/main.go", "internal/program/streams.go", "internal/serving/server/guard_", "internal/tools/bench/", "tests/"}

// Standard output carries the protocol, so no package prints there by
// itself: each is given a writer.
func TestM15NothingPrints(t *testing.T) {
	t.Parallel()
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || allowed(path) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join("..", path), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if what := prints(file, n); what != "" {
				t.Errorf("%s:%d: %s writes to a stream of the process; take a writer or a logger instead",
					path, set.Position(n.Pos()).Line, what)
			}
			return true
		})
	}
}

func allowed(path string) bool {
	for _, prefix := range mayPrint {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// prints is the function by which a node prints, or "".
func prints(file *ast.File, n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		// The builtins, unless something of the file has their name.
		if f, ok := n.Fun.(*ast.Ident); ok && f.Obj == nil && (f.Name == "print" || f.Name == "println") {
			return f.Name
		}
	case *ast.SelectorExpr:
		x, ok := n.X.(*ast.Ident)
		if !ok || x.Obj != nil {
			return ""
		}
		name := x.Name + "." + n.Sel.Name
		switch {
		case name == "os.Stdout", name == "syscall.Stdout", name == "fmt.Print", name == "fmt.Printf", name == "fmt.Println",
			x.Name == "log" && imports(file, "log"): // its output is the process's standard error
			return name
		}
	}
	return ""
}

func imports(file *ast.File, path string) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"`+path+`"` && spec.Name == nil {
			return true
		}
	}
	return false
}
