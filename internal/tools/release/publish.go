package main

import (
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// unpublished is the module's path as long as it is published nowhere: the go command fetches no path without a dot.
const unpublished = "toolgraph"

// publishAs gives the module its published path, and fills every place that waits for a name, in one commit of the git
// repository at root.
func publishAs(ctx context.Context, root string, n names) error {
	if state, err := git(ctx, root, "status", "--porcelain"); err != nil {
		return err
	} else if state != "" {
		return errors.New("the work tree has changes that are not committed; commit them first, so that the commit has the names only:\n" + state)
	}
	file, err := os.ReadFile(filepath.Join(root, "internal/tools/release/names.env"))
	if err != nil {
		return err
	}
	if has := parseNames(string(file)); has.module != "" {
		return fmt.Errorf("the module is published already, as %s; to choose another name, revert the commit \"publish as %s\" first", has.module, has.module)
	}
	listed, err := git(ctx, root, "ls-files", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		if err := n.rewrite(ctx, root, name); err != nil {
			return err
		}
	}
	_, err = git(ctx, root, "commit", "--quiet", "--all", "--message", "publish as "+n.module)
	return err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, errs.String())
	}
	return string(out), nil
}

// rewrite writes the names into one file, if it has a place for them.
func (n names) rewrite(ctx context.Context, root, name string) error {
	file := filepath.Join(root, name)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	was, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := n.inPackages(root, name, string(was))
	switch {
	case name == "internal/tools/release/names.env":
		text = n.fill(text)
	case name == "internal/tools/editors/vscode/package.json":
		text = strings.Replace(text, "  \"license\": \"MIT\",\n", fmt.Sprintf("  \"license\": \"MIT\",\n  \"repository\": { \"type\": \"git\", \"url\": %q },\n", n.repository+".git"), 1)
	case hasPlaces(name):
		text = n.inPlaces(text)
	}
	if text == string(was) {
		return nil
	}
	if path.Ext(name) == ".go" {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text = string(formatted)
	}
	if err := os.WriteFile(file, []byte(text), info.Mode().Perm()); err != nil || path.Base(name) != "go.mod" {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-fmt") // sorts the modules
	cmd.Dir, cmd.Stderr = filepath.Dir(file), os.Stderr
	return cmd.Run()
}

var (
	packagePath = regexp.MustCompile("(?m)(^|[\\s\"'`=(])" + unpublished + "((?:/[a-z0-9_-]+)+)")
	constant    = regexp.MustCompile(`(modulePath\s*=\s*")` + unpublished + `(["/])`)
	inGoMod     = regexp.MustCompile(`(?m)^((?:module|replace|require)?\s+)` + unpublished + `(\s|$)`)
	inLinters   = regexp.MustCompile(`(module-path: )` + unpublished + `\b.*`)
)

// inPackages rewrites the paths of packages: imports, arguments of the go command, those of the linker. Metadata of MCP
// such as toolgraph/key is no package, and stays.
func (n names) inPackages(root, name, text string) string {
	switch ext := path.Ext(name); {
	case path.Base(name) == "go.mod":
		text = inGoMod.ReplaceAllString(text, "${1}"+n.module+"${2}")
	case name == ".golangci.yml":
		return inLinters.ReplaceAllString(text, "${1}"+n.module)
	case ext == ".go":
		text = constant.ReplaceAllString(text, "${1}"+n.module+"${2}")
	case ext != ".md" && ext != ".yaml" && ext != ".yml" && name != "Makefile" && name != "Dockerfile":
		return text
	}
	return packagePath.ReplaceAllStringFunc(text, func(found string) string {
		m := packagePath.FindStringSubmatch(found)
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[2]))); err != nil || !info.IsDir() {
			return found
		}
		return m[1] + n.module + m[2]
	})
}

// hasPlaces reports whether a file has places for names, which are words in capitals: pages, templates of the
// repository, the action, the text of the npm package.
func hasPlaces(name string) bool {
	switch {
	case strings.HasPrefix(name, "docs/experiments/"), strings.HasPrefix(name, "docs/adr/"):
		return false
	case strings.HasPrefix(name, ".github/"), name == "action.yml", name == "internal/tools/release/npm/README.md":
		return true
	}
	directory := path.Dir(name)
	return path.Ext(name) == ".md" && (directory == "." || directory == "docs")
}

var (
	places      = regexp.MustCompile(`\b(?:MODULE|REPOSITORY|OWNER|PACKAGE|IMAGE|TAP|BUCKET)\b`)
	beforehand  = regexp.MustCompile(`(?s)<!-- until published -->.*?<!-- published -->\n?`)
	environment = regexp.MustCompile(`(?:env\.|vars\.|\$|\$\{)$`) // before the name of a variable
	assigned    = regexp.MustCompile(`^\s*[:=]`)                  // behind one
)

// inPlaces fills the places of a text, and removes what is true only before that.
func (n names) inPlaces(text string) string {
	text = beforehand.ReplaceAllString(text, "")
	owner := strings.Split(n.module, "/")[1]
	tapOwner, tap, _ := strings.Cut(n.tap, "/")
	values := map[string]string{
		"MODULE": n.module, "REPOSITORY": n.repository, "OWNER": owner, "PACKAGE": n.npm, "IMAGE": n.image,
		"TAP": tapOwner + "/" + strings.TrimPrefix(tap, "homebrew-"), "BUCKET": "https://" + strings.Split(n.module, "/")[0] + "/" + n.bucket,
	}
	var out strings.Builder
	last := 0
	for _, at := range places.FindAllStringIndex(text, -1) {
		if environment.MatchString(text[:at[0]]) || assigned.MatchString(text[at[1]:]) {
			continue
		}
		out.WriteString(text[last:at[0]] + values[text[at[0]:at[1]]])
		last = at[1]
	}
	return out.String() + text[last:]
}
