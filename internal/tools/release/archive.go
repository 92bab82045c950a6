package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// packed is a file of an archive.
type packed struct {
	path string
	mode fs.FileMode
}

// written is the time of all files in archives, so that equal input gives equal bytes.
var written = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes files below a directory of an archive, which is a zip file or a tar.gz file by its
// name.
func pack(archive, directory string, files []packed) error {
	var out bytes.Buffer
	add, end := tarWriter(&out)
	if strings.HasSuffix(archive, ".zip") {
		add, end = zipWriter(&out)
	}
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err == nil {
			err = add(path.Join(directory, filepath.Base(f.path)), f.mode, data)
		}
		if err != nil {
			return err
		}
	}
	if err := end(); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}

type addFile func(name string, mode fs.FileMode, data []byte) error

func tarWriter(out io.Writer) (addFile, func() error) {
	compressed, _ := gzip.NewWriterLevel(out, gzip.BestCompression) // a level that exists
	w := tar.NewWriter(compressed)
	add := func(name string, mode fs.FileMode, data []byte) error {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: int64(mode), Size: int64(len(data)), ModTime: written})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	return add, func() error { return errors.Join(w.Close(), compressed.Close()) }
}

func zipWriter(out io.Writer) (addFile, func() error) {
	w := zip.NewWriter(out)
	add := func(name string, mode fs.FileMode, data []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: written}
		h.SetMode(mode)
		part, err := w.CreateHeader(h)
		if err == nil {
			_, err = part.Write(data)
		}
		return err
	}
	return add, w.Close
}

// mostExecutable bounds an executable that is read from an archive.
const mostExecutable = 512 << 20

// extract returns the executable of an archive.
func extract(archive string) ([]byte, error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(archive, ".zip") {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range r.File {
			if isExecutable(f.Name) {
				part, err := f.Open()
				if err != nil {
					return nil, err
				}
				return io.ReadAll(io.LimitReader(part, mostExecutable))
			}
		}
		return nil, fmt.Errorf("%s has no toolgraph.exe", archive)
	}
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s has no toolgraph", archive)
		}
		if err != nil {
			return nil, err
		}
		if isExecutable(h.Name) && h.Typeflag == tar.TypeReg {
			return io.ReadAll(io.LimitReader(r, mostExecutable))
		}
	}
}

func isExecutable(name string) bool {
	base := path.Base(name)
	return base == "toolgraph" || base == "toolgraph.exe"
}
