package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"toolgraph/config"
	"toolgraph/internal/project/registry"
	"toolgraph/internal/runtime"
	"toolgraph/internal/telemetry/observe"
)

// logger makes a logger that redacts the secrets.
func (f *session) logger(std streams, level string, secrets *config.Secrets) (*slog.Logger, error) {
	log, err := observe.NewLogger(std.err, cmp.Or(level, "error"), cmp.Or(f.logFormat, "text"), secrets)
	if err != nil {
		return nil, &runtime.OptionsError{Err: err}
	}
	return log, nil
}

// secrets reads the files for what must not be logged. A file with errors is accepted, because
// an agent may be about to correct it; a missing file is not.
func (f *sessionFlags) secrets() (*config.Secrets, error) {
	options := f.options()
	options.Registries = registry.Paths(f.graph)
	file, err := config.Load(f.graph, options)
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
