package config

import "time"

// File is a graph file as it stands: the nouns of the YAML with their places,
// older forms already turned into the current one. It is not changed after Load.
type File struct {
	Path     string // as given to Load; Pos.File of everything in it
	Version  Text
	Server   Server
	Limits   Limits
	Servers  []*Upstream // mcpServers in file order, then those merged from another file
	Tools    []*Tool
	Older    bool        // the file uses an older form of the language
	Warnings Diagnostics // what the author should know; never errors
	Secrets  *Secrets    // values that must never be shown; not nil
}

// Server is what initialize answers about us.
type Server struct {
	Pos                                Pos
	Name, Version, Title, Instructions Text // Title defaults to Name
}

// Limits bound one run.
type Limits struct {
	MaxNodeExecutions  int           // node executions; default 1000
	MaxExecutionTime   time.Duration // wall clock, calls in flight included; default 300 s
	MaxNodeOutputBytes int           // one output as compact JSON; default 64 MiB, at most 256 MiB
	MaxHistoryBytes    int           // all outputs of a run together; default 512 MiB
}

// Transport is how an upstream server is reached.
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

// Upstream is a server that mcp nodes call, ${VAR} already replaced.
type Upstream struct {
	Pos       Pos
	Name      Text
	Transport Transport
	Identity  string // its command and arguments, or its URL, as the file has them: variables by name, secrets left out

	Command Text      // stdio
	Args    []Text    // stdio
	Env     []Setting // stdio; exactly what is added to the safe base
	Dir     string    // stdio: the absolute working directory (cwd, relative to the file that names it)

	URL           Text      // streamableHttp, sse
	NamesLoopback bool      // the file itself names a loopback host and port in URL; no environment variable had a part in them
	Headers       []Setting // streamableHttp, sse

	Timeout      time.Duration // of one call; default DefaultTimeout
	StartTimeout time.Duration // default DefaultStartTimeout
	MaxInFlight  int           // calls at the same time; default DefaultMaxInFlight
	Protocol     Protocol      // default ProtocolAuto
	AllowPrivate bool          // streamableHttp, sse: the host of URL may have a private or loopback address
	Trusted      bool          // what it says of its tools (readOnlyHint, idempotentHint) is believed
	AllowElicit  bool          // the server may ask the user something in the middle of a call
	OAuth        *OAuth        // streamableHttp, sse: how we are authorized; nil when not by OAuth
}

// OAuth is how we get a token for a server.
type OAuth struct {
	ClientID     string   // as registered with the authorization server; empty: we register ourselves
	Scopes       []string // what to ask for; empty: what the server names
	RedirectPort int      // of the loopback address to which the browser comes back; 0: any
}

// Protocol is which era of the Model Context Protocol is spoken with a server.
type Protocol string

// The protocols that a file may ask for.
const (
	ProtocolAuto   Protocol = "auto"   // found out at the start
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
	InputSchema              *Data // {type: object} when left out
	OutputSchema             *Data // nil when left out
	Annotations              *Data // nil when left out
	Result                   ResultForm
	Nodes                    []*Node
}

// ResultForm is how a tool's result becomes text for clients.
type ResultForm string

// The values of ResultForm.
const (
	JSONResult ResultForm = "json" // as JSON; also when it is left out
	TextResult ResultForm = "text" // a string as it is, anything else as JSON
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

// Node is one node of a tool. Which fields are set depends on Type; a field that
// is not in the file is zero, with a zero Pos.
type Node struct {
	Pos        Pos
	ID         Text
	Type       NodeType
	Next       Text        // entry, mcp, transform; switch: the default
	Server     Text        // mcp
	Tool       Text        // mcp
	Args       *Data       // mcp; a KindObject, or nil when left out
	OnCrash    OnCrash     // mcp; empty when left out
	Expr       Text        // transform
	Conditions []Condition // switch
}

// OnCrash is what becomes of a call that was under way when the process died, once its
// run is resumed. When it is empty, what is known of the tool decides.
type OnCrash string

// The values of OnCrash.
const (
	RerunCall OnCrash = "rerun" // it is made again
	StopRun   OnCrash = "stop"  // it is never made again: the run ends
)

// Condition is one way out of a switch.
type Condition struct {
	Pos  Pos
	Rule *Data // nil: always holds
	Next Text
}
