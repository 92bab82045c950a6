package testbin

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"toolgraph/internal/base/files"
)

// program is the name of the main package of this module, whatever path the module has.
const (
	program    = "toolgraph"
	modulePath = "toolgraph"
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
// for the test processes of all packages, and returns the path of the executable, which
// belongs to this process: Run removes it. Safe for concurrent use. On a machine without Go, the executables are those of the directory
// that TOOLGRAPH_TEST_PROGRAMS names: tests of other systems are built elsewhere.
//
// With -race and -short, a test that wants the program itself is skipped: what it tests
// runs in another process, which the race detector does not see.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	if pkg == program && raced && testing.Short() {
		t.Skip("the race detector does not see the process that this tests; go test without -race runs it")
	}
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

// Run runs the tests of a package that starts toolgraph, keeps the runs that they make out
// of the user's own history, and removes what Build made. The result is the exit code.
func Run(m interface{ Run() int }) int {
	state, err := os.MkdirTemp("", "toolgraph-state-")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("TOOLGRAPH_STATE", state); err != nil {
		panic(err)
	}
	if err := os.Setenv("TOOLGRAPH_TOKEN_STORE", "file"); err != nil { // no test touches the secrets of its user
		panic(err)
	}
	code := m.Run()
	for _, err := range []error{clean(), os.RemoveAll(state)} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return code
}

// clean removes what Build made.
func clean() error {
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
	name := path.Base(pkg)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if made := os.Getenv("TOOLGRAPH_TEST_PROGRAMS"); made != "" {
		return filepath.Join(made, name), nil
	}
	root, err := outputDir()
	if err != nil {
		return "", err
	}
	ctx, out := context.Background(), filepath.Join(root, name)
	shared, release := sharedDir(ctx)
	defer release()
	if shared == "" {
		return out, build(ctx, out, pkg)
	}
	last := filepath.Join(shared, name)
	if err := build(ctx, last, pkg); err != nil {
		return "", err
	}
	return out, Link(last, out)
}

// build compiles a main package, unless the executable there is of the same source: then it is not linked again.
func build(ctx context.Context, out, pkg string) error {
	if pkg == program {
		pkg = modulePath
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, pkg)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, said)
	}
	return nil
}

// sharedDir returns the directory in which the test processes of all packages build, one at a time: linking the
// program takes longer than most of what is tested with it. "" when there is none: then each process builds for itself.
func sharedDir(ctx context.Context) (dir string, release func()) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", func() {}
	}
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", func() {}
	}
	dir = filepath.Join(cache, "toolgraph-tests", fmt.Sprintf("%x", sha256.Sum256(module))[:16])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", func() {}
	}
	if release, err = files.LockFile(ctx, filepath.Join(dir, "lock")); err != nil {
		return "", func() {}
	}
	return dir, release
}

// Link gives an executable a second name, which remains when the first is built again.
func Link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	content, err := os.ReadFile(from) // another file system, or one without links
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o700)
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
