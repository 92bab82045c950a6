package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"toolgraph/internal/base/files"
	"toolgraph/internal/interop/hostconfig"
)

// ErrChanged means that the host's file has changed since it was shown.
var ErrChanged = errors.New("its servers have changed meanwhile")

// Write does what was shown: the record, the registry, the graph file and its lock are written, then the host's file is
// replaced at once. It returns the backup of the host's file. After an error, or when the process dies, the host's file
// is the old one or the new one, and to write again, or to undo, goes on from there. When another program changes other
// parts of the host's file meanwhile, nothing of that is lost.
func (a *Adoption) Write(ctx context.Context, locked []byte, links files.Links) (backup string, err error) {
	if err := links.Check(a.File); err != nil {
		return "", err
	}
	if err := files.CheckReplace(a.File); err != nil {
		return "", err
	}
	after, err := a.Content()
	if err != nil {
		return "", err
	}
	r := a.newRecord(after, locked)
	if !bytes.Equal(a.base, a.src) { // of an earlier adoption: this content is in no file
		if r.Backup, err = a.backup(); err != nil {
			return "", err
		}
	}
	r.setEarlier(a.earlier)
	if err := a.place.write(r); err != nil {
		return "", err
	}
	if err := a.register(ctx); err != nil {
		return "", err
	}
	if err := write(a.place.graph(), a.Graph()); err != nil {
		return "", err
	}
	if err := write(a.LockPath(), locked); err != nil {
		return "", err
	}
	backup, err = hostconfig.Replace(ctx, a.File, hostconfig.UserScope, links, func(src []byte) ([]byte, error) {
		if bytes.Equal(src, a.src) {
			return after, nil
		}
		return a.onto(src, r)
	})
	if err != nil {
		return "", err
	}
	if r.Backup == "" {
		r.Backup = backup
	}
	r.Earlier = nil
	return backup, a.place.write(r)
}

// register brings the adopted servers into the registry, and takes out what an earlier adoption has added and this one has
// not.
func (a *Adoption) register(ctx context.Context) error {
	adopted := a.Adopted()
	for _, s := range adopted {
		if _, same, err := a.registry.Has(s.As, *s.server.Entry); err != nil {
			return err
		} else if same {
			continue
		}
		if err := a.registry.Put(ctx, s.As, *s.server.Entry, a.earlier.isIn(a.registry, s.As)); err != nil {
			return err
		}
	}
	if a.earlier == nil {
		return nil
	}
	others, err := usedBy(a.registry, a.Host)
	if err != nil {
		return err
	}
	for _, s := range a.earlier.servers() {
		if slices.ContainsFunc(adopted, func(now Server) bool { return now.As == s.As }) || !a.earlier.isIn(a.registry, s.As) {
			continue
		}
		if others[s.As] != "" {
			err = a.earlier.hand(a.registry, s.As, others[s.As])
		} else {
			err = a.registry.Remove(ctx, s.As)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onto returns another content of the host's file after the adoption: its servers must be those that were shown.
func (a *Adoption) onto(src []byte, r *record) ([]byte, error) {
	now, err := a.Host.Names(a.File, src)
	if err != nil {
		return nil, err
	}
	same, err := a.Host.SameEntries(a.File, src, a.src, append(now, r.names()...))
	if err != nil {
		return nil, err
	}
	if !same || a.earlier != nil {
		return nil, fmt.Errorf("%s: %w; run this again", a.File, ErrChanged)
	}
	after, err := a.swapped(src)
	if err != nil {
		return nil, err
	}
	r.Before, r.After = digest(src), digest(after)
	return after, a.place.write(r)
}

func (a *Adoption) newRecord(after, locked []byte) *record {
	r := &record{
		Host: a.Host.Name, File: a.File, Entry: a.Entry, Registry: a.registry.Path,
		Before: digest(a.base), After: digest(after), Graph: digest(a.Graph()), Lock: digest(locked),
	}
	if _, err := os.Lstat(a.registry.Path); errors.Is(err, fs.ErrNotExist) || a.earlier != nil && a.earlier.IsNewRegistry {
		r.IsNewRegistry = true
	}
	for _, s := range a.Adopted() {
		r.Servers = append(r.Servers, listed{Name: s.Name, As: s.As, IsAdded: s.isAdded, Entry: *s.server.Entry})
	}
	return r
}

// backup writes the content without the earlier adoption beside the host's file, unless it is there.
func (a *Adoption) backup() (string, error) {
	for _, r := range a.earlier.chain() {
		if digest(a.base) == r.Before && r.Backup != "" {
			return r.Backup, nil
		}
	}
	return hostconfig.Backup(a.File, a.base)
}
