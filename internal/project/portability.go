package project

import (
	"fmt"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// What hosts take for a tool's name. Claude Desktop refuses a server with any other, and
// Claude Code leaves out a tool whose full name, mcp__SERVER__TOOL, is longer than it
// allows.
const (
	portableCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	longestPortable    = 64
)

const longestFullName = 128

// checkPortability warns of names that the protocol allows and some hosts refuse.
func checkPortability(file *config.File) config.Diagnostics {
	const code = "tool-name-portability"
	var found config.Diagnostics
	for _, tool := range file.Tools {
		name := tool.Name.Value
		full := "mcp__" + file.Server.Name.Value + "__" + name
		switch {
		case !isName(name, portableCharacters+".", longestFullName): // the graph's checks report it
		case !isName(name, portableCharacters, longestPortable):
			found.Warn(tool.Name.Pos, code, fmt.Sprintf("tool name %s is refused by some hosts, expected at most 64 letters, digits, _ or -", strconv.Quote(wording.Shorten(name))),
				"write another name, or keep to hosts that take it")
		case len(full) > longestFullName:
			found.Warn(tool.Name.Pos, code, fmt.Sprintf("with the server's name, the tool name has %d characters, and some hosts leave out a tool with more than %d", len(full), longestFullName),
				"shorten one of the two names")
		}
	}
	return found
}

// isName reports whether a name has 1 to longest characters, all of those given.
func isName(name, characters string, longest int) bool {
	return name != "" && len(name) <= longest && strings.Trim(name, characters) == ""
}
