package program

import (
	"runtime/debug"
	"testing"
)

// A build says the tag of its commit; the linker's version counts only where there is none.
func TestVersionOfABuild(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct{ stamped, linked, want string }{
		{"v0.9.0", "", "0.9.0"},
		{"v0.9.0", "0.8.0", "0.9.0"},
		{"v0.9.0+dirty", "", "0.9.0-dirty"},
		{"v1.0.0-rc.1", "", "1.0.0-rc.1"},
		{"(devel)", "v0.9.0", "0.9.0"},
		{"", "0.9.0", "0.9.0"},
		{"v0.9.1-0.20261123020444-68cd658a2a1b", "", "dev-0123456789ab-dirty"},
		{"v1.0.0-rc.1.0.20261123020444-68cd658a2a1b+dirty", "", "dev-0123456789ab-dirty"},
		{"v0.0.0-20261123020444-68cd658a2a1b", "1.2.3", "1.2.3"},
		{"(devel)", "", "dev-0123456789ab-dirty"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.stamped}, Settings: commit}
		if got := versionOf(info, c.linked); got != c.want {
			t.Errorf("stamped %q, linked %q: %s, expected %s", c.stamped, c.linked, got, c.want)
		}
	}
	if got := versionOf(&debug.BuildInfo{}, ""); got != "dev" {
		t.Errorf("a build without information is %q, expected dev", got)
	}
}
