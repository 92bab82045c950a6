package tests

import (
	"go/ast"
	"go/token"
	"slices"
)

// origins are the expressions that a name got its value from: arguments of calls for
// a parameter, assignments for a variable, literals for a field of a struct.
func (p *program) origins(s site) []site {
	called := lastName(s.expr)
	if _, plain := s.expr.(*ast.Ident); plain && s.in != nil {
		if i := slices.Index(parameters(s.in), called); i >= 0 {
			return p.arguments(s, i)
		}
		if found := p.assigned(s, s.in, called); len(found) > 0 {
			return found
		}
	}
	if found := p.constants(s, called); len(found) > 0 {
		return found
	}
	return p.fields(s, called)
}

func parameters(fn *ast.FuncDecl) []string {
	var names []string
	for _, f := range fn.Type.Params.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// arguments are what calls of the site's function give for a parameter.
func (p *program) arguments(s site, index int) []site {
	var found []site
	count := len(parameters(s.in))
	fields := s.in.Type.Params.List
	_, variadic := fields[len(fields)-1].Type.(*ast.Ellipsis)
	eachNode(p, func(call *ast.CallExpr, in *ast.FuncDecl, file *source) {
		if lastName(call.Fun) != s.in.Name.Name {
			return
		}
		if fits := len(call.Args) == count || variadic && len(call.Args) >= count-1; !fits {
			return
		}
		if s.in.Name.IsExported() || file.dir == s.file.dir {
			found = append(found, site{call.Args[index], in, file})
		}
	})
	return found
}

// assigned are the values that a scope gives a name.
func (p *program) assigned(s site, scope ast.Node, called string) []site {
	var found []site
	take := func(i int, values []ast.Expr, count int) {
		if len(values) == count {
			found = append(found, site{values[i], s.in, s.file})
		} else if call, ok := values[0].(*ast.CallExpr); ok {
			found = append(found, p.results(s, lastName(call.Fun), i)...)
		}
	}
	ast.Inspect(scope, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name == called {
					take(i, n.Rhs, len(n.Lhs))
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == called && len(n.Values) > 0 {
					take(i, n.Values, len(n.Names))
				}
			}
		}
		return true
	})
	return found
}

// results are what a function of the site's package returns at an index.
func (p *program) results(s site, called string, index int) []site {
	var found []site
	eachNode(p, func(back *ast.ReturnStmt, in *ast.FuncDecl, file *source) {
		if in != nil && in.Name.Name == called && file.dir == s.file.dir && index < len(back.Results) {
			found = append(found, site{back.Results[index], in, file})
		}
	})
	return found
}

// constants are the values of a package's constant.
func (p *program) constants(s site, called string) []site {
	_, elsewhere := s.expr.(*ast.SelectorExpr)
	var found []site
	for _, file := range p.files {
		if !elsewhere && file.dir != s.file.dir {
			continue
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST {
				found = append(found, p.assigned(site{s.expr, nil, file}, gen, called)...)
			}
		}
	}
	return found
}

// fields are what literals of the site's package give a field.
func (p *program) fields(s site, called string) []site {
	owners := map[string]int{} // the structs that have it, and at which index
	eachNode(p, func(spec *ast.TypeSpec, _ *ast.FuncDecl, file *source) {
		if file.dir != s.file.dir {
			return
		}
		if structure, ok := spec.Type.(*ast.StructType); ok {
			index := 0
			for _, f := range structure.Fields.List {
				for _, id := range f.Names {
					if id.Name == called {
						owners[spec.Name.Name] = index
					}
					index++
				}
			}
		}
	})
	var found []site
	eachNode(p, func(lit *ast.CompositeLit, in *ast.FuncDecl, file *source) {
		if file.dir != s.file.dir {
			return
		}
		if index, owns := owners[lastName(lit.Type)]; owns {
			if v := literalField(lit, called, index); v != nil {
				found = append(found, site{v, in, file})
			}
		}
	})
	return found
}
