package main

import "fmt"

// target is a system and a processor, as Go names them.
type target struct{ os, arch string }

// targets are those of a release, as in .goreleaser.yaml.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// executable is the name of the program on the system.
func (t target) executable() string {
	if t.os == "windows" {
		return "toolgraph.exe"
	}
	return "toolgraph"
}

// base is the name of the archive without its ending, and of the directory in it.
func (t target) base(version string) string {
	return fmt.Sprintf("toolgraph_%s_%s_%s", version, t.os, t.arch)
}

func (t target) archive(version string) string {
	if t.os == "windows" {
		return t.base(version) + ".zip"
	}
	return t.base(version) + ".tar.gz"
}
