package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is a system and a processor, as Go names them.
type target struct{ os, arch string }

// targets are those of a release, as in .goreleaser.yaml.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// The flags of a release build, as in .goreleaser.yaml and make build.
var (
	buildFlags = []string{"-trimpath"}
	linkFlags  = "-s -w"
)

// alongside are the files of an archive beside the executable.
var alongside = []string{"CHANGELOG.md", "LICENSE", "README.md"}

// executable is the name of the program on the system.
func (t target) executable() string {
	if t.os == "windows" {
		return "toolgraph.exe"
	}
	return "toolgraph"
}

// base is the name of the archive without its ending, and of the directory in it.
func (t target) base(version string) string {
	return fmt.Sprintf("toolgraph_%s_%s_%s", version, t.os, t.arch)
}

func (t target) archive(version string) string {
	if t.os == "windows" {
		return t.base(version) + ".zip"
	}
	return t.base(version) + ".tar.gz"
}

// build writes the executable of a target.
func (t target) build(ctx context.Context, out, version string) error {
	args := append([]string{"build"}, buildFlags...)
	args = append(args, "-ldflags", linkFlags+" -X toolgraph/internal/program.version="+version, "-o", out, ".")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// writeArchives builds all targets and writes their archives, SBOMs and checksums.
func writeArchives(ctx context.Context, dist, version string) error {
	version = strings.TrimPrefix(version, "v")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(dist, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var names []string
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, "building", t.base(version))
		binary := filepath.Join(scratch, t.executable())
		if err := t.build(ctx, binary, version); err != nil {
			return err
		}
		archive := filepath.Join(dist, t.archive(version))
		files := []packed{{path: binary, mode: 0o755}}
		for _, name := range alongside {
			files = append(files, packed{path: name, mode: 0o644})
		}
		if err := pack(archive, t.base(version), files); err != nil {
			return err
		}
		if err := writeSBOM(archive, archive+".sbom.json"); err != nil {
			return err
		}
		names = append(names, t.archive(version), t.archive(version)+".sbom.json")
	}
	return writeChecksums(dist, names)
}

// writeChecksums writes checksums.txt in the form of sha256sum.
func writeChecksums(dist string, names []string) error {
	var lines strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dist, "checksums.txt"), []byte(lines.String()), 0o644)
}
