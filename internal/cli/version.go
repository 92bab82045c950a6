package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
)

// version is set by the linker where Go has no tag to stamp, as in the archive of a source tree:
// -X toolgraph/internal/cli.version=1.2.3.
var version = ""

func newVersion(std streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if format == "json" {
				return writeEscaped(std.out, map[string]string{"version": versionText(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}, "  ")
			}
			_, err := fmt.Fprintf(std.out, "toolgraph %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	formatFlag(cmd, &format)
	return cmd
}

// versionFlag gives a root command the flag --version. That of cobra is printed by package text/template, which calls
// methods by their names: the linker then keeps all methods of all types, a tenth of the program.
func versionFlag(root *cobra.Command, std streams) {
	show := root.Flags().BoolP("version", "v", false, "version for "+root.Name())
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *show {
			_, err := fmt.Fprintf(std.out, "%s %s\n", root.Name(), versionText())
			return err
		}
		return run(cmd, args)
	}
}

// versionText returns the release, or the commit of the build.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, version)
}

// commitVersion matches the version that Go makes up for a commit without a tag.
var commitVersion = wording.Pattern(`[.-]\d{14}-[0-9a-f]{12}`)

// versionOf returns the version of a build without the leading v: the tag of its commit, which
// Go stamps; without one that which the linker has set; else dev with the commit. Changes since
// the commit end it with -dirty.
func versionOf(info *debug.BuildInfo, linked string) string {
	if tag, isTag := strings.CutPrefix(info.Main.Version, "v"); isTag && !commitVersion().MatchString(tag) {
		return strings.Replace(tag, "+dirty", "-dirty", 1)
	}
	if linked != "" {
		return strings.TrimPrefix(linked, "v")
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = "-" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return "dev" + revision + dirty
}
