package graphtest

// The keys of a test file and of its parts; schema.json describes the same.
var (
	suiteKeys  = []string{"graph", "servers", "mocks", "tests"}
	testKeys   = []string{"name", "tool", "args", "env", "needs", "mocks", "cassette", "limits", "expect", "cases"}
	caseKeys   = []string{"name", "args", "env", "mocks", "limits", "expect"}
	limitKeys  = []string{"maxNodeExecutions", "maxExecutionTimeMs", "maxNodeOutputBytes", "maxHistoryBytes"}
	expectKeys = []string{"value", "partial", "contains", "isError", "path", "calls", "nodes", "nothing", "executions"}
	callKeys   = []string{"node", "server", "tool", "args", "partial"}
	ruleKeys   = []string{"when", "result", "nothing", "error", "sequence", "repeat"}
	answerKeys = []string{"result", "nothing", "error"}
)
