package mcpclient

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object with a child and all its descendants. It ends them when its last
// handle is closed, which this process holds, so that they end with it, however it ends.
type group struct {
	mu  sync.Mutex
	job windows.Handle // 0 when it is closed; guarded by mu
}

// startGroup starts a child in a group of its own. It runs only when it belongs to the job, so
// that no descendant is outside of it. It gets no window: hosts have no console.
func startGroup(cmd *exec.Cmd) (*group, error) {
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("cannot create a job object: %w", err)
	}
	g := &group{job: job}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW}
	if err := cmd.Start(); err != nil {
		g.sweep()
		return nil, err
	}
	assign := func(process uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(process)) }
	if err = errors.Join(cmd.Process.WithHandle(assign), err); err == nil {
		err = resume(uint32(cmd.Process.Pid))
	}
	if err != nil {
		_ = cmd.Process.Kill() // it has not run yet
		_ = cmd.Wait()
		g.sweep()
		return nil, fmt.Errorf("cannot start %s in a job object: %w", cmd.Path, err)
	}
	return g, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// resume lets the threads of a suspended process run. It has one, which os/exec has no handle of.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(threads) //nolint:errcheck // it was only read
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return fmt.Errorf("process %d has no thread: %w", pid, err)
}

// signal ends the group. There is no polite signal: the end of its input was one.
func (g *group) signal(bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1) // it fails when the group is empty, as it should be
	}
}

// sweep ends the rest of a group whose leader is reaped, and releases the job.
func (g *group) sweep() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = windows.CloseHandle(g.job) // which ends what is left
	g.job = 0
}

func statusOf(state *os.ProcessState) exitStatus { return exitStatus{code: state.ExitCode()} }

// supervisorCommand returns nil: job objects need no supervisor.
func supervisorCommand() *exec.Cmd { return nil }
