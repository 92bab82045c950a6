package program

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
)

// version is set by the linker where Go has no tag to stamp, as in the archive of a source tree:
// -X toolgraph/internal/program.version=1.2.3.
var version = ""

// versionFlag gives a root command the flag --version. That of cobra is printed by package text/template, which calls
// methods by their names: the linker then keeps all methods of all types, a tenth of the program.
func versionFlag(root *cobra.Command, std Streams) {
	show := root.Flags().BoolP("version", "v", false, "version for "+root.Name())
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *show:
			_, err := fmt.Fprintf(std.Out, "%s %s\n", root.Name(), VersionText())
			return err
		case run != nil:
			return run(cmd, args)
		}
		return cmd.Help()
	}
}

// VersionText returns the release, or the commit of the build.
func VersionText() string {
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
