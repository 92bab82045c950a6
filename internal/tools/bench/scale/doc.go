// Scale measures one process, three processes behind a balancer, and workers of Temporal, in one run: the time of a
// call, calls a second, how that grows with processes, and how long a run stands still when its process is killed; then what
// a run costs, and what follows for many calls a second. Out come the parts "What breaks first" and "Measured" of docs/scaling.md.
//
//	go -C internal/tools/bench run ./scale [-rounds 3] [-span 4s] [-only REGEX] [-costs 3000] [-quick]
//
// It needs Postgres's programs, and the temporal CLI in PATH or TOOLGRAPH_TEMPORAL; what needs one that is missing is
// left out, with the reason. All processes, the databases, the upstream server and the client share the cores of one
// machine. So growth is measured with calls that wait: each process has at most 8 of them in flight.
package main
