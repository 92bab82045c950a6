package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"toolgraph/config"
	"toolgraph/internal/project/registry"
)

// secrets reads the files for what must not be logged. A file with errors is accepted, because
// an agent may be about to correct it; a missing file is not.
func (f *sessionFlags) secrets() (*config.Secrets, error) {
	options := f.FileOptions()
	options.Registries = registry.Paths(f.Graph)
	file, err := config.Load(f.Graph, options)
	var found config.Diagnostics
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w; toolgraph init writes a file to start from", err)
	case err != nil && !errors.As(err, &found):
		return nil, err
	case file == nil:
		return &config.Secrets{}, nil
	}
	return file.Secrets, nil
}
