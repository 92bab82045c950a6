package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/docs"
	"toolgraph/internal/interop/bundle"
)

//go:embed bundle/folder.yaml
var firstGraph []byte

// writeBundles writes a bundle of the first graph for each processor, with the executables of all
// systems.
func writeBundles(ctx context.Context, dist, version string) error {
	version = strings.TrimPrefix(version, "v")
	for _, arch := range []string{"amd64", "arm64"} {
		if err := writeBundle(ctx, dist, version, arch); err != nil {
			return err
		}
	}
	return nil
}

func writeBundle(ctx context.Context, dist, version, arch string) error {
	scratch, err := os.MkdirTemp(dist, "bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	opts := bundle.Options{Author: "Toolgraph", Licenses: docs.Notices}
	for _, t := range targets {
		if t.arch != arch {
			continue
		}
		binary, err := extract(filepath.Join(dist, t.archive(version)))
		if err != nil {
			return err
		}
		path := filepath.Join(scratch, t.os)
		if err := os.WriteFile(path, binary, 0o755); err != nil {
			return err
		}
		opts.Binaries = append(opts.Binaries, path)
	}
	graph := filepath.Join(scratch, "folder.yaml")
	if err := os.WriteFile(graph, []byte(strings.ReplaceAll(string(firstGraph), "0.0.0", version)), 0o644); err != nil {
		return err
	}
	b, err := bundle.New(ctx, graph, opts)
	if err != nil {
		return err
	}
	archive, err := b.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, fmt.Sprintf("toolgraph-folder_%s_%s.mcpb", version, arch)), archive, 0o644)
}
