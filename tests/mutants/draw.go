package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of one file.
type mutant struct {
	file     string
	src      []byte
	line     int
	kind     string
	from, to int    // the bytes of the file that are replaced
	by       string // what replaces them
}

// apply returns the changed file.
func (m mutant) apply() []byte {
	return []byte(string(m.src[:m.from]) + m.by + string(m.src[m.to:]))
}

// String says where the change is and what it is, in one line.
func (m mutant) String() string {
	return fmt.Sprintf("%s:%d\t%s\t%.60q → %.60q", m.file, m.line, m.kind, m.src[m.from:m.to], m.by)
}

// kinds are the changes, each as likely as the others however many places it has.
var kinds = []string{"flip", "drop", "constant", "negate", "return"}

// draw is the mutants of one room in the order of a seed.
type draw struct {
	random *rand.Rand
	sites  map[string][]mutant // what can be changed still, by kind
}

// newDraw reads the files of a room. What it draws depends on them, the name of the room and the seed alone.
func newDraw(ctx context.Context, seed uint64, room string) (*draw, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", `{{join .GoFiles "\n"}}`, "./"+room).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", room, err)
	}
	var files []string
	for _, name := range strings.Fields(string(out)) {
		files = append(files, filepath.Join(room, name))
	}
	return newDrawOf(seed, room, files)
}

// newDrawOf is newDraw for some files, which have a name together.
func newDrawOf(seed uint64, of string, files []string) (*draw, error) {
	sites := map[string][]mutant{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		r := &reader{set: set, file: file, src: src, sites: sites}
		ast.Inspect(tree, r.visit)
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte(of)) // never fails
	return &draw{rand.New(rand.NewPCG(seed, name.Sum64())), sites}, nil
}

// reader collects the sites of one file.
type reader struct {
	set   *token.FileSet
	file  string
	src   []byte
	sites map[string][]mutant
}

var flipped = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.LAND: "||", token.LOR: "&&",
}

var otherTruth = map[string]string{"true": "false", "false": "true"}

func (r *reader) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.IMPORT
	case *ast.BinaryExpr:
		if by := flipped[n.Op]; by != "" {
			at := r.set.Position(n.OpPos).Offset
			r.add("flip", n.OpPos, at, at+len(n.Op.String()), by)
		}
	case *ast.IfStmt:
		from, to := r.span(n.Cond)
		r.add("negate", n.Cond.Pos(), from, to, "!("+string(r.src[from:to])+")")
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
		r.drop(n)
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			r.drop(n)
		}
	case *ast.BasicLit:
		if number, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
			from, to := r.span(n)
			r.add("constant", n.Pos(), from, to, strconv.FormatInt(number+1, 10))
		}
	case *ast.Ident:
		if by := otherTruth[n.Name]; by != "" {
			from, to := r.span(n)
			r.add("constant", n.Pos(), from, to, by)
		}
	case *ast.FuncDecl:
		r.early(n)
	}
	return true
}

// span is the bytes of a node.
func (r *reader) span(n ast.Node) (from, to int) {
	return r.set.Position(n.Pos()).Offset, r.set.Position(n.End()).Offset
}

func (r *reader) add(kind string, at token.Pos, from, to int, by string) {
	r.sites[kind] = append(r.sites[kind], mutant{r.file, r.src, r.set.Position(at).Line, kind, from, to, by})
}

// drop leaves a statement out.
func (r *reader) drop(n ast.Node) {
	from, to := r.span(n)
	r.add("drop", n.Pos(), from, to, "")
}

// early makes a function return the zero values of its results at once.
func (r *reader) early(f *ast.FuncDecl) {
	if f.Body == nil || len(f.Body.List) == 0 {
		return
	}
	var zero []string
	if f.Type.Results != nil {
		for _, field := range f.Type.Results.List {
			from, to := r.span(field.Type)
			for range max(1, len(field.Names)) {
				zero = append(zero, "*new("+string(bytes.TrimSpace(r.src[from:to]))+")")
			}
		}
	}
	at := r.set.Position(f.Body.Lbrace).Offset + 1
	r.add("return", f.Pos(), at, at, " if true { return "+strings.Join(zero, ", ")+" };")
}

// next draws a kind, then one of its places, which is not drawn again.
func (d *draw) next() (mutant, error) {
	for range 100 * len(kinds) {
		kind := kinds[d.random.IntN(len(kinds))]
		if n := len(d.sites[kind]); n > 0 {
			i := d.random.IntN(n)
			m := d.sites[kind][i]
			d.sites[kind] = slices.Delete(d.sites[kind], i, i+1)
			return m, nil
		}
	}
	return mutant{}, errors.New("nothing is left to change")
}
