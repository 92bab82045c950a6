// Package page serves the debugger to one browser on this machine: a project, a
// debug.Controller and a store of runs go in; pages, JSON and events come out.
//
// Every request must name a loopback host, and the same origin when it names one. Paths
// below /api need the cookie that POST /api/session returns for the token of the printed
// address; a change is a POST or PUT of JSON. An error is {"error": {"message", "hint", …}}.
// Secrets are redacted before a value is truncated, searched, evaluated or shown. No
// request can name a command, a server or a file: the one file that PUT /api/source changes,
// where that is allowed, is the one that was opened. A text that is not saved is checked without
// starting a server, and without reading a file that the saved one does not read.
//
//	POST /api/session                 {token} → 204 and the cookie
//	POST /api/link                    → {token}, for a link that opens a session in another browser
//	GET  /api/project                 name, tools, findings, servers (settings as set or unset only)
//	GET  /api/source                  {path, text, version, writable} of the graph file
//	PUT  /api/source                  {text, version, broken} → {outcome: saved|changed|errors, version, …}
//	POST /api/check                   {text, tool} → what toolgraph check finds in the text: {valid, findings, graph}
//	POST /api/complete                {text, at} → what can be written there: {from, candidates}
//	POST /api/describe                {text, at} → what is known of the word there: {from, to, label, detail, doc} or null
//	GET  /api/graphs/{tool}           nodes and edges
//	POST /api/plans                   {args} of run_plan, or its steps → {report: what run_plan answers to dryRun, graph}
//	GET  /api/events                  server-sent events: run (as below, also of other processes), project, breakpoints, questions, missed
//	GET  /api/breakpoints/{tool}      {tool, breakpoints: [{node, condition, disabled}]}, which all pages share
//	PUT  /api/breakpoints/{tool}      {node, condition, disabled, removed} of one → as GET; else the place in the condition
//	GET  /api/runs                    ?tool&status&text&since&until&before&limit → {runs, next}, the newest first
//	POST /api/runs                    {tool, args, pause, runTo, mocks} → {id}; else the fields that do not match the schema, or the findings of a plan
//	GET  /api/runs/{id}               status, times, next node, progress of calls, failure and where it is
//	GET  /api/runs/{id}/graph         nodes and edges of the graph that the run has; null when it is not known any more
//	GET  /api/runs/{id}/path          ?frame&from → {names, path: indexes of names, edits: indexes of steps, …}
//	GET  /api/runs/{id}/steps         ?frame&from&limit → steps with previews
//	GET  /api/runs/{id}/steps/{n}     ?frame&part → one step or part: expressions, what they read, output, failure
//	GET  /api/runs/{id}/parts         ?frame&at&from&limit → parts of a step, with previews
//	GET  /api/runs/{id}/find          ?node&failed&edited&slower (ms)&frame&at&part&from&limit → the steps and parts that match
//	GET  /api/runs/{id}/latest        ?frame&at&near (parts, with spaces between) → {nodes: the latest step of each node up to at, with a preview; shown: items of blocks}
//	GET  /api/runs/{id}/value         ?of&frame&at&part&path&from&marks → one level of a value (see level)
//	GET  /api/runs/{id}/search        ?of&frame&at&part&path&text&from → where keys and texts of a value have it
//	GET  /api/runs/{id}/table         ?of&frame&at&part&path&from&marks → a list of objects by rows and columns
//	GET  /api/runs/{id}/whole         ?of&frame&at&part&path&indent&raw&download → a whole value as JSON; 204 for nothing
//	POST /api/runs/{id}/control       {action: pause|resume|step|next|out|stop|run-to, node}; stop also cancels a run of another process
//	GET  /api/runs/{id}/fork          ?frame&at&part → {changed, copied, calls, again: calls that the run made from there on}
//	POST /api/runs/{id}/fork          {frame, at, part, edits: [{node, value or nothing: true}], pause, changed, repeat} → the new run
//	GET  /api/runs/{id}/resume        {changed, inDoubt: calls whose outcome is unknown}
//	POST /api/runs/{id}/resume        {pause, changed, repeat, repeatAll, value or nothing} → the run
//	POST /api/runs/{id}/replay        {pause} → a new run that makes no call and is not recorded
//	POST /api/runs/{id}/edit          {node, value} or {node, nothing: true}, while it is paused
//	POST /api/runs/{id}/evaluate      {kind: jsonata|rule, source, frame, at, part, path, from} → {value, ms} or {error}
//	POST /api/runs/{id}/watch         {sources, frame, at, part} → [{value, ms} or {error}], one for each source
//	GET  /api/questions               questions of upstream servers: {questions: [{id, server, message, schema or url}]}
//	POST /api/questions/{id}          {action: accept|decline|cancel, content}; else the fields that do not match the schema
//	GET  /api/diff                    ?a&b → where two runs diverge
//
// A frame is asked for as a run is: without the parameter frame, an address, it is the run's own.
// at is an index in the frame; part names a part of that step. of is args, result, context, output, input,
// item, foreseen (what a step that has not run would give) or expression (of kind and source).
//
// Lists have previews of bounded length and come in pages; the number of steps is bounded
// by the limits of the run. The package must not know how a run is made or recorded. It
// owns no third-party module.
package page
