package mcpclient

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"toolgraph/config"
)

// resolveCommand is the file to execute for a server's command: a path is taken
// relative to the server's directory, a bare name is looked for in PATH, whose
// relative entries are passed over. No shell is ever asked.
func resolveCommand(u *config.Upstream, self selfCommand) (string, error) {
	name := u.Command.Value
	switch {
	case name == "":
		return "", errors.New("no command given, expected a program")
	case name == self.name && self.path != "":
		return self.path, nil
	case strings.ContainsRune(name, 0):
		return "", errors.New("the command holds a zero byte")
	case filepath.Base(name) != name:
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(u.Dir, path)
		}
		path, err := filepath.Abs(path) // a bare name would be looked for in PATH
		if err == nil {
			err = checkExecutable(path)
		}
		if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, " \t\n") {
			err = oneProgram(name)
		}
		return path, err
	}
	var refused error
	for _, dir := range filepath.SplitList(searchPath(u.Env)) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) && refused == nil {
			refused = fmt.Errorf("command %q is not executable (%s)", name, filepath.Join(dir, name))
		}
	}
	if refused != nil {
		return "", refused
	}
	if strings.ContainsAny(name, " \t\n") {
		return "", oneProgram(name)
	}
	return "", fmt.Errorf("command %q not found in PATH, expected an installed program or a path such as ./%s", name, name)
}

// CommandPath is the file that would be executed for a server over stdio. Nothing is
// started; the error says what is wrong with its command or its directory.
func CommandPath(u *config.Upstream, opts ...Option) (string, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	path, err := resolveCommand(u, o.self)
	if err == nil {
		err = checkDir(u.Dir)
	}
	return path, err
}

// oneProgram is the error for a command line where a program belongs.
func oneProgram(name string) error {
	return fmt.Errorf("command %q not found, expected one program; its arguments belong in args", name)
}

func checkExecutable(path string) error {
	_, err := exec.LookPath(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &missingError{path}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("command %q is not executable", path)
	}
	if info, serr := os.Stat(path); serr == nil && info.IsDir() {
		return fmt.Errorf("command %q is a directory, expected a program", path)
	}
	return fmt.Errorf("command %q cannot be executed: %w", path, err)
}

// checkDir reports a working directory that is not there before a start fails with
// words that blame the command.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cwd %q does not exist, expected a directory", dir)
	case err != nil:
		return fmt.Errorf("cwd %q cannot be used: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("cwd %q is not a directory", dir)
	}
	return nil
}

// missingError is a path where nothing is.
type missingError struct{ path string }

func (m *missingError) Error() string {
	return fmt.Sprintf("command %q not found, expected a program (a relative path begins at the server's directory)", m.path)
}

func (m *missingError) Unwrap() error { return fs.ErrNotExist }
