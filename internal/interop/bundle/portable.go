package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// notPortable is the code of what cannot work on another machine.
const notPortable = "not-portable"

func (k *packer) reject(pos config.Pos, hint, format string, args ...any) {
	k.found.Add(pos, notPortable, fmt.Sprintf(format, args...), hint)
}

// imports reports imports whose paths name this machine.
func (k *packer) imports(file *config.File) {
	for _, imp := range file.Imports {
		if isAbsolute(imp.Path.Value) {
			k.reject(imp.Pos, "write a path that is relative to the graph file", "import %s has an absolute path", wording.Quote(imp.Name.Value))
		}
		if imp.File != nil {
			k.imports(imp.File)
		}
	}
}

// server adds the files that a server needs, and reports what is only on this machine.
func (k *packer) server(u *config.Upstream) error {
	who := "server " + wording.Quote(u.Name.Value)
	if u.Registry {
		k.reject(u.Pos, "write its entry into the graph file, in place of registry: true", "%s is taken from the registry of this machine", who)
		return nil
	}
	if isAbsolute(u.Cwd.Value) {
		k.reject(u.Cwd.Pos, "write a directory that is relative to the graph file, or ${NAME} to ask the user", "cwd of %s is the absolute path %s", who, wording.Quote(u.Cwd.Value))
	} else if !isAsked(u.Cwd.Value) && u.Dir != "" && !within(k.dir, u.Dir) {
		k.reject(u.Cwd.Pos, "name a directory beside the graph file or below it", "cwd of %s is outside the bundle, which has the files below %s", who, k.dir)
	}
	for _, s := range u.Env {
		if isHere(s.Value.Value) {
			k.reject(s.Value.Pos, "write ${NAME} to ask the user", "%s of %s is the path %s of this machine", s.Name.Value, who, wording.Quote(s.Value.Value))
		}
	}
	switch u.Transport {
	case config.Stdio:
		return k.command(u, who, append([]config.Text{u.Command}, u.Args...))
	case config.Exec:
		if !k.opts.AllowExec {
			k.reject(u.Pos, "add --allow-exec, with which the bundle starts them", "%s calls programs, which the bundle does not permit", who)
		}
		for _, program := range u.Programs {
			if err := k.command(u, "program "+wording.Quote(program.Name.Value)+" of "+who, program.Command); err != nil {
				return err
			}
		}
	case config.StreamableHTTP, config.SSE:
		if u.NamesLoopback {
			k.needs[fmt.Sprintf("a server at %s (%s)", u.URL.Value, who)] = true
		}
	}
	return nil
}

// command adds the files that the words of a command line name.
func (k *packer) command(u *config.Upstream, who string, words []config.Text) error {
	for i, word := range words {
		value := word.Value
		if _, after, isFlag := strings.Cut(value, "="); isFlag && strings.HasPrefix(value, "-") {
			value = after
		}
		switch {
		case isAsked(value):
		case i == 0 && isAbsolute(value):
			k.reject(word.Pos, "write the name of the program, which is looked up in PATH", "the command of %s is the absolute path %s", who, wording.Quote(value))
		case i == 0 && filepath.Base(value) == value:
			k.program(value, who)
		case isHere(value):
			k.reject(word.Pos, "write ${NAME} to ask the user, or a path that is relative to cwd", "%s has the path %s of this machine", who, wording.Quote(value))
		case isAbsolute(value):
		default:
			if err := k.relative(u, who, word, value, i == 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// program notes a program that the user's machine must have.
func (k *packer) program(name, who string) {
	switch name {
	case "toolgraph": // the bundle's own
		return
	case "npx", "npm", "node":
		name += ", which is part of Node.js"
	case "uvx", "uv":
		name += ", which is part of uv"
	}
	k.needs[fmt.Sprintf("%s (%s)", name, who)] = true
}

// relative adds the file that a word names, when it names one.
func (k *packer) relative(u *config.Upstream, who string, word config.Text, value string, command bool) error {
	base := u.Dir
	if base == "" {
		base = filepath.Dir(u.Pos.File)
	}
	abs, err := filepath.Abs(filepath.Join(base, value))
	if err != nil {
		return err
	}
	info, err := os.Lstat(abs)
	exists := err == nil
	if !command && !looksRelative(value) && (!exists || !strings.ContainsAny(value, "./") && u.Dir == "") {
		return nil // no path
	}
	switch {
	case u.Dir == "":
		k.reject(word.Pos, "add cwd: . to the server, which is the directory of the graph file", "%s has the relative path %s, and the directory in which a host starts servers is unknown", who, wording.Quote(value))
	case isAsked(u.Dir):
	case !within(k.dir, abs):
		k.reject(word.Pos, "put it beside the graph file or below it", "%s has the path %s, which is outside the bundle", who, wording.Quote(value))
	case !exists && command:
		k.reject(word.Pos, "create it, or correct the path", "the command %s of %s does not exist", wording.Quote(value), who)
	case exists && info.IsDir() && abs != u.Dir && !k.has(abs):
		k.reject(word.Pos, "add --include "+value+", or write ${NAME} to ask the user", "%s has the directory %s, of which nothing is in the bundle", who, wording.Quote(value))
	case exists && !info.IsDir():
		if err := k.addPath(abs); err != nil {
			k.reject(word.Pos, "", "%s has the path %s: %s", who, wording.Quote(value), plain(err))
		}
	}
	return nil
}

// directories reports working directories that the unpacked bundle would not have.
func (k *packer) directories() {
	for _, u := range k.file.Servers {
		if u.Dir != "" && !isAsked(u.Cwd.Value) && within(k.dir, u.Dir) && !k.has(u.Dir) {
			k.reject(u.Cwd.Pos, "add --include with a file in it", "cwd of server %s is a directory of which nothing is in the bundle", wording.Quote(u.Name.Value))
		}
	}
}

// isHere reports whether a text is an absolute path that exists on this machine, or that begins
// with the home directory of a user.
func isHere(text string) bool {
	if !isAbsolute(text) {
		return false
	}
	_, err := os.Lstat(text)
	return err == nil || ofAHome().MatchString(text)
}

var (
	ofAHome = wording.Pattern(`^(/(home|Users|root)/|~|[A-Za-z]:[\\/])`)
	drive   = wording.Pattern(`^([A-Za-z]:[\\/]|\\\\)`)
)

// isAbsolute reports whether a path is absolute on any system.
func isAbsolute(path string) bool {
	return strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/") || drive().MatchString(path)
}

// looksRelative reports whether a word can only be a path.
func looksRelative(word string) bool {
	return slices.Contains([]string{".", ".."}, word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, `.\`) || strings.HasPrefix(word, `..\`)
}

// plain is the cause of an error of a file, without the path.
func plain(err error) string {
	if inner := new(fs.PathError); errors.As(err, &inner) {
		if strings.Contains(inner.Err.Error(), "escapes from parent") { // of os.Root, which exports no value for it
			return "a symbolic link leads out of the directory"
		}
		return inner.Err.Error()
	}
	return err.Error()
}
