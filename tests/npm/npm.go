// Package npm brings npm packages to a measurement or a test that compares with them:
// names with versions go in, a folder that holds node_modules comes out. It runs the
// npm command and keeps what it installed in the user's cache.
package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrAbsent says that there is no Node or no npm on this machine.
var ErrAbsent = errors.New("node and npm are not installed")

// Available is nil when both node and npm can be run, else ErrAbsent.
func Available() error {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return ErrAbsent
		}
	}
	return nil
}

// Install returns a folder whose node_modules holds the packages, each written
// NAME@VERSION. The first call for a set installs it, later ones find it in the
// cache. Safe for processes that do it at the same time.
func Install(ctx context.Context, packages ...string) (dir string, err error) {
	if err := Available(); err != nil {
		return "", err
	}
	root, err := cacheRoot()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, key(packages))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	fresh, err := os.MkdirTemp(root, "installing-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if err := install(ctx, fresh, packages); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, gone := os.Stat(dir); gone == nil { // another process was first
			return dir, nil
		}
		return "", err
	}
	return dir, nil
}

func install(ctx context.Context, dir string, packages []string) error {
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\": true}\n"), 0o644); err != nil {
		return err
	}
	args := append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error"}, packages...)
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w: %s", strings.Join(packages, " "), err, lastLine(said))
	}
	return nil
}

func cacheRoot() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	root := filepath.Join(cache, "toolgraph", "npm")
	return root, os.MkdirAll(root, 0o755)
}

// key names the folder of a set of packages.
func key(packages []string) string {
	sorted := slices.Sorted(slices.Values(packages))
	sum := sha256.Sum256([]byte(strings.Join(sorted, "\n")))
	name := strings.NewReplacer("@", "_", "/", "_").Replace(strings.TrimPrefix(sorted[0], "@"))
	return name + "-" + hex.EncodeToString(sum[:6])
}

func lastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1]
}
