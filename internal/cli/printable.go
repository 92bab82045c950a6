package cli

import (
	"bytes"
	"fmt"
	"unicode/utf16"

	"toolgraph/internal/wording"
)

// escaped is JSON in which what printable replaces is escaped: there it is the same.
func escaped(src []byte) []byte {
	if bytes.IndexFunc(src, wording.IsHidden) < 0 {
		return src
	}
	var out bytes.Buffer
	for _, r := range string(src) {
		switch {
		case !wording.IsHidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}
