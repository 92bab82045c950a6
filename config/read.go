package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// MaxFileBytes is how long a graph file or a file of servers may be.
const MaxFileBytes = 1 << 20

// ReadFile reads a regular file of at most 1 MiB, as Load does. Nothing is read of what is
// larger, and nothing waits for what is not a file. What is wrong with the file itself
// comes as Diagnostics.
func ReadFile(path string) ([]byte, error) {
	if strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("cannot read %q: a path has no NUL characters", path)
	}
	if info, err := os.Stat(path); err != nil {
		return nil, readError(path, err)
	} else if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe put there meanwhile does not make us wait
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	if info.Size() > MaxFileBytes {
		return nil, tooLarge(path)
	}
	return readBounded(path, f)
}

// readBounded reads to the end, and at most one byte more than a file may have: the size
// of a file that grows, or of one that /proc makes up, is known only then.
func readBounded(path string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, readError(path, err)
	}
	if len(data) > MaxFileBytes {
		return nil, tooLarge(path)
	}
	return data, nil
}

func readError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

func tooLarge(path string) Diagnostics {
	return Diagnostics{{
		Pos: Pos{File: path}, Code: "file-too-large",
		Message: "the file is larger than 1 MiB, the most that is read", Hint: "split it into several files",
	}}
}

func notRegular(path string, mode fs.FileMode) Diagnostics {
	what := "a device"
	switch {
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return Diagnostics{{
		Pos: Pos{File: path}, Code: "not-a-regular-file",
		Message: "found " + what + ", not a regular file", Hint: "name the graph file itself",
	}}
}
