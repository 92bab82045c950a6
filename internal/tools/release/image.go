package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"fmt"
	"os"

	"toolgraph/docs"
)

// imageUser is the user and the group that the image runs as.
const imageUser = 65532

// writeImage writes the file tree of the image to a tar archive, without the executable: the
// certificates of authorities, from a file of the machine that builds it, the notices, and the directories
// with their owners. Equal certificates give equal bytes.
func writeImage(archive, certificates string) error {
	pem, err := os.ReadFile(certificates)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s has no certificates", certificates)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	texts := map[string][]byte{"etc/ssl/certs/ca-certificates.crt": pem, "usr/share/doc/toolgraph/" + noticesName: []byte(docs.Notices)}
	for _, h := range []tar.Header{
		{Name: "etc/", Mode: 0o755},
		{Name: "etc/ssl/", Mode: 0o755},
		{Name: "etc/ssl/certs/", Mode: 0o755},
		{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644, Size: int64(len(pem)), Typeflag: tar.TypeReg},
		{Name: "graph/", Mode: 0o755},
		{Name: "state/", Mode: 0o700, Uid: imageUser, Gid: imageUser},
		{Name: "tmp/", Mode: 0o1777},
		{Name: "usr/", Mode: 0o755},
		{Name: "usr/share/", Mode: 0o755},
		{Name: "usr/share/doc/", Mode: 0o755},
		{Name: "usr/share/doc/toolgraph/", Mode: 0o755},
		{Name: "usr/share/doc/toolgraph/" + noticesName, Mode: 0o644, Size: int64(len(docs.Notices)), Typeflag: tar.TypeReg},
	} {
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if _, err := w.Write(texts[h.Name]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, out.Bytes(), 0o644)
}
