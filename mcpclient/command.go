package mcpclient

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// resolveCommand returns the file to execute for a server's command: a path is relative
// to the server's directory, a bare name is looked up in PATH, whose relative entries are
// ignored. No shell is involved.
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
		path, err := filepath.Abs(path) // a bare name would be looked up in PATH
		if err == nil {
			err = checkExecutable(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, " \t\n"):
			err = oneProgram(name)
		case errors.Is(err, fs.ErrNotExist):
			err = fmt.Errorf("command %q not found, expected a program (a relative path begins at the server's directory)", path)
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

// CommandPath returns the file that would be executed for a server over stdio. It starts
// nothing; the error says what is wrong with the server's command or directory.
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

// oneProgram returns the error for a command line in the place of a program.
func oneProgram(name string) error {
	return fmt.Errorf("command %q not found, expected one program; its arguments belong in args", name)
}

func checkExecutable(path string) error {
	_, err := exec.LookPath(path)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("command %q is not executable", path)
	}
	if info, serr := os.Stat(path); serr == nil && info.IsDir() {
		return fmt.Errorf("command %q is a directory, expected a program", path)
	}
	return fmt.Errorf("command %q cannot be executed: %w", path, err)
}

// checkDir reports a missing working directory before a start fails with an error that
// blames the command.
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

// safeBase are the variables of this process that every server gets, with
// config.Forwarded. No others are passed on: they hold other servers' secrets and change
// how programs load code (LD_PRELOAD, NODE_OPTIONS, BASH_ENV).
var safeBase = map[string]bool{
	"PATH": true, "HOME": true, "LANG": true, "TMPDIR": true, "USER": true, "SHELL": true, "TERM": true,
}

// windowsBase are the variables without which programs on Windows cannot start.
var windowsBase = map[string]bool{
	"APPDATA": true, "COMSPEC": true, "HOMEDRIVE": true, "HOMEPATH": true, "LOCALAPPDATA": true, "PATHEXT": true,
	"PROGRAMDATA": true, "PROGRAMFILES": true, "SYSTEMDRIVE": true, "SYSTEMROOT": true, "TEMP": true, "TMP": true,
	"USERNAME": true, "USERPROFILE": true, "WINDIR": true,
}

// environ returns the environment of a server: the safe variables of all, and those that
// its entry lists, which win.
func environ(all []string, listed []config.Setting) []string {
	set := make(map[string]bool, len(listed))
	for _, s := range listed {
		set[s.Name.Value] = true
	}
	env := make([]string, 0, len(safeBase)+len(listed))
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if !set[name] && passedOn(name) {
			env = append(env, entry)
		}
	}
	for _, s := range listed {
		env = append(env, s.Name.Value+"="+s.Value.Value)
	}
	return env
}

func passedOn(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		return safeBase[name] || windowsBase[name] ||
			slices.ContainsFunc(config.Forwarded(), func(f string) bool { return strings.EqualFold(f, name) })
	}
	return safeBase[name] || strings.HasPrefix(name, "LC_") || slices.Contains(config.Forwarded(), name)
}

// searchPath returns the PATH in which a server's command is looked up: the server's own
// if its entry sets one.
func searchPath(listed []config.Setting) string {
	for _, s := range listed {
		if s.Name.Value == "PATH" {
			return s.Value.Value
		}
	}
	return os.Getenv("PATH")
}

// withheld returns the names of the variables that a server did not get, except those of
// the shell, the desktop and the terminal; first those that contain a word of its name or
// its program, then those that many programs read.
func withheld(all []string, u *config.Upstream) []string {
	var names []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		listed := slices.ContainsFunc(u.Env, func(s config.Setting) bool { return s.Name.Value == name })
		if !listed && variableLike().MatchString(name) && !passedOn(name) && !ofTheSession().MatchString(name) {
			names = append(names, name)
		}
	}
	own := ownWords(u)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a, own), rank(b, own)), cmp.Compare(a, b))
	})
	return slices.Compact(names)
}

var (
	variableLike = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
	ofTheSession = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(_|PWD|OLDPWD|SHLVL|LOGNAME|MAIL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|EDITOR|VISUAL|PAGER|MANPATH|INFOPATH|DISPLAY|WINDOWID|COLORTERM|LINES|COLUMNS|INVOCATION_ID|JOURNAL_STREAM|` +
			`(BASH|ZSH|FISH|PS|HIST|LESS|LS|SSH|GPG|XDG|DBUS|GDM|GNOME|GTK|QT|KDE|WAYLAND|TERM|VTE|TMUX|STY|ITERM|TOOLGRAPH)[A-Z0-9_]*)$`)
	})
	// Variables that many programs read: keys, addresses, certificates, runtimes, packages.
	widelyRead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)key|token|secret|password|auth|credential|proxy|cert|ssl|tls|_(url|uri|host|port|home|path|dir|profile|region)$|^(node|npm|python|pip|uv|java|go|docker|aws|azure|google)`)
	})
	wordInName = wording.Pattern(`[A-Za-z0-9]{3,}`)
)

// ownWords returns the words in the names of a server, its program and its packages.
func ownWords(u *config.Upstream) []string {
	names := []string{u.Name.Value, filepath.Base(u.Command.Value)}
	for _, a := range u.Args {
		if len(a.Value) < 100 && !strings.HasPrefix(a.Value, "-") && !filepath.IsAbs(a.Value) {
			names = append(names, a.Value)
		}
	}
	words := wordInName().FindAllString(strings.ToUpper(strings.Join(names, " ")), -1)
	return slices.DeleteFunc(words, func(w string) bool { return w == "MCP" || w == "SERVER" || w == "MODELCONTEXTPROTOCOL" })
}

// rank returns 0 for a name that has a word of the server's, 1 for one that many programs
// read, 2 for others.
func rank(name string, own []string) int {
	parts := strings.Split(strings.ToUpper(name), "_")
	switch {
	case slices.ContainsFunc(own, func(word string) bool { return slices.Contains(parts, word) }):
		return 0
	case widelyRead().MatchString(name):
		return 1
	}
	return 2
}

// withheldHint names the variables that a server that does not start may need, and how it
// gets them; "" when there are none. It never shows values.
func withheldHint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("it was started without these variables of the environment: %s; if it needs one, list it under env of the server, in the graph file or the file given with -m: env: {%[2]s: \"${%[2]s}\"}",
		wording.List(names), names[0])
}
