package cli

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// lockedFlag is --locked of the commands that run graphs.
type lockedFlag struct{ on bool }

func (f *lockedFlag) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "locked", false, "call only tools that are what the lock beside the graph file says; toolgraph lock writes it")
}

// load is the lock beside a graph file, nil without the flag. Its error tells why
// nothing may be called by it: there is none, or it is not of this file as it is now.
func (f *lockedFlag) load(p *project.Project) (*lock.Lock, error) {
	if !f.on {
		return nil, nil //nolint:nilnil // nothing is locked
	}
	path := lock.Path(p.File.Path)
	l, err := lock.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("--locked wants %s, which is not there; run: toolgraph lock %s", path, p.File.Path)
	}
	if err != nil {
		return nil, err
	}
	found := l.Check(p.File, p.Graphs)
	for i := range found {
		found[i].Severity = config.Error
	}
	return l, found.Err()
}

// lockBeside is the lock beside a graph file, nil when there is none, and what the two
// say against each other.
func lockBeside(p *project.Project) (*lock.Lock, config.Diagnostics, error) {
	l, err := lock.Load(lock.Path(p.File.Path))
	var found config.Diagnostics
	switch {
	case err == nil:
		return l, l.Check(p.File, p.Graphs), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.As(err, &found):
		return nil, found, nil
	}
	return nil, nil, err
}

// guarded are the options of a pool that calls by a lock; none without one.
func guarded(l *lock.Lock, p *project.Project) []mcpclient.Option {
	if l == nil {
		return nil
	}
	return []mcpclient.Option{mcpclient.WithToolCheck(l.Guard(p.File))}
}

// sameLock reports whether two locks pin the same; either may be nil.
func sameLock(a, b *lock.Lock) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Encode(), b.Encode())
}
