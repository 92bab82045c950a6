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

// safeBase are the variables of our environment that every server gets, with
// config.Forwarded. Nothing else of it is passed on: it holds other servers' secrets and
// variables that change how programs load code (LD_PRELOAD, NODE_OPTIONS, BASH_ENV).
var safeBase = map[string]bool{
	"PATH": true, "HOME": true, "LANG": true, "TMPDIR": true, "USER": true, "SHELL": true, "TERM": true,
}

// windowsBase is what programs on Windows cannot start without.
var windowsBase = map[string]bool{
	"APPDATA": true, "COMSPEC": true, "HOMEDRIVE": true, "HOMEPATH": true, "LOCALAPPDATA": true, "PATHEXT": true,
	"PROGRAMDATA": true, "PROGRAMFILES": true, "SYSTEMDRIVE": true, "SYSTEMROOT": true, "TEMP": true, "TMP": true,
	"USERNAME": true, "USERPROFILE": true, "WINDIR": true,
}

// environ is the environment of a server: the safe base of ours and what its entry
// in the file lists, which wins.
func environ(ours []string, listed []config.Setting) []string {
	set := make(map[string]bool, len(listed))
	for _, s := range listed {
		set[s.Name.Value] = true
	}
	env := make([]string, 0, len(safeBase)+len(listed))
	for _, entry := range ours {
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

// searchPath is the PATH in which a server's command is looked for: the server's
// own when its entry sets one.
func searchPath(listed []config.Setting) string {
	for _, s := range listed {
		if s.Name.Value == "PATH" {
			return s.Value.Value
		}
	}
	return os.Getenv("PATH")
}

// withheld are the names of the variables that a server was not given, those first that
// are likely to matter to it: which have to do with its name or its program, then which
// are not the shell's, the desktop's or the terminal's own.
func withheld(ours []string, u *config.Upstream) []string {
	var names []string
	for _, entry := range ours {
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
	variableLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	ofTheSession = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(_|PWD|OLDPWD|SHLVL|LOGNAME|MAIL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|EDITOR|VISUAL|PAGER|MANPATH|INFOPATH|DISPLAY|WINDOWID|COLORTERM|LINES|COLUMNS|INVOCATION_ID|JOURNAL_STREAM|` +
			`(BASH|ZSH|FISH|PS|HIST|LESS|LS|SSH|GPG|XDG|DBUS|GDM|GNOME|GTK|QT|KDE|WAYLAND|TERM|VTE|TMUX|STY|ITERM|TOOLGRAPH)[A-Z0-9_]*)$`)
	})
	// What programs of many kinds look at: keys, addresses, certificates, runtimes, packages.
	widelyRead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)key|token|secret|password|auth|credential|proxy|cert|ssl|tls|_(url|uri|host|port|home|path|dir|profile|region)$|^(node|npm|python|pip|uv|java|go|docker|aws|azure|google)`)
	})
	wordInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9]{3,}`) })
)

// ownWords are the words by which a server, its program and its packages are called.
func ownWords(u *config.Upstream) []string {
	said := []string{u.Name.Value, filepath.Base(u.Command.Value)}
	for _, a := range u.Args {
		if len(a.Value) < 100 && !strings.HasPrefix(a.Value, "-") && !filepath.IsAbs(a.Value) {
			said = append(said, a.Value)
		}
	}
	words := wordInName().FindAllString(strings.ToUpper(strings.Join(said, " ")), -1)
	return slices.DeleteFunc(words, func(w string) bool { return w == "MCP" || w == "SERVER" || w == "MODELCONTEXTPROTOCOL" })
}

// rank is 0 for a name that has to do with the server, 1 for one that many programs read,
// 2 for others.
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

// withheldHint names the variables that a server that does not come up may be waiting for,
// and how it gets them; empty when there are none. Values are never named.
func withheldHint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown, more := names, ""
	if len(names) > namesShown {
		shown, more = names[:namesShown], fmt.Sprintf(" and %d more", len(names)-namesShown)
	}
	return fmt.Sprintf("it was started without these variables of the environment: %s%s; if it needs one, list it under env of the server, in the graph file or the file given with -m: env: {%[3]s: \"${%[3]s}\"}",
		strings.Join(shown, ", "), more, names[0])
}
