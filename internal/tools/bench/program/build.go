// Package program compiles the programs that are measured, as they are released.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The modules that have programs, as directories below that of the product's. A program is compiled in its own
// module, with the versions that the go.mod there names.
const (
	Product  = "."
	Bench    = "internal/tools/bench"
	Temporal = "internal/temporal"
)

// modulePath is the path of the product's module, whose main package is called toolgraph.
const modulePath = "toolgraph"

// Build compiles a main package of a module into dir, and returns the path of the program.
func Build(ctx context.Context, dir, module, pkg string) (string, error) {
	out := filepath.Join(dir, filepath.Base(pkg))
	if pkg == "toolgraph" {
		pkg = modulePath
	}
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	if err := command(ctx, module, "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg); err != nil {
		return "", err
	}
	return out, nil
}

// command runs the go command in a module.
func command(ctx context.Context, module string, args ...string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if err != nil {
		return fmt.Errorf("go list -m %s: %w", modulePath, err)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), module, err, strings.TrimSpace(string(said)))
	}
	return nil
}
