package lsp

import (
	"context"
	"strings"
	"sync"
	"time"

	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/editor/completion"
)

// knownHere returns what completion knows of the document: of a test file or a lock, what it knows of the
// graph file that these belong to. nil: the document is no file of toolgraph.
func (r *request) knownHere(ctx context.Context) (*completion.Known, error) {
	switch r.kind {
	case graphFile:
		return r.known(ctx)
	case testFile:
		return r.knownBeside(ctx).As(completion.TestFile, graphtest.Schema()), nil
	case lockFile:
		return r.knownBeside(ctx).As(completion.LockFile, nil), nil
	case otherFile:
	}
	return nil, nil //nolint:nilnil // see the comment
}

// knownBeside returns what is known of the graph file of a test file or a lock; nothing when it cannot be read.
func (r *request) knownBeside(ctx context.Context) *completion.Known {
	snap, err := r.server.file(r.graphPath())
	if err != nil {
		return &completion.Known{}
	}
	if snap.doc != nil && snap.doc.now == snap {
		if known, err := snap.known(ctx); err == nil {
			return known
		}
		return &completion.Known{}
	}
	return r.server.closedFiles.known(ctx, snap)
}

// closedFiles is what is known of graph files that are not open, as they were read last.
type closedFiles struct {
	mu     sync.Mutex
	byPath map[string]closedFile
}

type closedFile struct {
	src   string
	at    time.Time
	known *completion.Known
}

const (
	closedFilesAge = 10 * time.Second // after which other files that it reads may have changed
	mostClosed     = 20
)

// known returns what is known of a file. It is checked again when it, or perhaps a file that it reads, has
// changed. What a request that was cancelled does not learn, the next one does.
func (c *closedFiles) known(ctx context.Context, snap *snapshot) *completion.Known {
	defer snap.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, has := c.byPath[snap.path]; has && was.src == snap.src && time.Since(was.at) < closedFilesAge {
		return was.known
	}
	known := &completion.Known{}
	found, err := snap.findings(ctx)
	if err != nil {
		return known
	}
	if found.checked != nil && found.checked.Known != nil {
		known = found.checked.Known
	}
	if c.byPath == nil || len(c.byPath) >= mostClosed {
		c.byPath = map[string]closedFile{}
	}
	c.byPath[snap.path] = closedFile{src: strings.Clone(snap.src), at: time.Now(), known: known}
	return known
}
