package program

import (
	"runtime/debug"
	"strings"

	"toolgraph/internal/base/wording"
)

// version is set by the linker where Go has no tag to stamp, as in the archive of a source tree:
// -X toolgraph/internal/program.version=1.2.3.
var version = ""

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
