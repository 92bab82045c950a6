package lsp

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/editor/names"
)

// actionFeature offers edits that mend findings. Each is tried first: after it the finding is gone, and
// there is no new one.
var actionFeature = feature{
	provide: func(c *clientCan, caps map[string]any) {
		if c.get("textDocument", "codeAction", "codeActionLiteralSupport") != nil {
			caps["codeActionProvider"] = map[string]any{"codeActionKinds": []string{quickFix}}
		}
	},
	answers: map[string]handler{"textDocument/codeAction": about(codeActions)},
}

const quickFix = "quickfix"

// The limits of a request: each fix is tried by a check of the file.
const (
	mostMended = 8  // findings
	mostTried  = 24 // fixes
	mostFixes  = 10 // of one finding
)

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit"`
}

func codeActions(ctx context.Context, r *request, p struct {
	aboutDocument

	Range   Range `json:"range"`
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
},
) (any, error) {
	actions := []codeAction{}
	if len(p.Context.Only) > 0 && !slices.ContainsFunc(p.Context.Only, func(kind string) bool { return kind == "" || kind == quickFix }) {
		return actions, nil
	}
	found, err := r.findings(ctx)
	if err != nil {
		return nil, err
	}
	from, to := r.Span(p.Range)
	m := mender{request: r, before: found, view: r.view(), patch: config.NewPatcher(r.path, []byte(r.src))}
	mended := 0
	for i, f := range found.found[r.path] {
		at := r.At(f.Pos)
		if end := r.Offset(r.rangeOf(f).End); at > to || end < from || slices.ContainsFunc(found.found[r.path][:i], f.Same) {
			continue
		}
		if mended++; mended > mostMended {
			break
		}
		for _, fix := range m.fixes(ctx, f) {
			actions = append(actions, codeAction{
				Title: fix.title, Kind: quickFix, Diagnostics: r.server.diagnostics(r.text, r.uri, config.Diagnostics{f}), IsPreferred: fix.sure, Edit: m.view.edit(fix.edits),
			})
		}
	}
	return actions, ctx.Err()
}

// mender tries fixes of findings.
type mender struct {
	*request

	before result
	view   *view
	patch  *config.Patcher // nil for a text that is no YAML
	tried  int
}

type fix struct {
	title string
	sure  bool
	edits map[string][]config.Edit
}

// fixes returns the fixes of a finding that work, one for each title.
func (m *mender) fixes(ctx context.Context, f config.Diagnostic) (works []fix) {
	seen := map[string]bool{}
	preferred := false
	for _, proposed := range m.proposed(f) {
		if seen[proposed.title] || m.tried >= mostTried {
			continue
		}
		m.tried++
		if m.works(ctx, f, proposed.edits) {
			seen[proposed.title] = true
			proposed.sure = proposed.sure && !preferred
			preferred = preferred || proposed.sure
			works = append(works, proposed)
		}
	}
	return works
}

func (m *mender) proposed(f config.Diagnostic) (all []fix) {
	if renamed := m.renamed(f); renamed != nil {
		all = append(all, *renamed)
	}
	for _, one := range f.Fixes {
		if edits := one.Edits(m.patch, []byte(m.src)); edits != nil && len(all) < mostFixes {
			all = append(all, fix{one.Title, one.Sure, map[string][]config.Edit{m.path: edits}})
		}
	}
	return all
}

// badNames are the codes of findings about a name that its kind cannot have.
var badNames = []string{"bad-tool-name", "odd-tool-name", "tool-name-portability", "bad-program-name", "bad-var-name", "bad-branch-name", "bad-import-name", "odd-node-id"}

var notInName = wording.Pattern(`[^A-Za-z0-9_]+`)

// renamed returns the rename to a good name, in all files.
func (m *mender) renamed(f config.Diagnostic) *fix {
	if !slices.Contains(badNames, f.Code) {
		return nil
	}
	x := m.view.names(m.path)
	at := m.At(f.Pos)
	o, ok := x.At(m.path, at)
	if !ok {
		o, ok = x.At(m.path, at+1) // behind a quote
	}
	if !ok {
		return nil
	}
	to := notInName().ReplaceAllString(o.Name.Name, "_")
	if to != "" && to[0] >= '0' && to[0] <= '9' && o.Kind != names.Tool {
		to = "_" + to
	}
	edits, err := x.Rename(o.Name, to)
	if err != nil || edits == nil {
		return nil
	}
	return &fix{"Rename it to " + to, true, edits}
}

// works reports whether edits mend a finding: it is gone, and there is no new one. A file that was not
// checked to its end may have more warnings when it is.
func (m *mender) works(ctx context.Context, f config.Diagnostic, edits map[string][]config.Edit) bool {
	src := config.Apply([]byte(m.src), edits[m.path])
	if len(src) > config.MaxFileBytes || bytes.Equal(src, []byte(m.src)) {
		return false
	}
	after := m.server.newSnapshot(m.doc, m.kind, newText(string(src), m.units), nil)
	defer after.cancel()
	result, err := after.findings(ctx)
	if err != nil {
		return false
	}
	whole := m.before.checked == nil || m.before.checked.Valid
	left := map[string]int{}
	for _, was := range m.before.found[m.path] {
		left[was.Code]++
	}
	left[f.Code]--
	unreadable := strings.HasPrefix(f.Code, "yaml-") || f.Code == "second-document"
	for _, is := range result.found[m.path] {
		if left[is.Code]--; left[is.Code] >= 0 {
			continue
		}
		if is.Code == f.Code || !unreadable && (whole || is.Severity == config.Error) {
			return false
		}
	}
	return true
}
