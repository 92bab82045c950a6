package config

import (
	"slices"
	"time"
)

// File is the content of a graph file with places; older forms are converted to the current one.
// It is not changed after Load, and is then safe for concurrent use.
type File struct {
	Path     string // as given to Load; Pos.File of everything in it
	Version  Text
	Server   Server
	Limits   Limits
	LimitsAt map[string]Pos // the places of the executionLimits that the file sets, by key
	Allow    *Allow         // nil when missing: every call is allowed
	Vars     []*Var
	Imports  []*Import   // in file order
	Prefix   string      // of the names of its tools and servers: "text." in a file that is imported as text, else empty
	Servers  []*Upstream // mcpServers in file order, then those merged from another file, then those of its imports
	Tools    []*Tool     // in file order, then those of its imports
	Pipeline *Pipeline   // nil: none
	Plan     *Plan       // nil: none
	Expose   []Text      // tools of servers that clients see, as in Allow.Calls; nil when missing
	Passes   []*Passed   // servers whose prompts or resources clients get
	Older    bool        // the file uses an older form of the language
	Warnings Diagnostics // sorted; never errors
	Secrets  *Secrets    // values that must never be shown; never nil

	src *source // that it was read from; nil when it was made
}

// Import is a graph file whose tools the graphs of another one call. Loading the importing file adds
// the tools and servers of the import to its own, with their names, and the names in them, prefixed:
// the tool count of import text is text.count, that of its import list is text.list.count.
type Import struct {
	Pos        Pos
	Name, Path Text
	File       *File // with its own tools and servers alone, and Limits that are 0 where it sets none; nil when it could not be read
}

// HasServer reports whether the file declares a server.
func (f *File) HasServer(name string) bool {
	return slices.ContainsFunc(f.Servers, func(u *Upstream) bool { return u.Name.Value == name })
}

// Trusts reports whether the file trusts what a server says about its tools.
func (f *File) Trusts(server string) bool {
	return slices.ContainsFunc(f.Servers, func(u *Upstream) bool { return u.Name.Value == server && u.Trusted })
}

// FromRegistry reports whether a server is taken from a registry.
func (f *File) FromRegistry(server string) bool {
	return slices.ContainsFunc(f.Servers, func(u *Upstream) bool { return u.Name.Value == server && u.Registry })
}

// Server is the name and description that clients see in the initialize result.
type Server struct {
	Pos                                Pos
	Name, Version, Title, Instructions Text          // Title defaults to Name
	Icons                              *Data         // a KindArray, or nil when there are none
	TaskAfter                          time.Duration // how long a call may take before its client gets a task; default 5 s
}

// DefaultTaskAfter is the TaskAfter of a file that does not set it.
const DefaultTaskAfter = 5 * time.Second

// Limits are the limits of one run.
type Limits struct {
	MaxNodeExecutions  int           // node executions; default 1000
	MaxExecutionTime   time.Duration // wall clock, calls in flight included; default 300 s
	MaxNodeOutputBytes int           // one output as compact JSON; default 64 MiB, at most 256 MiB
	MaxHistoryBytes    int           // all outputs of a run together; default 512 MiB
	MaxDepth           int           // frames inside each other, the run's own included; default 16, at most 64
	MaxCalls           int           // calls to servers in one run, attempts included; 0: no limit
	MaxResultBytes     int           // of a result to a client, as compact JSON: a longer one is kept, and summarized; 0: no limit
}

// DefaultMaxDepth is the MaxDepth of a file that does not set it.
const DefaultMaxDepth = 16

// Transport is the transport to an upstream server.
type Transport string

// The transports of mcpServers.
const (
	Stdio          Transport = "stdio"
	StreamableHTTP Transport = "streamableHttp"
	SSE            Transport = "sse"
	Exec           Transport = "exec" // programs: each call starts one
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
	Prefix    string // of Name: "text." for a server of the import text, else empty
	Shares    string // the name of the server whose process or connection it uses, because that one is defined alike; empty: its own
	Transport Transport
	Identity  string   // its command and arguments, its URL, or the commands of its programs, as in the file: variables by name, without secrets
	Variables []string // the names of the environment variables that its entry reads, sorted, each once
	Registry  bool     // registry: true: its entry is taken from a registry, and other keys of the graph file are laid over it
	Entry     string   // a hash of what its entry in a registry or another file of servers says about where it is; "" for a server of the graph file

	Command Text      // stdio
	Args    []Text    // stdio
	Env     []Setting // stdio, exec; exactly what is added to the safe base
	Dir     string    // stdio, exec: the absolute working directory (cwd, relative to the file that names it)
	Cwd     Text      // stdio, exec: cwd as in the file, with ${VAR} replaced

	Programs []*Program // exec: its tools, in file order

	URL           Text      // streamableHttp, sse
	NamesLoopback bool      // the host and port of URL are loopback, and no environment variable is part of them
	Headers       []Setting // streamableHttp, sse

	Timeout      time.Duration // of one call; default DefaultTimeout
	StartTimeout time.Duration // default DefaultStartTimeout
	MaxInFlight  int           // calls at the same time; default DefaultMaxInFlight
	Rate         *Rate         // calls in a time; nil when missing: no limit
	TextResults  bool          // the value of a call is the text of the answer, unchanged
	Protocol     Protocol      // default ProtocolAuto
	AllowPrivate bool          // streamableHttp, sse: the host of URL may have a private or loopback address
	Trusted      bool          // its tool annotations (readOnlyHint, idempotentHint) are believed
	AllowElicit  bool          // the server may ask the user a question during a call
	OAuth        *OAuth        // streamableHttp, sse: authorization by OAuth; nil for none
}

// Rate is how many calls a server gets in a time. A call beyond it waits.
type Rate struct {
	Pos   Pos
	Calls int           // at once; then one more after each Per/Calls
	Per   time.Duration // in which as many calls become possible again
}

// OAuth says how to get a token for a server.
type OAuth struct {
	ClientID     string   // of a manual registration; empty: register dynamically
	Scopes       []string // to request; empty: those that the server names
	RedirectPort int      // of the loopback address to which the browser returns; 0: any free port

	Machine      bool       // the client itself logs in (client_credentials), with ClientSecret or Key; else a person does
	Issuer       string     // the only authorization server that may get the secret or a proof; empty: the one that the server names
	ClientSecret string     // of a manual registration; empty: none
	SecretIn     string     // client_secret_basic or client_secret_post; empty: as the authorization server's metadata say
	Key          *ClientKey // nil: none
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
	File                     *File // that defines it: the graph file, or one of its imports
	Name, Title, Description Text
	InputSchema              *Data // {type: object} when missing
	OutputSchema             *Data // nil when missing
	Annotations              *Data // nil when missing
	Icons                    *Data // a KindArray, or nil when there are none
	Meta                     *Data // _meta; a KindObject, or nil when missing
	Result                   ResultForm
	Hidden                   bool           // only for graphs and tests: clients neither see nor call it; always true of an import's
	Prompt                   bool           // clients get it as a prompt, too; with Hidden only so; never true of an import's
	PromptAt                 Pos            // of prompt
	NeedsTask                bool           // task is required: clients without the Tasks extension cannot call it
	Suggest                  []*Suggestion  // for its arguments, in the order of the properties
	Limits                   Limits         // its own executionLimits; 0 in each field that it does not set
	LimitsAt                 map[string]Pos // their places, by key
	Allow                    *Allow         // its own, beside the file's; nil when missing
	Nodes                    []*Node        // of a tool that is written as steps: entry, steps and exit
	StepsAt                  Pos            // of the key steps; invalid for a tool that has nodes
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

// The node types.
const (
	EntryNode     NodeType = "entry"
	MCPNode       NodeType = "mcp"
	GraphNode     NodeType = "graph"    // calls a tool of this file
	ParallelNode  NodeType = "parallel" // makes several calls at once
	AskNode       NodeType = "ask"      // asks the user
	TransformNode NodeType = "transform"
	SwitchNode    NodeType = "switch"
	ExitNode      NodeType = "exit"

	StepsNode NodeType = "steps" // runs the steps of a tool or of a block; no file names it
)

// The ids of the nodes of a tool that is written as steps. The one in the middle is no name that an
// author would choose.
const (
	StepsEntry = "entry"
	StepsID    = "$steps"
	StepsExit  = "exit"
)

// Node is one node of a tool. Type says which fields are set. A field that the file lacks is
// zero, with a zero Pos.
type Node struct {
	Pos        Pos
	ID         Text // of a branch: its key in branches
	Type       NodeType
	Next       Text          // all but switch and exit; switch: the default
	Server     Text          // mcp
	Tool       Text          // mcp: a tool of the server; graph: a tool of this file
	Args       *Data         // mcp, graph; a KindObject, or nil when missing
	ForEach    *ForEach      // mcp, graph; nil when missing
	Timeout    time.Duration // mcp: of one attempt; graph: of the whole call; ask: for the answer; 0 when missing
	TimeoutPos Pos           // of timeoutMs
	Message    *Data         // ask: a text, or {expr: …}; nil when missing
	Schema     *Data         // ask: of the form to fill in; nil when missing: yes or no
	Retry      *Retry        // mcp; nil when missing
	OnError    *OnError      // mcp, graph, ask, transform; nil when missing
	Help       Text          // mcp, graph, ask: added to the message of a failure
	OnCrash    OnCrash       // mcp; empty when missing
	Effect     Effect        // mcp; empty when missing
	Confirm    *bool         // mcp: whether the user must agree before the call; nil when missing
	ConfirmPos Pos           // of confirm
	Cache      *Cache        // mcp; nil when missing
	Branches   []*Node       // parallel: mcp and graph nodes without id and next
	BranchesAt Pos           // of the key branches
	Expr       Text          // transform
	Conditions []Condition   // switch

	Step   *Step   // what a step has beside its node; nil for a node that is no step
	Steps  []*Node // steps: those of a tool or block, in file order
	Return Text    // steps: JSONata of the value; empty: that of the last step
}

// Step is what a step has beside the node that does its work: an mcp or graph node for call, a
// transform for expr, an ask, or a steps node for a block. Its id is the node's. A field that the file
// lacks is zero.
type Step struct {
	Call                 Text // the name of the tool, as in the file
	If, Each, Key, Until Text // JSONata
	As                   Text
	MaxParallel          int // 0: the default
	Repeat               *Repeat
	Skip                 Text // onError: skip; its text
	After                []Text
}

// Repeat is how a call or a block is repeated.
type Repeat struct {
	Pos     Pos
	Until   Text // JSONata over $result
	Times   int
	Delay   time.Duration // between two turns
	Collect bool          // the value is the list of all results
}

// ForEach is a call for each item of a list.
type ForEach struct {
	Pos         Pos
	Items       Text // JSONata
	MaxParallel int  // calls at the same time; default 1
}

// Retry is how a failed call is repeated.
type Retry struct {
	Pos      Pos
	Attempts int           // in all, the first included; default 3, with Until 60
	Delay    time.Duration // before the second attempt; default 500 ms, with Until 2 s
	DelayAt  Pos           // of delayMs; invalid without it
	Backoff  float64       // each wait is so many times the one before; default 2, with Until 1
	MaxDelay time.Duration // default 30 s
	Codes    []Text        // failures that are retried; nil when missing: those that do no harm
	When     Text          // JSONata: whether to retry this failure
	Until    Text          // JSONata over the value: until it holds, an attempt counts as failed
}

// Cache is how long the answer of a call is given again to equal calls.
type Cache struct {
	Pos Pos
	TTL time.Duration
}

// OnError is how a run continues after a failure of a node.
type OnError struct {
	Pos   Pos
	Codes []Text // failures that it takes; nil when missing: see CaughtByDefault
	Value *Data  // the output instead, walked as args are; nil when missing: {error: $failure}
	Next  Text   // where to go instead of the node's next; empty when missing
}

// Effect is what a call does to the world, in the author's word.
type Effect string

// The values of Effect.
const (
	ReadEffect    Effect = "read"
	WriteEffect   Effect = "write"   // adds or changes
	DestroyEffect Effect = "destroy" // removes or overwrites
)

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

// Allow narrows what runs may call and do.
type Allow struct {
	Pos     Pos
	Calls   []Text // server.tool, or with a * at the end: whatever follows; nil when missing: all
	Effects []Text // what calls may do; nil when missing: everything
	Confirm []Text // of these effects, what the user must agree to each time; nil when missing: none

	Flows []AllowedFlow // of the file: where what servers answer may go; of those that it does not name, anywhere

	DistrustImports bool // of the file: what imports say of the effects of their calls does not count
}

// AllowedFlow says which servers get what a server answers.
type AllowedFlow struct {
	Pos  Pos
	From Text
	To   []Text // besides the client
}
