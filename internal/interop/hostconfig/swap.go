package hostconfig

import (
	"slices"

	"toolgraph/config"
)

// Swap returns the content of a host's file with a new entry of this program, and without the entries of some servers.
// All else stays byte for byte. The errors are those of Put. It reads and writes no file.
func (h *Host) Swap(path string, src []byte, l Launch, without []string) ([]byte, error) {
	out, _, err := h.Put(path, src, l)
	for _, name := range without {
		if err == nil {
			out, err = h.with(path, out, name, nil)
		}
	}
	return out, err
}

// Restore returns the content of a host's file without an entry of this program, and with the entries of some servers as
// an older content had them. One that the file has now stays as it is. All else stays byte for byte.
func (h *Host) Restore(path string, src, older []byte, own string, names []string) ([]byte, error) {
	now, err := h.servers(path, src)
	if err != nil {
		return nil, err
	}
	before, err := h.servers(path, older)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		entry := before.Get(name)
		if entry == nil || now.Get(name) != nil {
			continue
		}
		if src, err = h.with(path, src, name, entry); err != nil {
			return nil, err
		}
	}
	if slices.Contains(names, own) || now.Get(own) == nil {
		return src, nil
	}
	return h.with(path, src, own, nil)
}

// SameEntries reports whether two contents of a host's file have the same entries of these names.
func (h *Host) SameEntries(path string, one, other []byte, names []string) (bool, error) {
	a, err := h.servers(path, one)
	if err != nil {
		return false, err
	}
	b, err := h.servers(path, other)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !same(a.Get(name), b.Get(name)) }), nil
}

// Program returns the command, its arguments and the environment of an entry that starts a program, as the file has them;
// the command is "" when there is no such entry.
func (h *Host) Program(path string, src []byte, name string) (command string, args []string, env []Setting, err error) {
	servers, err := h.servers(path, src)
	if err != nil {
		return "", nil, nil, err
	}
	entry := servers.Get(name)
	if entry == nil {
		return "", nil, nil, nil
	}
	words := entry.Get(h.entry.name("args"))
	if command = h.programOf(entry); words != nil {
		for i, word := range words.Items {
			if text, isText := textOf(word); isText && (i > 0 || !h.entry.isList()) {
				args = append(args, text)
			}
		}
	}
	if settings := entry.Get(h.entry.name("env")); settings != nil {
		for i, key := range settings.Keys {
			text, _ := textOf(settings.Items[i])
			env = append(env, Setting{key.Value, text})
		}
	}
	return command, args, env, nil
}

// Names returns the names of the entries of a file.
func (h *Host) Names(path string, src []byte) (names []string, err error) {
	servers, err := h.servers(path, src)
	for _, key := range keysOf(servers) {
		names = append(names, key.Value)
	}
	return names, err
}

// servers returns the entries of a file; an object without keys when it has none.
func (h *Host) servers(path string, src []byte) (*config.Data, error) {
	root, err := h.read(path, src, []string{h.key})
	if err != nil {
		return nil, err
	}
	return h.entriesIn(root)
}

// with returns the content with another entry of a name; nil removes it.
func (h *Host) with(path string, src []byte, name string, entry *config.Data) ([]byte, error) {
	root, err := h.read(path, src, []string{h.key})
	if err != nil {
		return nil, err
	}
	servers, err := h.entriesIn(root)
	if err != nil {
		return nil, err
	}
	want := root.With(h.key, servers.With(name, entry))
	if same(root, want) {
		return src, nil
	}
	return h.syntax.rewrite(path, src, want, h.key)
}
