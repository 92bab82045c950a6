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

	// Earlier is the record whose place this one takes, until all is done: what that adoption has added, and this one has
	// not, is removed from it.
	Earlier *record `json:"earlier,omitempty"`
}

// listed is an adopted server.
type listed struct {
	Name    string              `json:"name"` // in the host's file
	As      string              `json:"as"`   // in the registry
	IsAdded bool                `json:"added,omitempty"`
	Entry   registry.Definition `json:"definition"`
}

// chain returns the record and the earlier ones; none for nil.
func (r *record) chain() (all []*record) {
	for ; r != nil; r = r.Earlier {
		all = append(all, r)
	}
	return all
}

// servers returns the adopted servers, also those of earlier adoptions.
func (r *record) servers() (all []listed) {
	for _, one := range r.chain() {
		all = append(all, one.Servers...)
	}
	return all
}

// added reports whether a server is in the registry because of the adoption.
func (r *record) added(as string) bool {
	return slices.ContainsFunc(r.servers(), func(s listed) bool { return s.As == as && s.IsAdded })
}

// isIn reports whether the adoption has added a server to a registry, which has it unchanged.
func (r *record) isIn(in registry.Registry, as string) bool {
	return slices.ContainsFunc(r.servers(), func(s listed) bool {
		if s.As != as || !s.IsAdded {
			return false
		}
		_, same, err := in.Has(as, s.Entry)
		return same && err == nil
	})
}

// names returns the names of the adopted servers in the host's file.
func (r *record) names() (all []string) {
	for _, s := range r.servers() {
		if !slices.Contains(all, s.Name) {
			all = append(all, s.Name)
		}
	}
	return all
}

// setEarlier sets the earlier record, unless that is the same, as when the same adoption goes on.
func (r *record) setEarlier(earlier *record) {
	if earlier == nil {
		return
	}
	now, before := *r, *earlier
	before.Backup, before.Earlier = now.Backup, nil
	one, failed := json.Marshal(now)
	other, err := json.Marshal(before)
	if r.Earlier = earlier; failed == nil && err == nil && bytes.Equal(one, other) {
		r.Earlier = earlier.Earlier
	}
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
	for _, one := range r.chain() {
		if digest(src) == one.Before {
			return src, nil
		}
		if digest(src) != one.After {
			continue
		}
		if before, err := one.before(path); err == nil {
			return before, nil
		}
	}
	for _, one := range r.chain() {
		_, args, _, err := host.Program(path, src, one.Entry)
		if err != nil {
			return src, err
		}
		if !slices.Contains(args, placeIn(one.Registry, host).graph()) {
			continue // no entry has the name, or another program has it
		}
		before, err := one.before(path)
		if err != nil {
			return nil, err
		}
		return host.Restore(path, src, before, one.Entry, one.names())
	}
	return src, nil
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
