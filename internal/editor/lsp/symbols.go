package lsp

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/names"
)

// symbolsFeature lists what files have: their symbols, what can be folded, and what surrounds a place.
var symbolsFeature = feature{
	provide: func(_ *clientCan, caps map[string]any) {
		for _, provider := range []string{"documentSymbolProvider", "workspaceSymbolProvider", "foldingRangeProvider", "selectionRangeProvider"} {
			caps[provider] = true
		}
	},
	answers: map[string]handler{
		"textDocument/documentSymbol": about(documentSymbols),
		"workspace/symbol":            on(workspaceSymbols),
		"textDocument/foldingRange":   about(foldingRanges),
		"textDocument/selectionRange": about(selectionRanges),
	},
}

// symbolKinds are the numbers of the protocol for kinds of names, all from its first version.
var symbolKinds = map[names.Kind]int{
	names.Node: 12, names.Branch: 12, names.Tool: 5, names.Server: 2, names.ServerTool: 6, names.Var: 14, names.Import: 3, names.Test: 12,
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name          string   `json:"name"`
	Kind          int      `json:"kind"`
	Location      Location `json:"location"`
	ContainerName string   `json:"containerName,omitempty"`
}

func documentSymbols(_ context.Context, r *request, _ aboutDocument) (any, error) {
	if r.kind == otherFile {
		return nil, nil
	}
	symbols, ok := names.Symbols(r.path, []byte(r.src))
	if !ok {
		return nil, errorf(codeModified, "the text cannot be read as YAML")
	}
	if !r.server.client.has("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport") {
		return flat(nil, r.text, r.uri, "", symbols), nil
	}
	return nested(r.text, symbols), nil
}

func nested(t *text, symbols []names.Symbol) []documentSymbol {
	all := []documentSymbol{}
	for _, s := range symbols {
		all = append(all, documentSymbol{s.Name, s.Detail, symbolKinds[s.Kind], t.Range(s.From, s.To), t.Range(s.NameFrom, s.NameTo), nested(t, s.Children)})
	}
	return all
}

func flat(to []symbolInformation, t *text, uri, in string, symbols []names.Symbol) []symbolInformation {
	for _, s := range symbols {
		to = append(to, symbolInformation{s.Name, symbolKinds[s.Kind], Location{uri, t.Range(s.NameFrom, s.NameTo)}, in})
		to = flat(to, t, uri, s.Name, s.Children)
	}
	return to
}

// The limits of a search in the workspace.
const (
	mostEntries = 20_000 // files and directories that are looked at
	mostFound   = 500
)

func workspaceSymbols(ctx context.Context, r *request, p struct {
	Query string `json:"query"`
},
) (any, error) {
	v := r.view()
	r.server.mu.Lock()
	folders := r.server.folders
	r.server.mu.Unlock()
	found := []symbolInformation{}
	seen := map[string]bool{}
	add := func(path string) {
		t := v.text(path)
		if seen[path] || t == nil || !strings.HasSuffix(path, config.TestEnding) && !config.LooksLikeGraph([]byte(t.src)) {
			return
		}
		seen[path] = true
		symbols, _ := names.Symbols(path, []byte(t.src))
		for _, s := range flat(nil, t, v.uri(path), filepath.Base(path), symbols) {
			if len(found) < mostFound && contains(s.Name, p.Query) {
				found = append(found, s)
			}
		}
	}
	for path := range v.open {
		add(path)
	}
	entries := 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if entries++; entries > mostEntries || ctx.Err() != nil {
				return cmp.Or(context.Cause(ctx), fs.SkipAll)
			}
			name := filepath.Base(path)
			switch {
			case d == nil || err != nil && d.IsDir():
				return fs.SkipDir
			case err != nil:
			case d.IsDir() && path != folder && (strings.HasPrefix(name, ".") || name == "node_modules"):
				return fs.SkipDir
			case d.Type().IsRegular() && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) && !strings.HasSuffix(name, config.LockEnding):
				add(path)
			}
			return nil //nolint:nilerr // what cannot be read has no symbols
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// contains reports whether a name has the characters of a query in their order, whatever their case.
func contains(name, query string) bool {
	name = strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		at := strings.IndexRune(name, r)
		if at < 0 {
			return false
		}
		name = name[at+len(string(r)):]
	}
	return true
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// foldingRanges go by indentation, which broken files have, too; lines of comments fold as well.
func foldingRanges(_ context.Context, r *request, _ aboutDocument) (any, error) {
	found := []foldingRange{}
	type open struct{ line, indent int }
	var stack []open
	last, comment := -1, -1 // the last line that is not blank; the first of a run of comments
	closeTo := func(indent int) {
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if last > top.line {
				found = append(found, foldingRange{StartLine: top.line, EndLine: last})
			}
		}
	}
	for i := range r.lines {
		line := r.lineText(i)
		body := strings.TrimLeft(line, " ")
		if strings.TrimSpace(body) == "" {
			continue
		}
		if body[0] == '#' {
			if comment < 0 {
				comment = i
			}
			continue
		}
		if comment >= 0 && i-comment > 1 && last < comment {
			found = append(found, foldingRange{comment, i - 1, "comment"})
		}
		comment = -1
		indent := len(line) - len(body)
		closeTo(indent)
		stack = append(stack, open{i, indent})
		last = i
	}
	closeTo(-1)
	return found, nil
}

type selectionRange struct {
	Range  Range           `json:"range"`
	Parent *selectionRange `json:"parent,omitempty"`
}

func selectionRanges(ctx context.Context, r *request, p struct {
	aboutDocument

	Positions []Position `json:"positions"`
},
) (any, error) {
	found := []*selectionRange{}
	for _, position := range p.Positions {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		offset := r.Offset(position)
		parts := names.Around(r.path, []byte(r.src), offset)
		var at *selectionRange
		for i := len(parts) - 1; i >= 0; i-- {
			if next := r.Range(parts[i][0], parts[i][1]); at == nil || next != at.Range {
				at = &selectionRange{next, at}
			}
		}
		if at == nil {
			at = &selectionRange{Range: r.Range(offset, offset)}
		}
		found = append(found, at)
	}
	return found, nil
}
