package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// jsonAsYAML writes the escapes of a JSON text that the YAML parser does not know, \/
// and pairs of surrogates, in a way that it does; other text is returned as it is.
// Places further right on a line with such an escape come out a little too far left.
func jsonAsYAML(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\/`)) && !bytes.Contains(data, []byte(`\u`)) || !json.Valid(data) {
		return data
	}
	var out bytes.Buffer
	for i := 0; i < len(data); {
		switch {
		case data[i] != '\\':
			out.WriteByte(data[i])
			i++
		case data[i+1] == '/': // valid JSON never ends in a backslash
			out.WriteByte('/')
			i += 2
		default:
			if r, ok := surrogates(data[i:]); ok {
				fmt.Fprintf(&out, `\U%08x`, r)
				i += 12
				continue
			}
			out.Write(data[i : i+2])
			i += 2
		}
	}
	return out.Bytes()
}

// surrogates is the character that \uXXXX\uXXXX at the start of text stands for.
func surrogates(text []byte) (rune, bool) {
	if len(text) < 12 || text[1] != 'u' || text[6] != '\\' || text[7] != 'u' {
		return 0, false
	}
	high, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	if err != nil {
		return 0, false
	}
	low, err := strconv.ParseUint(string(text[8:12]), 16, 32)
	if err != nil {
		return 0, false
	}
	r := utf16.DecodeRune(rune(high), rune(low))
	return r, r != '\ufffd'
}
