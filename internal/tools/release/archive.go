package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// written is the time of files that have none, so that equal input gives equal bytes.
var written = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// mostExecutable bounds an executable that is read from an archive.
const mostExecutable = 512 << 20

// extract returns the executable of an archive.
func extract(archive string) ([]byte, error) {
	found, err := contents(archive, isExecutable)
	if err != nil {
		return nil, err
	}
	for _, data := range found {
		return data, nil
	}
	return nil, fmt.Errorf("%s has no toolgraph", archive)
}

// contents returns the files of an archive whose names are wanted, by their names. The archive is a zip file or a tar.gz file by
// its name.
func contents(archive string, wanted func(name string) bool) (map[string][]byte, error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	if strings.HasSuffix(archive, ".zip") {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range r.File {
			if !wanted(f.Name) {
				continue
			}
			part, err := f.Open()
			if err != nil {
				return nil, err
			}
			if found[f.Name], err = io.ReadAll(io.LimitReader(part, mostExecutable)); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg && wanted(h.Name) {
			if found[h.Name], err = io.ReadAll(io.LimitReader(r, mostExecutable)); err != nil {
				return nil, err
			}
		}
	}
}

func isExecutable(name string) bool {
	base := path.Base(name)
	return base == "toolgraph" || base == "toolgraph.exe"
}
