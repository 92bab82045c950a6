package bundle

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os"
	"slices"

	"toolgraph/internal/base/wording"
)

// Binary is a toolgraph executable of a bundle.
type Binary struct {
	Name     string // in the bundle
	Platform string // as bundles name it: linux, darwin, win32
	OS, Arch string // as Go names them
}

// platforms are the operating systems as bundles name them.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// addBinaries adds the executables, sorted by their platforms.
func (k *packer) addBinaries() ([]Binary, error) {
	paths := map[string]string{}
	var all []Binary
	for _, path := range k.opts.Binaries {
		b, err := readBinary(path)
		if err != nil {
			return nil, err
		}
		if twin := paths[b.Platform]; twin != "" {
			return nil, fmt.Errorf("%s and %s are both for %s, and a bundle has one executable for each system; make a bundle for each processor", twin, path, b.OS)
		}
		paths[b.Platform] = path
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b Binary) int { return cmp.Compare(a.Platform, b.Platform) })
	for i := range all {
		b := &all[i]
		b.Name = "server/" + b.Platform + "/toolgraph"
		if b.OS == "windows" {
			b.Name += ".exe"
		}
		info, err := os.Stat(paths[b.Platform])
		switch {
		case err != nil:
			return nil, err
		case info.Size() > int64(mostBytes-k.bytes):
			return nil, tooLarge()
		}
		data, err := os.ReadFile(paths[b.Platform])
		if err != nil {
			return nil, err
		}
		if err := k.add(File{Name: b.Name, Mode: 0o755, Data: data}); err != nil {
			return nil, err
		}
	}
	if k.opts.Licenses != "" {
		return all, k.add(File{Name: "server/LICENSES.txt", Mode: 0o644, Data: []byte(k.opts.Licenses)})
	}
	return all, nil
}

// modulePath is the path of this module.
const modulePath = "toolgraph"

// readBinary reads for which system an executable was built.
func readBinary(path string) (Binary, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return Binary{}, fmt.Errorf("%s is not an executable that Go has built; name one of a release: %w", path, err)
	}
	if info.Main.Path != modulePath {
		return Binary{}, fmt.Errorf("%s is the program %s, expected toolgraph", path, wording.Quote(info.Main.Path))
	}
	var b Binary
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			b.OS = s.Value
		case "GOARCH":
			b.Arch = s.Value
		}
	}
	if b.Platform = platforms[b.OS]; b.Platform == "" {
		return Binary{}, fmt.Errorf("%s is for %s, and bundles are for linux, macOS and Windows", path, wording.Quote(b.OS))
	}
	return b, nil
}
