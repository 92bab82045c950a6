package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"toolgraph/internal/base/files"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/project/registry"
)

// Undoing is an adoption that is taken back.
type Undoing struct {
	Host *hostconfig.Host
	File string

	place    Place
	record   *record
	src      []byte
	after    []byte
	registry registry.Registry
}

// ErrNothing means that nothing of a host is adopted.
var ErrNothing = errors.New("nothing is adopted")

// Undo returns what taking an adoption back would change; nothing is written. The error wraps ErrNothing.
func Undo(host *hostconfig.Host, r registry.Registry) (*Undoing, error) {
	u := &Undoing{Host: host, place: placeOf(r, host), registry: r}
	var err error
	if u.record, err = u.place.read(); err != nil {
		return nil, err
	}
	if u.record == nil {
		return nil, fmt.Errorf("%w of %s: there is no %s", ErrNothing, host.Title, u.place.record())
	}
	u.File = u.record.File
	if u.src, err = hostconfig.Load(u.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	u.after, err = u.undone(u.src)
	return u, err
}

// undone returns a content of the host's file without the adoption; a file that is gone stays so.
func (u *Undoing) undone(src []byte) ([]byte, error) {
	if src == nil {
		return nil, nil
	}
	return u.record.undone(u.Host, u.File, src)
}

// Before and After return the host's file as it is, and as it will be.
func (u *Undoing) Before() []byte { return u.src }

// After is the host's file as it will be.
func (u *Undoing) After() []byte { return u.after }

// IsExact reports whether the host's file will be as it was before the adoption, byte for byte.
func (u *Undoing) IsExact() bool {
	return slices.ContainsFunc(u.record.chain(), func(r *record) bool { return digest(u.after) == r.Before })
}

// Undone is what Write has done beside the host's file.
type Undone struct {
	Backup  string   `json:"backup,omitempty"` // of the host's file as it was until now
	Removed []string `json:"removed"`          // servers of the registry, and files
	Left    []string `json:"left"`             // what stays, and why
}

// Write takes the adoption back: the host's file first, then what nothing else uses and is unchanged. The record goes
// last, so that to undo again goes on where it has stopped.
func (u *Undoing) Write(ctx context.Context, links files.Links) (*Undone, error) {
	done := &Undone{Removed: []string{}, Left: []string{}}
	var err error
	if u.src != nil {
		if done.Backup, err = hostconfig.Replace(ctx, u.File, hostconfig.UserScope, links, u.undone); err != nil {
			return nil, err
		}
	}
	if err := u.unregister(ctx, done); err != nil {
		return nil, err
	}
	for _, file := range []struct {
		path  string
		wrote func(*record) string
	}{
		{lock.Path(u.place.graph()), func(r *record) string { return r.Lock }},
		{u.place.graph(), func(r *record) string { return r.Graph }},
	} {
		switch src, err := os.ReadFile(file.path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !slices.ContainsFunc(u.record.chain(), func(r *record) bool { return digest(src) == file.wrote(r) }):
			done.Left = append(done.Left, file.path+": it was changed since")
		default:
			if err := files.Remove(file.path); err != nil {
				return nil, err
			}
			done.Removed = append(done.Removed, file.path)
		}
	}
	if err := u.forget(); err != nil {
		return nil, err
	}
	if err := files.Remove(u.place.record()); err != nil {
		return nil, err
	}
	_ = os.Remove(u.place.dir) // unless something is left in it
	_ = os.Remove(filepath.Dir(u.place.dir))
	return done, nil
}

// unregister removes the servers that the adoption has added to the registry.
func (u *Undoing) unregister(ctx context.Context, done *Undone) error {
	others, err := usedBy(u.registry, u.Host)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range u.record.servers() {
		if seen[s.As] || !u.record.added(s.As) {
			continue
		}
		seen[s.As] = true
		known, _, err := u.registry.Has(s.As, s.Entry)
		switch {
		case err != nil:
			return err
		case !known:
		case !u.record.isIn(u.registry, s.As):
			done.Left = append(done.Left, s.As+" of "+u.registry.Path+": it was changed since")
		case others[s.As] != "":
			done.Left = append(done.Left, s.As+" of "+u.registry.Path+": what is adopted of "+others[s.As]+" uses it")
			if err := u.record.hand(u.registry, s.As, others[s.As]); err != nil {
				return err
			}
		default:
			if err := u.registry.Remove(ctx, s.As); err != nil {
				return err
			}
			done.Removed = append(done.Removed, s.As+" of "+u.registry.Path)
		}
	}
	if !u.record.IsNewRegistry {
		return nil
	}
	if entries, err := u.registry.List(); err != nil || len(entries) > 0 {
		return err
	}
	if src, err := os.ReadFile(u.registry.Path); err != nil || !bytes.Equal(bytes.Join(bytes.Fields(src), nil), []byte(`{"mcpServers":{}}`)) {
		return nil //nolint:nilerr // there is none, or it has more
	}
	return files.Remove(u.registry.Path)
}

// usedBy returns, by server of the registry, another host than this one whose adoption uses it.
func usedBy(in registry.Registry, host *hostconfig.Host) (map[string]string, error) {
	hosts := map[string]string{}
	for _, name := range hostconfig.Names() {
		if name == host.Name {
			continue
		}
		r, err := placeOf(in, hostconfig.Find(name)).read()
		if err != nil {
			return nil, err
		}
		for _, s := range r.servers() {
			hosts[s.As] = name
		}
	}
	return hosts, nil
}

// hand makes the adoption of another host the one that has added a server to the registry.
func (r *record) hand(in registry.Registry, as, host string) error {
	place := placeOf(in, hostconfig.Find(host))
	other, err := place.read()
	if err != nil || other == nil {
		return err
	}
	for _, one := range other.chain() {
		for i := range one.Servers {
			if one.Servers[i].As == as {
				one.Servers[i].IsAdded = true
			}
		}
	}
	other.IsNewRegistry = other.IsNewRegistry || r.IsNewRegistry
	return place.write(other)
}

// forget removes the backup of before the adoption when the host's file is the same again.
func (u *Undoing) forget() error {
	for _, r := range u.record.chain() {
		if r.Backup == "" || digest(u.after) != r.Before {
			continue
		}
		if err := files.Remove(r.Backup); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
