package config

var exposeKey = key{
	name: "expose", common: true, doc: "Tools of servers that clients see beside those of this file, each as SERVER__TOOL: server.tool, or with a * at the end, whatever follows.",
	value: listOf(textValue("files.read_text_file", "git.*")),
}

// ExposedName returns the name of a tool of a server for clients.
func ExposedName(server, tool string) string { return server + "__" + tool }

// LongestExposed is how many characters such a name may have: longer ones are refused by some hosts.
const LongestExposed = 64
