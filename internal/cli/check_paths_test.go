package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/program"
)

// endless is a stream that never ends, and counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	e.read += len(p)
	return len(p), nil
}

// Standard input is read as far as a file may be long, and no further.
func TestCheckBoundsStandardInput(t *testing.T) {
	var out bytes.Buffer
	in := &endless{}
	code := Run(t.Context(), []string{"check", "-", "--stdin-path", "g.yaml"}, program.Streams{In: in, Out: &out, Err: io.Discard})
	if want := "g.yaml: the file is larger than 1 MiB"; code != program.ExitDiagnostics || !strings.Contains(out.String(), want) {
		t.Errorf("it ended with %d and printed %swant %s", code, out.String(), want)
	}
	if in.read > 2*config.MaxFileBytes {
		t.Errorf("%d bytes were read, expected at most %d", in.read, 2*config.MaxFileBytes)
	}
}
