//go:build linux || darwin

package observe

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// systemFamilies are what the operating system reports about the process. A system without
// /proc has fewer; see proc_pid_stat(5).
func systemFamilies() []family {
	var families []family
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		spent := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		families = append(families, counter("process_cpu_seconds_total", spent.Seconds(), "CPU time of the process, user and system."))
	}
	if fds, err := os.ReadDir("/dev/fd"); err == nil {
		families = append(families, gauge("process_open_fds", float64(len(fds)), "Open file descriptors."))
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		families = append(families, gauge("process_max_fds", float64(limit.Cur), "Limit of open file descriptors."))
	}
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil {
		families = append(families, gauge("process_virtual_memory_max_bytes", float64(limit.Cur), "Limit of virtual memory."))
	}
	stat, _ := os.ReadFile("/proc/self/stat") // without it there are no fields
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 { // the first one is field 3 of the manual
		return families
	}
	virtual, _ := strconv.ParseFloat(string(fields[20]), 64)
	pages, _ := strconv.ParseFloat(string(fields[21]), 64)
	return append(families,
		gauge("process_virtual_memory_bytes", virtual, "Virtual memory."),
		gauge("process_resident_memory_bytes", pages*float64(os.Getpagesize()), "Resident memory."),
	)
}
