package observe

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// started is the start of this process, but for the few milliseconds before it.
var started = time.Now()

func gauge(name string, value float64, help string) family {
	return family{name, "gauge", help, []sample{{value: value}}}
}

func counter(name string, value float64, help string) family {
	return family{name, "counter", help, []sample{{value: value}}}
}

// processFamilies are the metrics of the process and of Go's runtime, under the names that
// Prometheus's own client for Go gives them.
func processFamilies() []family {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	gc := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&gc)
	threads, _ := runtime.ThreadCreateProfile(nil)
	var pauses []sample
	for i, pause := range gc.PauseQuantiles {
		quantile := `quantile="` + float(float64(i)/4) + `"`
		pauses = append(pauses, sample{labels: quantile, value: pause.Seconds()})
	}
	pauses = append(pauses, sample{suffix: "_sum", value: gc.PauseTotal.Seconds()}, sample{suffix: "_count", value: float64(gc.NumGC)})
	return append(systemFamilies(),
		family{"go_gc_duration_seconds", "summary", "Pauses of garbage collections.", pauses},
		family{"go_info", "gauge", "The version of Go.", []sample{{labels: "version=" + strconv.Quote(runtime.Version()), value: 1}}},
		gauge("go_goroutines", float64(runtime.NumGoroutine()), "Goroutines that exist."),
		gauge("go_threads", float64(threads), "Threads of the operating system that were created."),
		gauge("go_sched_gomaxprocs_threads", float64(runtime.GOMAXPROCS(0)), "The setting GOMAXPROCS."),
		gauge("go_gc_gogc_percent", goSetting("/gc/gogc:percent"), "The setting GOGC."),
		gauge("go_gc_gomemlimit_bytes", goSetting("/gc/gomemlimit:bytes"), "The setting GOMEMLIMIT."),
		gauge("go_memstats_alloc_bytes", float64(mem.Alloc), "Bytes of allocated heap objects."),
		counter("go_memstats_alloc_bytes_total", float64(mem.TotalAlloc), "Bytes allocated for heap objects, freed ones included."),
		gauge("go_memstats_buck_hash_sys_bytes", float64(mem.BuckHashSys), "Bytes of profiling bucket hash tables."),
		counter("go_memstats_frees_total", float64(mem.Frees), "Freed heap objects."),
		gauge("go_memstats_gc_sys_bytes", float64(mem.GCSys), "Bytes of garbage collection metadata."),
		gauge("go_memstats_heap_alloc_bytes", float64(mem.HeapAlloc), "Bytes of allocated heap objects."),
		gauge("go_memstats_heap_idle_bytes", float64(mem.HeapIdle), "Bytes in unused heap spans."),
		gauge("go_memstats_heap_inuse_bytes", float64(mem.HeapInuse), "Bytes in heap spans in use."),
		gauge("go_memstats_heap_objects", float64(mem.HeapObjects), "Allocated heap objects."),
		gauge("go_memstats_heap_released_bytes", float64(mem.HeapReleased), "Heap bytes returned to the operating system."),
		gauge("go_memstats_heap_sys_bytes", float64(mem.HeapSys), "Heap bytes obtained from the operating system."),
		gauge("go_memstats_last_gc_time_seconds", float64(mem.LastGC)/1e9, "Time of the last garbage collection, in seconds since 1970."),
		counter("go_memstats_mallocs_total", float64(mem.Mallocs), "Allocated heap objects, freed ones included."),
		gauge("go_memstats_mcache_inuse_bytes", float64(mem.MCacheInuse), "Bytes of mcache structures in use."),
		gauge("go_memstats_mcache_sys_bytes", float64(mem.MCacheSys), "Bytes obtained for mcache structures."),
		gauge("go_memstats_mspan_inuse_bytes", float64(mem.MSpanInuse), "Bytes of mspan structures in use."),
		gauge("go_memstats_mspan_sys_bytes", float64(mem.MSpanSys), "Bytes obtained for mspan structures."),
		gauge("go_memstats_next_gc_bytes", float64(mem.NextGC), "Heap size that starts the next garbage collection."),
		gauge("go_memstats_other_sys_bytes", float64(mem.OtherSys), "Bytes obtained for other runtime structures."),
		gauge("go_memstats_stack_inuse_bytes", float64(mem.StackInuse), "Bytes in stack spans in use."),
		gauge("go_memstats_stack_sys_bytes", float64(mem.StackSys), "Bytes obtained for stacks."),
		gauge("go_memstats_sys_bytes", float64(mem.Sys), "Bytes obtained from the operating system."),
		gauge("process_start_time_seconds", float64(started.UnixMilli())/1e3, "Start time of the process, in seconds since 1970."),
	)
}

// goSetting is a setting of the runtime that only runtime/metrics reads.
func goSetting(name string) float64 {
	read := []metrics.Sample{{Name: name}}
	metrics.Read(read)
	return float64(read[0].Value.Uint64())
}
