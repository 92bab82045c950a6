package testbin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

type binary struct {
	once sync.Once
	path string
	err  error
}

var (
	mu    sync.Mutex // guards built and dir
	built = map[string]*binary{}
	dir   string
)

// Build compiles the main package pkg, such as "toolgraph/tests/fakeserver", once
// per test process and returns the path of the executable. Clean removes it. Safe
// for concurrent use.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	mu.Lock()
	b := built[pkg]
	if b == nil {
		b = &binary{}
		built[pkg] = b
	}
	mu.Unlock()
	b.once.Do(func() { b.path, b.err = compile(pkg) })
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.path
}

// Clean removes what Build made; for the end of TestMain.
func Clean() error {
	mu.Lock()
	defer mu.Unlock()
	if dir == "" {
		return nil
	}
	clear(built)
	gone := dir
	dir = ""
	return os.RemoveAll(gone)
}

func compile(pkg string) (string, error) {
	root, err := outputDir()
	if err != nil {
		return "", err
	}
	out := filepath.Join(root, path.Base(pkg))
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", out, pkg)
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, said)
	}
	return out, nil
}

func outputDir() (string, error) {
	mu.Lock()
	defer mu.Unlock()
	if dir != "" {
		return dir, nil
	}
	made, err := os.MkdirTemp("", "toolgraph-testbin-")
	if err != nil {
		return "", err
	}
	dir = made
	return dir, nil
}
