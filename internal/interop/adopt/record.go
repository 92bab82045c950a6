package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

// record is what an adoption has changed, or is about to: it is written before the first change, and has no secrets.
type record struct {
	Host    string   `json:"host"`
	File    string   `json:"file"`
	Entry   string   `json:"entry"`
	Servers []listed `json:"servers"`

	Before string `json:"before"`           // digest of the host's file
	After  string `json:"after"`            // digest of the host's file
	Backup string `json:"backup,omitempty"` // the host's file of before; "": beside it, with that digest

	Registry      string `json:"registry"`
	IsNewRegistry bool   `json:"newRegistry,omitempty"` // there was no such file
	Graph         string `json:"graph"`                 // digests of the files beside the record
	Lock          string `json:"lock"`
}

// listed is an adopted server.
type listed struct {
	Name    string              `json:"name"` // in the host's file
	As      string              `json:"as"`   // in the registry
	IsAdded bool                `json:"added,omitempty"`
	Entry   registry.Definition `json:"definition"`
}

// added reports whether a server is in the registry because of the adoption.
func (r *record) added(as string) bool {
	return r != nil && slices.ContainsFunc(r.Servers, func(s listed) bool { return s.As == as && s.IsAdded })
}

// isIn reports whether the adoption has added a server to a registry, which has it unchanged.
func (r *record) isIn(in registry.Registry, as string) bool {
	if !r.added(as) {
		return false
	}
	at := slices.IndexFunc(r.Servers, func(s listed) bool { return s.As == as })
	_, same, err := in.Has(as, r.Servers[at].Entry)
	return same && err == nil
}

// names returns the names of the adopted servers in the host's file.
func (r *record) names() (all []string) {
	for _, s := range r.Servers {
		all = append(all, s.Name)
	}
	return all
}

// read returns the record of an adoption; nil when there is none.
func (p Place) read() (*record, error) {
	src, err := os.ReadFile(p.record())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing is adopted
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(src, r); err != nil || r.File == "" || r.Entry == "" {
		return nil, fmt.Errorf("%s, the record of the adoption, is damaged; restore it, or remove it and put the entries of the host's file back from its backup", p.record())
	}
	return r, nil
}

func (p Place) write(r *record) error {
	src, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return write(p.record(), append(src, '\n'))
}

// digest is the SHA-256 of a file.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// undone returns the host's file as it is without the adoption: as it was before, byte for byte, when it has not changed
// since, else with the adopted entries in place of the one entry. It is the file itself when the one entry is not in it.
func (r *record) undone(host *hostconfig.Host, path string, src []byte) ([]byte, error) {
	if digest(src) == r.Before {
		return src, nil
	}
	before, err := r.before(path)
	if digest(src) == r.After && err == nil {
		return before, nil
	}
	has, failed := host.Names(path, src)
	if failed != nil || !slices.Contains(has, r.Entry) {
		return src, failed
	}
	if err != nil {
		return nil, err
	}
	return host.Restore(path, src, before, r.Entry, r.names())
}

// before returns the host's file as it was before the adoption.
func (r *record) before(path string) ([]byte, error) {
	backups, err := filepath.Glob(globbed(path) + ".*.bak")
	if err != nil {
		return nil, err
	}
	for _, backup := range append([]string{r.Backup}, backups...) {
		if backup == "" {
			continue
		}
		if src, err := hostconfig.Load(backup); err == nil && digest(src) == r.Before {
			return src, nil
		}
	}
	return nil, fmt.Errorf("there is no backup of %s with its entries of before the adoption (%s); put it there again", path, filepath.Base(path)+".TIME.bak")
}

// globbed returns a path as a pattern that matches it alone.
func globbed(path string) string {
	var out bytes.Buffer
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' && filepath.Separator != '\\' {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
