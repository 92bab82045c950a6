package runtime

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Only parts of the program itself are released, and none that was changed in memory.
func TestProgramParts(t *testing.T) {
	const smaps = `00400000-01571000 r-xp 00000000 fe:00 3408      /opt/my tools/toolgraph
Size:              17860 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
01571000-0275e000 r--p 01171000 fe:00 3408      /opt/my tools/toolgraph
Anonymous:             4 kB
0275e000-02841000 rw-p 0235e000 fe:00 3408      /opt/my tools/toolgraph
Anonymous:             0 kB
02841000-04ab6000 r--p 00000000 00:00 0
Anonymous:             0 kB
7faa2c02e000-7faa2c310000 r--p 00001000 fe:00 99      /usr/lib/toolgraph
Anonymous:             0 kB
7faa2c410000-7faa2c420000 r--p 00001000 fe:00 3408      /opt/my tools/toolgraph
Anonymous:             0 kB
`
	want := []programPart{{0x400000, 0x1571000}, {0x7faa2c410000, 0x7faa2c420000}}
	if got := programParts([]byte(smaps), "/opt/my tools/toolgraph"); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// The process has less of the program in memory afterwards, and goes on.
func TestReleaseProgram(t *testing.T) {
	before := programInMemory(t)
	releaseProgram()
	if after := programInMemory(t); after >= before {
		t.Errorf("%d kB of the program in memory, %d kB before", after, before)
	}
}

func programInMemory(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "RssFile: %d kB", &kB); n == 1 {
			return kB
		}
	}
	t.Skip("the system does not say it")
	return 0
}
