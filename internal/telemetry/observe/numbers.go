package observe

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Number is a metric that is not counted here: it is read from what the process knows when metrics are collected.
type Number int

// The numbers, with their labels. Those that end with S are seconds.
const (
	BuildInfo Number = iota // 1; version
	processStart
	Ready      // 1 or 0
	GraphFiles // state

	StoreErrors // operation
	StoreEventsLost
	QueueEvents
	QueueBytes
	QueueAgeS
	StoreBytes
	StoreRuns    // status
	StoreRunsOld // status
	StoreRunAgeS // status
	RunsParked
	ParkedOverdueS
	RunsUnparked
	LeasesLost
	Takeovers
	RetentionDeleted
	RetentionFailures
	RetentionLastS // since 1970

	Connections // state
	MostConnections
	ConnectionWaits
	ConnectionWaitS

	UpstreamRunning    // server
	UpstreamConnecting // server
	UpstreamInFlight   // server
	UpstreamWaiting    // server
	numbersEnd
)

// number is how a Number is exported.
type number struct {
	name, unit, help string
	counts           bool // it only grows
}

var numbers = [numbersEnd]number{
	BuildInfo:    {"toolgraph_build_info", "1", "Always 1; version is that of Toolgraph.", false},
	processStart: {"toolgraph_process_start_time_seconds", "s", "Start time of the process, in seconds since 1970.", false},
	Ready:        {"toolgraph_ready", "1", "1 while /readyz says that the process takes calls, else 0.", false},
	GraphFiles:   {"toolgraph_graph_files", "{file}", "Graph files that are served; state is current, previous (the file as it is has errors) or none.", false},

	StoreErrors:       {"toolgraph_store_errors_total", "{error}", "Attempts to read or write the run history that the database has refused or not answered.", true},
	StoreEventsLost:   {"toolgraph_store_events_lost_total", "{event}", "Events of runs that were not recorded, because the run history could not be written for too long.", true},
	QueueEvents:       {"toolgraph_store_queue_events", "{event}", "Events of runs of this process that are not in the run history yet.", false},
	QueueBytes:        {"toolgraph_store_queue_bytes", "By", "Memory of the events that wait, about.", false},
	QueueAgeS:         {"toolgraph_store_queue_age_seconds", "s", "How long the oldest event waits to be in the run history; 0: none waits.", false},
	StoreBytes:        {"toolgraph_store_bytes", "By", "Size of the run history.", false},
	StoreRuns:         {"toolgraph_store_runs", "{run}", "Runs of all processes that can continue: running, waiting for an answer, interrupted or in doubt.", false},
	StoreRunsOld:      {"toolgraph_store_runs_old", "{run}", "Those of them that retention would delete if they could not continue.", false},
	StoreRunAgeS:      {"toolgraph_store_run_age_seconds", "s", "Time since the last event of the run that has had none for the longest time; 0: there is no such run.", false},
	RunsParked:        {"toolgraph_runs_parked", "{run}", "Runs of all processes that wait without a process: for an answer, for a time, or for a task of an upstream server.", false},
	ParkedOverdueS:    {"toolgraph_parked_overdue_seconds", "s", "How long the parked run is due that is due first, and not resumed; 0: none is.", false},
	RunsUnparked:      {"toolgraph_runs_unparked_total", "{run}", "Parked runs that this process has claimed to go on with them.", true},
	LeasesLost:        {"toolgraph_leases_lost_total", "{run}", "Runs of this process that another one has taken, or that were deleted meanwhile.", true},
	Takeovers:         {"toolgraph_takeovers_total", "{run}", "Interrupted runs that this process has claimed to go on with them.", true},
	RetentionDeleted:  {"toolgraph_retention_runs_deleted_total", "{run}", "Runs that this process has deleted because they are beyond the bounds of the run history.", true},
	RetentionFailures: {"toolgraph_retention_failures_total", "{attempt}", "Attempts of this process to delete old runs that have failed.", true},
	RetentionLastS:    {"toolgraph_retention_last_timestamp_seconds", "s", "When old runs were last looked for, by any process, in seconds since 1970.", false},

	Connections:     {"toolgraph_database_connections", "{connection}", "Connections to the database server; state is in_use or idle.", false},
	MostConnections: {"toolgraph_database_connections_max", "{connection}", "Limit of connections to the database server.", false},
	ConnectionWaits: {"toolgraph_database_connection_waits_total", "{wait}", "How often no connection to the database server was free.", true},
	ConnectionWaitS: {"toolgraph_database_connection_wait_seconds_total", "s", "Time of waiting for a connection to the database server.", true},

	UpstreamRunning:    {"toolgraph_upstream_running", "{connection}", "Connections to an upstream server; 0: it is not started, or has ended.", false},
	UpstreamConnecting: {"toolgraph_upstream_connecting", "{start}", "Starts of an upstream server that have not ended.", false},
	UpstreamInFlight:   {"toolgraph_upstream_calls_in_flight", "{call}", "Calls that have a place among the calls in flight of an upstream server.", false},
	UpstreamWaiting:    {"toolgraph_upstream_calls_waiting", "{call}", "Calls that wait because of the limit or the rate of an upstream server.", false},
}

// Report says what a number is, with pairs of a label and its value.
type Report func(n Number, value float64, pairs ...string)

// Read reports numbers. It is called when metrics are collected, also after the end of what they are about, and must not
// wait for long. A number that is not reported is not exported.
type Read func(ctx context.Context, report Report)

// read has the numbers read when metrics are collected.
func (m *Metrics) read(read Read) {
	all := make([]metric.Observable, numbersEnd)
	instruments := make([]metric.Float64Observable, numbersEnd)
	for i, n := range numbers {
		if n.counts {
			instruments[i] = valid(m.meter.Float64ObservableCounter(n.name, metric.WithUnit(n.unit), metric.WithDescription(n.help)))
		} else {
			instruments[i] = valid(m.meter.Float64ObservableGauge(n.name, metric.WithUnit(n.unit), metric.WithDescription(n.help)))
		}
		all[i] = instruments[i]
	}
	valid(m.meter.RegisterCallback(func(ctx context.Context, to metric.Observer) error {
		read(ctx, func(n Number, value float64, pairs ...string) {
			to.ObserveFloat64(instruments[n], value, labels(pairs...))
		})
		return nil
	}, all...))
}

// readSelf reports what is known of every process.
func readSelf(version string) Read {
	return func(_ context.Context, report Report) {
		report(BuildInfo, 1, "version", version)
		report(processStart, Seconds(started))
	}
}

// Seconds is a time as metrics have it: seconds since 1970.
func Seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1e3 }

// Read has numbers read when metrics are collected. Without metrics they are not.
func (t *Telemetry) Read(read Read) {
	if t.metrics != nil {
		t.metrics.read(read)
	}
}

// Started counts a start of a server.
func (t *Telemetry) Started(server string, why error) {
	if t.metrics != nil {
		t.metrics.starts.Add(context.Background(), 1, metric.WithAttributes(attribute.String("server", server), attribute.String("outcome", outcome(why))))
	}
}
