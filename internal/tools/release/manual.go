package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"toolgraph/internal/cli"
)

// shells are those with completions, and the names of their files.
var shells = map[string]string{"bash": "toolgraph.bash", "zsh": "_toolgraph", "fish": "toolgraph.fish", "powershell": "toolgraph.ps1"}

// writeManual writes what goes with the executable into a directory: man/*.1 for archives, man/*.1.gz for packages of systems,
// completions, the notices. Pages have the date of the commit, so that equal commits give equal bytes.
func writeManual(ctx context.Context, dir, version string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, sub := range []string{"man", "gz", "completions"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	stamp, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%cI").Output()
	date, bad := time.Parse(time.RFC3339, strings.TrimSpace(string(stamp)))
	if err != nil || bad != nil {
		date = written // a source tree without git
	}
	root := cli.Root()
	root.InitDefaultCompletionCmd()
	undated(root)
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "Toolgraph " + version, Manual: "Toolgraph"}, filepath.Join(dir, "man")); err != nil {
		return err
	}
	if err := compressPages(dir); err != nil {
		return err
	}
	for shell, name := range shells {
		var out bytes.Buffer
		if err := map[string]func() error{
			"bash":       func() error { return root.GenBashCompletionV2(&out, true) },
			"zsh":        func() error { return root.GenZshCompletion(&out) },
			"fish":       func() error { return root.GenFishCompletion(&out, true) },
			"powershell": func() error { return root.GenPowerShellCompletionWithDesc(&out) },
		}[shell](); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "completions", name), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	notices, err := os.ReadFile(noticesFile)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, noticesName), notices, 0o644)
}

// undated removes the line about cobra and the date from the end of each page.
func undated(c *cobra.Command) {
	c.DisableAutoGenTag = true
	for _, sub := range c.Commands() {
		undated(sub)
	}
}

func compressPages(dir string) error {
	pages, err := filepath.Glob(filepath.Join(dir, "man", "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a level that exists
		if _, err := w.Write(text); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "gz", filepath.Base(page)+".gz"), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
