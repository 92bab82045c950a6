package servers

// server is a server of npm, and a call of one of its tools.
type server struct {
	npm, version string
	entry        string   // the file of the package that node runs
	args         []string // DIR is the directory of the test
	env          map[string]string
	tool         string
	with         string // the arguments, JSON
	needs        string // why the call is not made; empty: it is made
}

const (
	network = "needs the network"
	key     = "needs a key"
	browser = "needs a browser"
)

var servers = []server{
	{npm: "@modelcontextprotocol/server-everything", version: "2026.8.31", entry: "dist/index.js", tool: "echo", with: `{"message": "hello"}`},
	{npm: "@modelcontextprotocol/server-filesystem", version: "2026.8.31", entry: "dist/index.js", args: []string{"DIR"}, tool: "list_directory", with: `{"path": "DIR"}`},
	{npm: "@modelcontextprotocol/server-memory", version: "2026.8.31", entry: "dist/index.js", env: map[string]string{"MEMORY_FILE_PATH": "DIR/memory.jsonl"}, tool: "read_graph", with: `{}`},
	{
		npm: "@modelcontextprotocol/server-sequential-thinking", version: "2026.8.31", entry: "dist/index.js", tool: "sequentialthinking",
		with: `{"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`,
	},
	{npm: "@modelcontextprotocol/server-postgres", version: "0.6.2", entry: "dist/index.js", args: []string{"postgresql://127.0.0.1:1/none"}, tool: "query", with: `{"sql": "SELECT 1"}`, needs: "needs a database"},
	{npm: "@modelcontextprotocol/server-github", version: "2025.4.8", entry: "dist/index.js", tool: "search_repositories", with: `{"query": "mcp"}`, needs: key},
	{npm: "@cyanheads/git-mcp-server", version: "2.15.3", entry: "dist/index.js", tool: "git_status", with: `{"path": "DIR"}`},
	{npm: "@bytebase/dbhub", version: "1.4.0", entry: "dist/index.js", args: []string{"--transport", "stdio", "--demo"}, tool: "execute_sql", with: `{"sql": "SELECT 1 AS one"}`},
	{npm: "@upstash/context7-mcp", version: "4.1.1", entry: "dist/index.js", tool: "resolve-library-id", with: `{"query": "mcp", "libraryName": "mcp"}`, needs: network},
	{npm: "@eslint/mcp", version: "0.3.13", entry: "src/mcp-cli.js", tool: "lint-files", with: `{"filePaths": ["DIR/a.js"]}`},
	{npm: "@negokaz/excel-mcp-server", version: "0.12.0", entry: "dist/launcher.js", tool: "excel_describe_sheets", with: `{"fileAbsolutePath": "DIR/a.xlsx"}`, needs: "needs a workbook"},
	{npm: "@notionhq/notion-mcp-server", version: "2.5.2", entry: "bin/cli.mjs", tool: "API-get-users", with: `{}`, needs: key},
	{npm: "@playwright/mcp", version: "0.0.83", entry: "cli.js", args: []string{"--headless"}, tool: "browser_navigate", with: `{"url": "about:blank"}`, needs: browser},
	{npm: "@mastra/mcp-docs-server", version: "0.13.31", entry: "dist/stdio.js", tool: "mastraDocs", with: `{"paths": ["index"]}`, needs: network},
	{npm: "@antv/mcp-server-chart", version: "0.9.10", entry: "build/index.js", tool: "generate_pie_chart", with: `{"data": [{"category": "a", "value": 1}]}`, needs: network},
	{npm: "chrome-devtools-mcp", version: "1.11.0", entry: "build/src/bin/chrome-devtools-mcp.js", tool: "list_pages", with: `{}`, needs: browser},
	{npm: "figma-developer-mcp", version: "0.13.2", entry: "dist/bin.js", args: []string{"--stdio"}, env: map[string]string{"FIGMA_API_KEY": "none"}, tool: "get_figma_data", with: `{"fileKey": "abc"}`, needs: key},
	{npm: "firecrawl-mcp", version: "3.22.2", entry: "dist/index.js", env: map[string]string{"FIRECRAWL_API_KEY": "none"}, tool: "firecrawl_scrape", with: `{"url": "https://example.com"}`, needs: key},
	{npm: "tavily-mcp", version: "0.2.22", entry: "build/index.js", env: map[string]string{"TAVILY_API_KEY": "none"}, tool: "tavily_search", with: `{"query": "mcp"}`, needs: key},
	{npm: "mcp-fetch-server", version: "1.1.2", entry: "dist/index.js", tool: "fetch_txt", with: `{"url": "https://example.com"}`, needs: network},
	{npm: "mcp-server-code-runner", version: "0.1.8", entry: "dist/cli.js", tool: "run-code", with: `{"code": "console.log(1 + 1)", "languageId": "javascript"}`},
	{npm: "mcp-server-commands", version: "0.5.0", entry: "build/index.js", tool: "run_command", with: `{"command": "echo hello"}`},
	{npm: "nx-mcp", version: "0.25.0", entry: "main.js", tool: "nx_docs", with: `{"userQuery": "cache"}`, needs: network},
	{npm: "repomix", version: "1.14.0", entry: "bin/repomix.cjs", args: []string{"--mcp"}, tool: "file_system_read_directory", with: `{"path": "DIR"}`},
	{npm: "time-mcp", version: "1.0.6", entry: "dist/index.js", tool: "days_in_month", with: `{"date": "2026-02-01"}`},
}
