package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// byteSize is a flag such as 8MiB, 1GB or 4096.
type byteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"GB", 1e9},
	{"MB", 1e6},
	{"kB", 1e3},
	{"KB", 1e3},
	{"B", 1},
	{"", 1},
}

// mostSize keeps sums of sizes within what a number holds.
const mostSize = 1 << 50

// Set reads the flag.
func (s *byteSize) Set(text string) error {
	for _, unit := range sizeUnits {
		number, has := strings.CutSuffix(text, unit.name)
		if !has {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > mostSize/unit.bytes {
			break
		}
		*s = byteSize(n * unit.bytes)
		return nil
	}
	return fmt.Errorf("expected a size such as 512KiB, 8MiB or 1GiB")
}

// String is the size in the largest unit that fits.
func (s *byteSize) String() string {
	for _, unit := range sizeUnits[:3] {
		if n := int64(*s); n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", n/unit.bytes, unit.name)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value in the help.
func (s *byteSize) Type() string { return "size" }
