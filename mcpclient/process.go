package mcpclient

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"toolgraph/config"
)

// How long an ending process gets at each step.
const (
	stdinGrace = 2 * time.Second        // after its stdin is closed
	termGrace  = 3 * time.Second        // after SIGTERM to its group
	sweepGrace = 500 * time.Millisecond // for the rest of its group
	drainGrace = 500 * time.Millisecond // for output still in the pipes
)

// process is one child: the leader of a group of its own, with its stderr drained.
// It is reaped by a goroutine that lives exactly as long as the group.
type process struct {
	cmd    *exec.Cmd
	group  *group
	stdin  *os.File
	stdout *os.File
	stderr *stderrRing
	clock  clock

	exited chan struct{} // closed once the leader is reaped; status is set by then
	status exitStatus
	gone   chan struct{} // closed once the whole group has ended
	ending sync.Once
}

// exitStatus is how a leader ended.
type exitStatus struct {
	code   int    // 128+n after signal n
	signal string // "" unless a signal ended it
}

func (s exitStatus) String() string {
	if s.signal != "" {
		return "was ended by a signal (" + s.signal + ")"
	}
	return fmt.Sprintf("exited with status %d", s.code)
}

// commandOf returns the command of a server without its streams.
func commandOf(u *config.Upstream, self selfCommand) (*exec.Cmd, error) {
	path, err := resolveCommand(u, self)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: []string{path}, Env: environ(os.Environ(), u.Env), Dir: u.Dir}
	for _, a := range u.Args {
		cmd.Args = append(cmd.Args, a.Value)
	}
	return cmd, checkDir(u.Dir)
}

// pipes are the ends of a child's three streams: those of the child, then those of this
// process.
type pipes struct{ child, own [3]*os.File }

func openPipes() (p pipes, err error) {
	for i := range p.child {
		r, w, err := os.Pipe()
		if err != nil {
			p.close()
			return p, err
		}
		p.child[i], p.own[i] = w, r
		if i == 0 { // the child reads its stdin
			p.child[i], p.own[i] = r, w
		}
	}
	return p, nil
}

func (p pipes) close() {
	closeAll(p.child[:]...)
	closeAll(p.own[:]...)
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// startProcess starts a child. It belongs to no request's context: the first caller may
// give up while others still wait. keep ends its group if this process dies; onStderr, if
// not nil, is called with each line of its stderr.
func startProcess(cmd *exec.Cmd, keep *supervisor, clk clock, onStderr func(line string)) (*process, error) {
	closeInherited()
	p, err := openPipes()
	if err != nil {
		return nil, startError(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.child[0], p.child[1], p.child[2]
	var g *group
	if err = keep.ready(); err == nil {
		g, err = startGroup(cmd)
	}
	if err != nil {
		p.close()
		return nil, startError(err)
	}
	closeAll(p.child[:]...)
	keep.watch(cmd.Process.Pid)
	proc := &process{
		cmd: cmd, group: g, stdin: p.own[0], stdout: p.own[1], stderr: &stderrRing{}, clock: clk,
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		proc.stderr.drain(p.own[2], onStderr)
	}()
	go proc.reap(p.own[2], drained, keep)
	return proc, nil
}

func startError(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fmt.Errorf("too many files are open to start another process: %w", err)
	}
	return err
}

// reap waits for the leader, ends the rest of its group, and closes the pipes.
func (p *process) reap(stderr *os.File, drained chan struct{}, keep *supervisor) {
	_ = p.cmd.Wait() // the state says more than the error
	p.status = statusOf(p.cmd.ProcessState)
	select {
	case <-drained: // so that the last lines are in the ring before they are asked for
	case <-p.clock.after(drainGrace / 10):
	}
	close(p.exited)
	p.group.sweep()
	keep.forget(p.cmd.Process.Pid)
	select {
	case <-drained:
	case <-p.clock.after(drainGrace): // held open by a descendant that left the group
	}
	closeAll(stderr, p.stdin)
	<-drained
	close(p.gone)
}

// end closes stdin, then sends SIGTERM, then SIGKILL to the group, each after its
// grace, and returns when the group has ended. The first call sets the pace: in haste
// there is no wait after stdin is closed, and a short one after SIGTERM.
func (p *process) end(haste bool) {
	if haste {
		p.endWithin(0, sweepGrace)
	} else {
		p.endWithin(stdinGrace, termGrace)
	}
}

// endWithin is end with its own graces: after stdin is closed, and after SIGTERM.
func (p *process) endWithin(first, second time.Duration) {
	p.ending.Do(func() {
		_ = p.stdin.Close()
		if p.within(first) {
			return
		}
		p.group.signal(false)
		if p.within(second) {
			return
		}
		p.group.signal(true)
	})
	<-p.gone
}

func (p *process) within(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	default:
	}
	select {
	case <-p.exited:
		return true
	case <-p.clock.after(d):
		return false
	}
}

// supervisor is a process that ends the groups of all servers if this process dies without
// doing so itself, by SIGKILL for example. It reads from a pipe each group that begins and
// ends, and when the pipe closes it ends those that are left. It is started with the first
// server, which does not wait for it. Where there is no shell, servers only see the end of
// their input.
type supervisor struct {
	command func() *exec.Cmd // returns nil where none is needed

	mu     sync.Mutex // guards the fields below; held during short writes to the pipe only
	pipe   io.WriteCloser
	done   chan struct{} // closed when the process has ended
	groups map[int]bool
}

func newSupervisor() *supervisor {
	return &supervisor{command: supervisorCommand, groups: map[int]bool{}}
}

// ready starts the supervisor unless it runs.
func (s *supervisor) ready() error {
	cmd := s.command()
	if cmd == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe != nil {
		select {
		case <-s.done: // it was killed: another takes its place
			s.pipe = nil
		default:
			return nil
		}
	}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a container without a shell: its end ends the servers
	}
	if err != nil {
		return fmt.Errorf("cannot start the supervisor: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended does not matter
	}()
	s.pipe, s.done = pipe, done
	for group := range s.groups {
		s.send('+', group)
	}
	return nil
}

// watch adds a group to those that must not outlive this process.
func (s *supervisor) watch(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[group] = true
	s.send('+', group)
}

// forget drops a group that has ended, before its id can mean another.
func (s *supervisor) forget(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, group)
	s.send('-', group)
}

func (s *supervisor) send(sign byte, group int) {
	if s.pipe != nil {
		_, _ = fmt.Fprintf(s.pipe, "%c %d\n", sign, group) // a dead supervisor is replaced by ready
	}
}

// close ends the supervisor.
func (s *supervisor) close() {
	s.mu.Lock()
	pipe, done := s.pipe, s.done
	s.pipe = nil
	s.mu.Unlock()
	if pipe != nil {
		_ = pipe.Close()
		<-done
	}
}
