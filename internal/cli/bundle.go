package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolgraph/docs"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/bundle"
	"toolgraph/internal/program"
)

type bundleFlags struct {
	bundle.Options
	graph, format string
	force         bool
	publish       bundle.Publication
}

func newBundle(std program.Streams) *cobra.Command {
	flags := bundleFlags{}
	cmd := &cobra.Command{
		Use:   "bundle FILE",
		Short: "Pack a graph file into an MCP bundle (.mcpb) that hosts install with a click",
		Long: `Pack a graph file into an MCP bundle (.mcpb): this program, the graph file with its imports and
its lock file, and the files that its servers are started with. Its users need no toolgraph.

The host asks its user for each environment variable that the file reads as ${NAME}, and stores
secrets safely. What is only on this machine is reported and nothing is written: absolute paths,
relative paths of servers without cwd, servers of a registry. Programs such as npx are not part of
the bundle; they are listed.

With --binary the bundle has other executables of toolgraph than this one, at most one for each of
linux, macOS and Windows; each knows its system. Equal input gives equal bytes.

With --server-json, write also the server.json with which the bundle is published in the MCP
registry under --registry-name; --url is the address from which it will be downloaded.`,
		Example: `  toolgraph bundle graph.yaml
  toolgraph bundle graph.yaml -o notes.mcpb --include templates --icon icon.png
  toolgraph bundle graph.yaml --binary linux/toolgraph --binary windows/toolgraph.exe
  toolgraph bundle graph.yaml --server-json server.json --registry-name io.github.OWNER/notes --url URL`,
		Args: program.OnlyGraph, SuggestFor: []string{"pack", "mcpb"},
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context(), std) },
	}
	f := cmd.Flags()
	f.StringVarP(&flags.Output, "output", "o", "", "the bundle to write: a `file` that ends in .mcpb, or - for standard output (default: the name of the server)")
	f.BoolVar(&flags.force, "force", false, "follow symbolic links that -o and --server-json name and that lead out of their directories")
	f.StringArrayVar(&flags.Binaries, "binary", nil, "an executable of toolgraph (default: this one); may be repeated for other systems")
	f.StringArrayVar(&flags.Include, "include", nil, "add a file, or a directory without its hidden files, relative to the graph file; may be repeated")
	f.StringVar(&flags.Icon, "icon", "", "the icon: a PNG `file`")
	f.StringVar(&flags.Author, "author", "", "`name` of the author (default: the title of the server)")
	f.BoolVar(&flags.AllowExec, "allow-exec", false, "let the bundle start the programs of servers of type exec")
	f.BoolVar(&flags.Locked, "locked", false, "let the bundle refuse tools that differ from the lock file")
	f.StringVar(&flags.Description, "server-json", "", "write the description for the MCP registry to this `file`")
	f.StringVar(&flags.publish.Name, "registry-name", "", "`name` in the MCP registry, such as io.github.OWNER/NAME")
	f.StringVar(&flags.publish.URL, "url", "", "the `URL` from which the bundle will be downloaded")
	program.FormatFlag(cmd, &flags.format)
	return program.TakesGraph(cmd, &flags.graph)
}

// bundleReport is what --json prints.
type bundleReport struct {
	Bundle   string          `json:"bundle"`
	Bytes    int             `json:"bytes"`
	SHA256   string          `json:"sha256"`
	Files    []bundledFile   `json:"files"`
	Needs    []string        `json:"needs"`
	Manifest bundle.Manifest `json:"manifest"`
}

type bundledFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Mode  string `json:"mode"`
}

func (f *bundleFlags) run(ctx context.Context, std program.Streams) error {
	if err := f.check(); err != nil {
		return err
	}
	named := files.LinksInside
	if f.force {
		named = files.AnyLinks
	}
	if err := cmp.Or(named.Check(f.Description), named.Check(f.Output)); err != nil {
		return linkError(err, followIt)
	}
	f.Licenses = docs.Notices
	b, err := bundle.New(ctx, f.graph, f.Options)
	if err != nil {
		return err
	}
	links := named
	if f.Output == "" {
		links = files.NoLinks
		if err := links.Check(b.Output); err != nil {
			return linkError(err, "name another file with -o")
		}
	}
	archive, err := b.Encode()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(archive)
	report := bundleReport{Bundle: b.Output, Bytes: len(archive), SHA256: hex.EncodeToString(hash[:]), Needs: append([]string{}, b.Needs...), Manifest: b.Manifest}
	for _, file := range b.Files {
		report.Files = append(report.Files, bundledFile{file.Name, len(file.Data), fmt.Sprintf("%04o", file.Mode.Perm())})
	}
	if f.Description != "" {
		text, err := b.ServerJSON(f.publish, report.SHA256)
		if err != nil {
			return err
		}
		if err := files.Write(f.Description, text, 0o644, named); err != nil {
			return err
		}
	}
	shown := std.Out
	if b.Output == "-" {
		shown = std.Err
		_, err = std.Out.Write(archive)
	} else {
		err = files.Write(b.Output, archive, 0o644, links)
	}
	if err != nil {
		return err
	}
	if f.format == "json" {
		return program.WriteEscaped(shown, report, "  ")
	}
	return report.print(shown, b)
}

// check checks the flags against each other, and adds this program where they name no executable.
func (f *bundleFlags) check() error {
	if len(f.Binaries) == 0 {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		f.Binaries = []string{self}
	}
	switch {
	case f.Output != "" && f.Output != "-" && filepath.Ext(f.Output) != ".mcpb":
		return program.Usagef("-o is %q, expected a file that ends in .mcpb, or - for standard output", f.Output)
	case f.Description != "" && filepath.Ext(f.Description) != ".json":
		return program.Usagef("--server-json is %q, expected a file that ends in .json", f.Description)
	case f.Description == "" && f.publish != (bundle.Publication{}):
		return program.Usagef("--registry-name and --url are for --server-json; add --server-json server.json")
	case f.Description != "" && (f.publish.Name == "" || f.publish.URL == ""):
		return program.Usagef("--server-json requires --registry-name and --url")
	case f.Description == "":
		return nil
	}
	if err := f.publish.Check(); err != nil {
		return program.Usagef("%w", err)
	}
	return nil
}

// print prints the report for people.
func (r bundleReport) print(w io.Writer, b *bundle.Bundle) error {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("wrote %s: %.1f MB, sha256 %s", r.Bundle, float64(r.Bytes)/1e6, r.SHA256)
	for _, binary := range b.Binaries {
		add("  for %s/%s", binary.OS, binary.Arch)
	}
	add("  with %s", wording.Count(len(r.Files), "file"))
	for _, f := range r.Files {
		add("    %s", f.Name)
	}
	for _, name := range b.Variables() {
		s := r.Manifest.UserConfig[name]
		kind := "optional"
		if s.Required {
			kind = "required"
		}
		if s.Sensitive {
			kind += ", secret"
		}
		add("  asks the user for %s (%s)", name, kind)
	}
	for _, need := range r.Needs {
		add("  the user's machine must have %s", need)
	}
	var err error
	for _, line := range lines {
		_, werr := fmt.Fprintln(w, wording.OneLine(line))
		err = errors.Join(err, werr)
	}
	return err
}
