package authoring

import (
	"bytes"
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/project"
)

// ErrChanged means that the graph file is not what it was when it was read.
var ErrChanged = errors.New("another program has changed the graph file")

// Save replaces the text of the graph file, which must still be read. A text with errors, which could
// not be served, is refused with its config.Diagnostics unless broken allows it: a person saves a
// file on the way to a valid one, an agent does not. ErrChanged, and any other error, mean that
// nothing was saved.
func (k *Toolkit) Save(ctx context.Context, text, read []byte, broken bool) error {
	if err := k.refusal("saving", toWrite); err != nil {
		return err
	}
	release, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if !broken {
		if _, err := project.Parse(ctx, k.opts.Graph, text, config.Options{ServersFile: k.opts.Servers, AssumeEnv: true}); err != nil {
			return err
		}
	}
	if err := files.CheckReplace(k.opts.Graph); err != nil {
		return err
	}
	return put(k.opts.Graph, read, text)
}

// put replaces the content of the file at path when it is still the older one. The caller holds the
// lock.
func put(path string, older, newer []byte) error {
	now, err := config.ReadFile(path)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, older):
		return ErrChanged
	}
	return files.Write(path, newer, 0o600, files.LinksInside) // unless the file has another mode
}
