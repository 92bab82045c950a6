package tests

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// Limits of the bytes that packages allocate at their initialization. Every command pays them at each start, and a
// collection before the first answer of serve is near when they grow.
const (
	ownInit     = 100_000   // all packages of this module
	packageInit = 20_000    // one of them
	allInit     = 2_800_000 // all packages; of them jsonschema, which mcp-go imports too, has 1,700,000, and validator 430,000
)

// What a command does not use is not made at the start: patterns and tables are made at their first use.
func TestFigureBytesAtInitialization(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	own, all := 0, 0
	for name, bytes := range bytesAtInit(t, trace.String()) {
		all += bytes
		if !strings.HasPrefix(name, module) {
			continue
		}
		if own += bytes; bytes > packageInit {
			t.Errorf("%s allocates %d bytes at its initialization, at most %d are allowed; make at the first use what not every command uses (wording.Pattern, sync.OnceValue)", name, bytes, packageInit)
		}
	}
	if own == 0 || own > ownInit {
		t.Errorf("the packages of this module allocate %d bytes at initialization, expected 1 to %d", own, ownInit)
	}
	if all > allInit {
		t.Errorf("all packages allocate %d bytes at initialization, at most %d are allowed; GODEBUG=inittrace=1 toolgraph version lists them", all, allInit)
	}
}

// bytesAtInit reads the lines of GODEBUG=inittrace=1, such as
// "init toolgraph/config @1.2 ms, 0.03 ms clock, 1688 bytes, 34 allocs".
func bytesAtInit(t *testing.T, trace string) map[string]int {
	t.Helper()
	bytes := map[string]int{}
	for line := range strings.Lines(trace) {
		words := strings.Fields(line)
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		n, err := strconv.Atoi(words[7])
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		bytes[words[1]] += n
	}
	return bytes
}
