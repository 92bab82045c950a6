package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// noticesFile has the licences of all that is linked into the executables. It is part of them: toolgraph version --licenses.
const noticesFile = "docs/third-party-notices.txt"

// linked is a module of an executable, with the texts of its licences and notices.
type linked struct {
	path, version string
	license       string // an SPDX expression
	texts         []string
}

// goModule is a module as go list prints it.
type goModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *goModule
}

// linkedModules returns the modules that are linked into the executables of the targets, Go's standard library first, then
// sorted by path.
func linkedModules(ctx context.Context, root string, of []target) ([]linked, error) {
	directories, modules := map[string]map[string]bool{}, map[string]goModule{}
	for _, t := range of {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Module", ".")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s/%s: %w", t.os, t.arch, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir    string
				Module *goModule
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := *p.Module
			if m.Replace != nil {
				m = *m.Replace
			}
			if directories[m.Path] == nil {
				modules[m.Path], directories[m.Path] = m, map[string]bool{m.Dir: true}
			}
			for dir := p.Dir; dir != m.Dir && strings.HasPrefix(dir, m.Dir); dir = filepath.Dir(dir) {
				directories[m.Path][dir] = true
			}
		}
	}
	all := make([]linked, 0, len(modules)+1)
	library, err := standardLibrary(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, library)
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		l := linked{path: name, version: modules[name].Version}
		if err := l.read(slices.Sorted(maps.Keys(directories[name]))); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// standardLibrary is Go's own, which no list of modules has.
func standardLibrary(ctx context.Context) (linked, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return linked{}, err
	}
	l := linked{path: "stdlib"} // its texts are those of all its versions
	return l, l.read([]string{strings.TrimSpace(string(out))})
}

// licenseFiles are names of licences, notices, and grants of patents.
var licenseFiles = regexp.MustCompile(`(?i)^(?:[a-z0-9]+-)?(?:licen[sc]es?|copying|unlicense|notice|patents)(?:[-._][a-z0-9._-]*)?$`)

// thirdParty are names of lists of other licences, which are long.
var thirdParty = regexp.MustCompile(`(?i)3rd|third`)

// read reads the licences in the directories of a module whose packages are linked.
func (l *linked) read(directories []string) error {
	ids := map[string]bool{}
	for _, dir := range directories {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !licenseFiles.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
			if text == "" || slices.Contains(l.texts, text) {
				continue
			}
			l.texts = append(l.texts, text)
			if thirdParty.MatchString(e.Name()) {
				continue // what else is in the module has its own licences, which are not the module's
			}
			if strings.Contains(text, "opensource.org/license/mit") { // an address that licensecheck does not know
				ids["MIT"] = true
			}
			for _, m := range licensecheck.Scan(data).Match {
				if m.ID != "GooglePatentsFile" && m.ID != "GooglePatentClause" {
					ids[m.ID] = true
				}
			}
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("module %s %s has no licence that is known, in %s; look at it, and add a pattern or remove the module", l.path, l.version, directories[0])
	}
	l.license = strings.Join(slices.Sorted(maps.Keys(ids)), " AND ")
	return nil
}

// noticesText is the page of notices. Equal texts are written once.
func noticesText(own, page string, all []linked) string {
	var out, texts strings.Builder
	numbers := map[string]int{}
	out.WriteString("Toolgraph is distributed under this licence:\n\n" + strings.TrimSpace(own) + "\n\n" +
		"Its executables are linked with these modules, of which each system has a part. The numbers are those of the texts below.\n\n")
	for _, l := range all {
		var cited []string
		for _, text := range l.texts {
			if numbers[text] == 0 {
				numbers[text] = len(numbers) + 1
				fmt.Fprintf(&texts, "\n%s\n[%d]\n\n%s\n", strings.Repeat("-", 78), numbers[text], text)
			}
			cited = append(cited, fmt.Sprintf("[%d]", numbers[text]))
		}
		fmt.Fprintf(&out, "%s %s: %s %s\n", l.path, cmp.Or(l.version, "-"), l.license, strings.Join(cited, " "))
	}
	out.WriteString(texts.String())
	out.WriteString("\n" + strings.Repeat("-", 78) + "\nThe page of \"toolgraph ui\" has these packages of npm:\n\n" + strings.TrimSpace(page) + "\n")
	return out.String()
}

// writeNotices writes the notices of all targets.
func writeNotices(ctx context.Context) error {
	all, err := linkedModules(ctx, ".", targets)
	if err != nil {
		return err
	}
	own, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	page, err := os.ReadFile("internal/debugger/web/dist/LICENSES.txt")
	if err != nil {
		return err
	}
	return os.WriteFile(noticesFile, []byte(noticesText(string(own), string(page), all)), 0o644)
}

// noticed is a line of the notices.
var noticed = regexp.MustCompile(`(?m)^(\S+) (\S+): (.+?)((?: \[\d+\])+)$`)

// licenses returns the licences of modules as the notices have them, by "path version".
func licenses(notices string) map[string]string {
	found := map[string]string{}
	for _, m := range noticed.FindAllStringSubmatch(notices, -1) {
		found[m[1]+" "+m[2]] = m[3]
	}
	return found
}
