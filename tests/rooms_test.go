package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leastComments is the least share of comment lines in the product's lines of code and comments, in percent.
const leastComments = 9

// uncounted are the directories whose files are no part of the product.
var uncounted = []string{"tests/", "internal/tools/bench/"}

// counted is what a room has: files, lines by kind, and functions.
type counted struct {
	files, code, comments, blank int
	functions                    int
	once                         int // functions whose name the room mentions once, apart from where they are declared
}

func (c *counted) add(d counted) {
	c.files += d.files
	c.code, c.comments, c.blank = c.code+d.code, c.comments+d.comments, c.blank+d.blank
	c.functions, c.once = c.functions+d.functions, c.once+d.once
}

// TestRooms prints what each room of the product has and, below internal, what each floor of several rooms has; a
// room is a directory. Too few comments are an error.
func TestRooms(t *testing.T) {
	t.Parallel()
	byRoom := map[string][]string{}
	for _, file := range goFiles(t) {
		inProduct := !slices.ContainsFunc(uncounted, func(dir string) bool { return strings.HasPrefix(file, dir) })
		if inProduct && isProduct(file) && !strings.Contains(file, "testdata/") {
			byRoom[path.Dir(file)] = append(byRoom[path.Dir(file)], file)
		}
	}
	rooms, floors, all := map[string]counted{}, map[string][]counted{}, counted{}
	for name, files := range byRoom {
		rooms[name] = countRoom(t, files)
		floors[floorOf(name)] = append(floors[floorOf(name)], rooms[name])
		all.add(rooms[name])
	}
	for name, parts := range floors {
		if name != "" && len(parts) > 1 {
			var sum counted
			for _, part := range parts {
				sum.add(part)
			}
			rooms[name+"/…"] = sum
		}
	}
	var table strings.Builder
	row := func(name string, c counted) {
		fmt.Fprintf(&table, "%-34s %5d %7d %8d %6d %9d %5d\n", name, c.files, c.code, c.comments, c.blank, c.functions, c.once)
	}
	fmt.Fprintf(&table, "%-34s %5s %7s %8s %6s %9s %5s\n", "room", "files", "code", "comments", "blank", "functions", "once")
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		row(name, rooms[name])
	}
	row("all", all)
	share := 100 * float64(all.comments) / float64(all.code+all.comments)
	t.Logf("\n%scomments: %.2f %% of %d lines", &table, share, all.code+all.comments)
	if share < leastComments {
		t.Errorf("%.2f %% of the lines are comments, at least %d %% are expected", share, leastComments)
	}
}

// floorOf returns the directory below internal that a room is in, or "".
func floorOf(room string) string {
	parts := strings.Split(room, "/")
	if parts[0] != "internal" || len(parts) < 2 {
		return ""
	}
	return path.Join(parts[0], parts[1])
}

// countRoom counts the files of one room.
func countRoom(t *testing.T, files []string) (c counted) {
	t.Helper()
	declared, mentioned := map[string]int{}, map[string]int{}
	for _, file := range files {
		src, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		code, comments, blank := linesOf(src)
		c.add(counted{files: 1, code: code, comments: comments, blank: blank})
		tree, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				c.functions++
				declared[n.Name.Name]++
			case *ast.Ident:
				mentioned[n.Name]++ // where it is declared as well
			}
			return true
		})
	}
	for name, n := range declared {
		if !ast.IsExported(name) && mentioned[name] == n+1 {
			c.once += n
		}
	}
	return c
}

// linesOf counts the lines of a Go file: those with code, those with a comment alone, and the others. A line within
// a literal is code.
func linesOf(src []byte) (code, comments, blank int) {
	const isComment, isCode = 1, 2
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	kinds := map[int]int{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // the scanner's own
		}
		kind := isCode
		if tok == token.COMMENT {
			kind = isComment
		}
		for i := range 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n") {
			line := file.Line(pos) + i
			kinds[line] = max(kinds[line], kind)
		}
	}
	for _, kind := range kinds {
		if kind == isCode {
			code++
		} else {
			comments++
		}
	}
	lines := strings.Count(string(src), "\n")
	return code, comments, lines - code - comments
}

func TestRoomsCountLines(t *testing.T) {
	t.Parallel()
	src := "// Package p is one.\npackage p // code\n\n/* a\n\nb */\n\nvar x = `\n\n// code\n`\n\nfunc f() {\n\t// why\n\tg(x)\n}\n"
	code, comments, blank := linesOf([]byte(src))
	if got, want := [3]int{code, comments, blank}, [3]int{8, 5, 3}; got != want {
		t.Errorf("got %v lines of code, comments and blank lines, want %v", got, want)
	}
}
