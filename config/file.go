package config

import "time"

// File is the content of a graph file with places; older forms are converted to the current one.
// It is not changed after Load, and is then safe for concurrent use.
type File struct {
	Path     string // as given to Load; Pos.File of everything in it
	Version  Text
	Server   Server
	Limits   Limits
	Servers  []*Upstream // mcpServers in file order, then those merged from another file
	Tools    []*Tool
	Older    bool        // the file uses an older form of the language
	Warnings Diagnostics // sorted; never errors
	Secrets  *Secrets    // values that must never be shown; never nil
}

// Server is the name and description that clients see in the initialize result.
type Server struct {
	Pos                                Pos
	Name, Version, Title, Instructions Text // Title defaults to Name
}

// Limits are the limits of one run.
type Limits struct {
	MaxNodeExecutions  int           // node executions; default 1000
	MaxExecutionTime   time.Duration // wall clock, calls in flight included; default 300 s
	MaxNodeOutputBytes int           // one output as compact JSON; default 64 MiB, at most 256 MiB
	MaxHistoryBytes    int           // all outputs of a run together; default 512 MiB
}

// Transport is the transport to an upstream server.
type Transport string

// The transports of mcpServers.
const (
	Stdio          Transport = "stdio"
	StreamableHTTP Transport = "streamableHttp"
	SSE            Transport = "sse"
)

// The limits of a server whose entry does not set them.
const (
	DefaultTimeout      = 60 * time.Second // of one call
	DefaultStartTimeout = 30 * time.Second
	DefaultMaxInFlight  = 1024 // calls at the same time: as many as runs, so that calls do not queue
)

// Upstream is a server that mcp nodes call, with ${VAR} replaced.
type Upstream struct {
	Pos       Pos
	Name      Text
	Transport Transport
	Identity  string // its command and arguments, or its URL, as in the file: variables by name, without secrets

	Command Text      // stdio
	Args    []Text    // stdio
	Env     []Setting // stdio; exactly what is added to the safe base
	Dir     string    // stdio: the absolute working directory (cwd, relative to the file that names it)

	URL           Text      // streamableHttp, sse
	NamesLoopback bool      // the host and port of URL are loopback, and no environment variable is part of them
	Headers       []Setting // streamableHttp, sse

	Timeout      time.Duration // of one call; default DefaultTimeout
	StartTimeout time.Duration // default DefaultStartTimeout
	MaxInFlight  int           // calls at the same time; default DefaultMaxInFlight
	Protocol     Protocol      // default ProtocolAuto
	AllowPrivate bool          // streamableHttp, sse: the host of URL may have a private or loopback address
	Trusted      bool          // its tool annotations (readOnlyHint, idempotentHint) are believed
	AllowElicit  bool          // the server may ask the user a question during a call
	OAuth        *OAuth        // streamableHttp, sse: authorization by OAuth; nil for none
}

// OAuth says how to get a token for a server.
type OAuth struct {
	ClientID     string   // of a manual registration; empty: register dynamically
	Scopes       []string // to request; empty: those that the server names
	RedirectPort int      // of the loopback address to which the browser returns; 0: any free port
}

// Protocol is the generation of the Model Context Protocol for a server.
type Protocol string

// The protocols that a file may ask for.
const (
	ProtocolAuto   Protocol = "auto"   // detected at the start
	ProtocolLegacy Protocol = "legacy" // initialize, up to 2025-11-25
	ProtocolModern Protocol = "modern" // stateless, from 2026-07-28
)

// Setting is one name and value of env or headers.
type Setting struct {
	Name  Text
	Value Text
}

// Tool is one entry of tools: one MCP tool and the graph behind it.
type Tool struct {
	Pos                      Pos
	Name, Title, Description Text
	InputSchema              *Data // {type: object} when missing
	OutputSchema             *Data // nil when missing
	Annotations              *Data // nil when missing
	Result                   ResultForm
	Nodes                    []*Node
}

// ResultForm is the form of a tool's result for clients.
type ResultForm string

// The values of ResultForm.
const (
	JSONResult ResultForm = "json" // as JSON; the default
	TextResult ResultForm = "text" // a string as plain text, other values as JSON
)

// NodeType is the kind of a node.
type NodeType string

// The five node types.
const (
	EntryNode     NodeType = "entry"
	MCPNode       NodeType = "mcp"
	TransformNode NodeType = "transform"
	SwitchNode    NodeType = "switch"
	ExitNode      NodeType = "exit"
)

// Node is one node of a tool. Type says which fields are set. A field that the file lacks is
// zero, with a zero Pos.
type Node struct {
	Pos        Pos
	ID         Text
	Type       NodeType
	Next       Text        // entry, mcp, transform; switch: the default
	Server     Text        // mcp
	Tool       Text        // mcp
	Args       *Data       // mcp; a KindObject, or nil when missing
	OnCrash    OnCrash     // mcp; empty when missing
	Expr       Text        // transform
	Conditions []Condition // switch
}

// OnCrash says what a resumed run does with an in-doubt call: one that was in flight when the
// process died. When it is empty, the annotations of the tool decide.
type OnCrash string

// The values of OnCrash.
const (
	RerunCall OnCrash = "rerun" // repeat the call
	StopRun   OnCrash = "stop"  // fail the run
)

// Condition is a condition of a switch, and the node to go to when it holds.
type Condition struct {
	Pos  Pos
	Rule *Data // nil: always holds
	Next Text
}
