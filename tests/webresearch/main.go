// Command webresearch replaces the four stages of Context Pipe's web-research-pipe in tests. Its name and
// arguments say which one it is: python -m firecrawl_mcp.server and python -m context_mode.server
// are MCP servers, markitdown and semantic-sift-cli read standard input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if err := run(name, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(name string, args []string) error {
	switch command := strings.Join(append([]string{name}, args...), " "); command {
	case "python -m firecrawl_mcp.server":
		return serve("scrape", "url", scrape)
	case "python -m context_mode.server":
		return serve("index", "content", index)
	case "markitdown":
		return filter(func(page string) string {
			return strings.NewReplacer("<h1>", "# ", "</h1>", "\n", "<p>", "\n", "</p>", "\n").Replace(page)
		})
	case "semantic-sift-cli semantic --rate 0.4":
		return filter(sift)
	default:
		return fmt.Errorf("found the command line %q", command)
	}
}

// filter writes what it makes of standard input.
func filter(of func(string) string) error {
	src, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = io.WriteString(os.Stdout, of(string(src)))
	}
	return err
}

// sift leaves the lines that begin with "[" or say something of pipes.
func sift(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") || strings.Contains(line, "pipe") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// scrape returns a page, as HTML.
func scrape(url string) (string, error) {
	if key := os.Getenv("FIRECRAWL_API_KEY"); key != "right-key" {
		return "", fmt.Errorf("unauthorized: the API key is not valid")
	}
	return "<h1>" + url + "</h1><p>A pipe moves text.</p><p>It rains.</p>", nil
}

// index returns the content with the number of its words.
func index(content string) (string, error) {
	return fmt.Sprintf("[%d words]\n%s", len(strings.Fields(content)), content), nil
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	} `json:"params"`
}

type object = map[string]any

// serve answers the requests of one MCP client: one tool with one text argument.
func serve(tool, argument string, call func(string) (string, error)) error {
	out := json.NewEncoder(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil || r.ID == nil {
			continue // a notification
		}
		answer := object{"jsonrpc": "2.0", "id": r.ID}
		switch r.Method {
		case "initialize":
			answer["result"] = object{
				"protocolVersion": "2025-06-18", "serverInfo": object{"name": tool, "version": "1"},
				"capabilities": object{"tools": object{}},
			}
		case "tools/list":
			answer["result"] = object{"tools": []object{{"name": tool, "inputSchema": object{
				"type": "object", "properties": object{argument: object{"type": "string"}}, "required": []string{argument},
			}}}}
		case "tools/call":
			text, err := call(r.Params.Arguments[argument])
			if err != nil {
				text = err.Error()
			}
			answer["result"] = object{"content": []object{{"type": "text", "text": text}}, "isError": err != nil}
		default:
			answer["error"] = object{"code": -32601, "message": "unknown method"}
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return in.Err()
}
