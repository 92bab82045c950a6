package runtime

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// releaseProgram returns the pages of the program itself to the system, of which half are only for the
// start; a page that is used again is mapped again, from the memory of the system. A part of
// the program in which something was changed after it was loaded stays.
func releaseProgram() {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, part := range programParts(text, path) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, part.start, part.end-part.start, syscall.MADV_DONTNEED) // on an error the pages stay
	}
}

// programPart is a range of addresses.
type programPart struct{ start, end uintptr }

// programParts returns the parts of a file that are mapped for reading only and were not changed, from
// the text of /proc/self/smaps.
func programParts(smaps []byte, path string) (parts []programPart) {
	var part programPart
	isProgram := false
	for line := range strings.Lines(string(smaps)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && !strings.HasSuffix(words[0], ":"): // addresses, mode, offset, device, inode, file
			_, err := fmt.Sscanf(words[0], "%x-%x", &part.start, &part.end)
			isProgram = err == nil && (words[1] == "r-xp" || words[1] == "r--p") && strings.HasSuffix(strings.TrimSpace(line), " "+path)
		case isProgram && len(words) > 1 && words[0] == "Anonymous:" && words[1] == "0":
			parts = append(parts, part)
		}
	}
	return parts
}
