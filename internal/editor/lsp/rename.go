package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// renameFeature renames a name in all files that have it.
var renameFeature = feature{
	provide: func(c *clientCan, caps map[string]any) {
		caps["renameProvider"] = true
		if c.has("textDocument", "rename", "prepareSupport") {
			caps["renameProvider"] = map[string]any{"prepareProvider": true}
		}
	},
	answers: map[string]handler{
		"textDocument/prepareRename": about(prepareRename),
		"textDocument/rename":        about(rename),
	},
}

func prepareRename(_ context.Context, r *request, p atPosition) (any, error) {
	x := r.view().names(r.path)
	o, ok := x.At(r.path, r.Offset(p.Position))
	if !ok {
		return nil, nil
	}
	if err := x.MayRename(o.Name); err != nil {
		return nil, err
	}
	return struct {
		Range       Range  `json:"range"`
		Placeholder string `json:"placeholder"`
	}{r.Range(o.From, o.To), o.Name.Name}, nil
}

func rename(ctx context.Context, r *request, p struct {
	atPosition

	NewName string `json:"newName"`
},
) (any, error) {
	v := r.view()
	x := v.names(r.path)
	o, ok := x.At(r.path, r.Offset(p.Position))
	if !ok {
		return nil, errorf(codeInvalidParams, "there is no name to rename here; put the cursor on the name of a node, tool, server, constant, import or variable")
	}
	edits, err := x.Rename(o.Name, p.NewName)
	if err != nil {
		return nil, err
	}
	if err := v.sameFindings(ctx, edits); err != nil {
		return nil, err
	}
	return v.edit(edits), nil
}

// sameFindings reports a finding that graph files have only after edits.
func (v *view) sameFindings(ctx context.Context, edits map[string][]config.Edit) error {
	v.server.mu.Lock()
	servers := v.server.serversFile()
	v.server.mu.Unlock()
	edited := map[string][]byte{}
	for path, of := range edits {
		if src, err := v.bytes(path); err == nil {
			edited[path] = config.Apply(src, of)
		}
	}
	find := func(path string, read func(string) ([]byte, error)) (config.Diagnostics, error) {
		src, err := read(path)
		if err != nil {
			return nil, err
		}
		checked, err := checks.Text(ctx, path, src, config.Options{ServersFile: servers, AssumeEnv: true, ReadFile: read}, checks.Beside{Clean: &v.server.clean})
		if err != nil {
			return nil, err
		}
		return checked.Found, nil
	}
	for _, path := range slices.Sorted(maps.Keys(edited)) {
		if strings.HasSuffix(path, config.TestEnding) || strings.HasSuffix(path, config.LockEnding) || filepath.Ext(path) == ".json" || !config.LooksLikeGraph(edited[path]) {
			continue
		}
		before, err := find(path, v.bytes)
		if err != nil {
			return err
		}
		after, err := find(path, func(path string) ([]byte, error) {
			if src, ok := edited[path]; ok {
				return src, nil
			}
			return v.bytes(path)
		})
		if err != nil {
			return err
		}
		count := map[string]int{}
		for _, f := range before {
			count[f.Code]++
		}
		for _, f := range after {
			if count[f.Code]--; count[f.Code] < 0 {
				return fmt.Errorf("the renamed file would have a new finding (%s); rename by hand", f)
			}
		}
	}
	return nil
}
