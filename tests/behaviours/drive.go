package behaviours

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
)

// hangs is when a run counts as hanging.
const hangs = 60 * time.Second

// Run makes the runs of all behaviours in a place, each a subtest, and compares the table at path with what came
// of them.
func Run(t *testing.T, place Place, path string) {
	if testing.Short() {
		t.Skip("it starts processes; go test without -short does")
	}
	t.Setenv(SecretEnv, Secret)
	chosen, part := All, os.Getenv("BEHAVIOURS")
	if part != "" {
		wanted := regexp.MustCompile(part)
		chosen = slices.DeleteFunc(slices.Clone(All), func(b *Behaviour) bool { return !wanted.MatchString(b.Name) })
	}
	d := newDrive(t, place, chosen)
	found := d.run(t.Context())
	failed := false
	for _, b := range chosen {
		t.Run(b.Topic+"/"+b.Name, func(t *testing.T) {
			if why := d.why(b); why != "" {
				t.Skip(why)
			}
			if err := found[b]; err != nil {
				failed = true
				t.Errorf("%s\n%v", b.Says, err)
			}
		})
	}
	if !failed && part == "" {
		compareTable(t, path, d)
	}
}

// drive makes the runs of a place.
type drive struct {
	place Place
	all   []*Behaviour
	dir   string
	up    *upstream

	mu        sync.Mutex // guards what follows
	processes []Process
	broken    error // why a process could not begin
	arrived   map[int]map[*Behaviour]bool
	round     chan struct{}  // closed, and made again, when a process begins
	loud      sync.WaitGroup // of runs whose time does not matter, until they leave the first process
}

func newDrive(t *testing.T, place Place, all []*Behaviour) *drive {
	d := &drive{place: place, all: all, dir: t.TempDir(), up: newUpstream(), arrived: map[int]map[*Behaviour]bool{}, round: make(chan struct{})}
	t.Cleanup(func() {
		d.up.CloseClientConnections()
		d.up.Close()
		for _, p := range d.processes {
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func (d *drive) why(b *Behaviour) string { return d.place.Why(b) }

// run makes the runs, and returns what is wrong with each.
func (d *drive) run(ctx context.Context) map[*Behaviour]error {
	found := map[*Behaviour]error{}
	var mu sync.Mutex
	var all sync.WaitGroup
	possible := slices.DeleteFunc(slices.Clone(d.all), func(b *Behaviour) bool { return d.why(b) != "" })
	d.all = possible
	if err := d.begin(ctx, 0); err != nil {
		for _, b := range possible {
			found[b] = err
		}
		return found
	}
	for _, b := range possible {
		if !b.isTimed() {
			d.loud.Add(1)
		}
	}
	for _, b := range possible {
		all.Go(func() {
			if b.isTimed() {
				d.loud.Wait()
			}
			r := &run{drive: d, b: b, id: b.Name}
			err := r.whole(ctx)
			d.leave(ctx, b, r.round)
			mu.Lock()
			defer mu.Unlock()
			found[b] = err
		})
	}
	all.Wait()
	return found
}

// begin starts the process of a round. mu is held, but for the first one.
func (d *drive) begin(ctx context.Context, round int) error {
	dir := filepath.Join(d.dir, strconv.Itoa(round))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	events := map[string]string{}
	for _, b := range d.all {
		if err := os.WriteFile(filepath.Join(dir, b.Name+".yaml"), []byte(b.file(d.up.URL, round > 0)), 0o600); err != nil {
			return err
		}
		if at := b.frozen(round); at != "" {
			events[b.Name] = at
		}
	}
	src, err := json.Marshal(events)
	if err != nil {
		return err
	}
	freeze := filepath.Join(d.dir, fmt.Sprintf("freeze%d.json", round))
	if err := os.WriteFile(freeze, src, 0o600); err != nil {
		return err
	}
	p, err := d.place.Begin(ctx, Setup{Dir: dir, Freeze: freeze})
	if err != nil {
		return err
	}
	d.processes = append(d.processes, p)
	return nil
}

// frozen returns the event at which the run stops in a round; empty for none.
func (b *Behaviour) frozen(round int) string {
	for _, s := range b.Steps {
		switch {
		case s.do != doCrash:
		case round > 0:
			round--
		case isEvent(s.at):
			return s.at
		default:
			return ""
		}
	}
	return ""
}

func isEvent(at string) bool {
	for _, kind := range []execution.EventKind{
		execution.RunStarted, execution.CallStarted, execution.AttemptFailed, execution.PartsStarted,
		execution.QuestionAsked, execution.Answered, execution.StepFinished, execution.RunFinished,
	} {
		if strings.HasPrefix(at, string(kind)) {
			return true
		}
	}
	return false
}

// leave says that a behaviour needs the processes from a round on no more.
func (d *drive) leave(ctx context.Context, b *Behaviour, round int) {
	most := 1
	for _, b := range d.all {
		most = max(most, b.crashes())
	}
	for ; round < most; round++ {
		d.arrive(ctx, b, round)
	}
}

// arrive says that a behaviour needs the process of a round no more. The last one kills it, and begins the next.
func (d *drive) arrive(ctx context.Context, b *Behaviour, round int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrived[round] == nil {
		d.arrived[round] = map[*Behaviour]bool{}
	}
	if round == 0 && !b.isTimed() && !d.arrived[0][b] {
		d.loud.Done()
	}
	d.arrived[round][b] = true
	if len(d.arrived[round]) < len(d.all) || len(d.processes) != round+1 {
		return
	}
	err := d.processes[round].Kill()
	if err == nil {
		err = d.begin(ctx, round+1)
	}
	d.broken = cmp.Or(d.broken, err)
	close(d.round)
	d.round = make(chan struct{})
}

// process waits for the process of a round.
func (d *drive) process(ctx context.Context, round int) (Process, error) {
	for {
		d.mu.Lock()
		if d.broken != nil || len(d.processes) > round {
			defer d.mu.Unlock()
			if d.broken != nil {
				return nil, d.broken
			}
			return d.processes[round], nil
		}
		next := d.round
		d.mu.Unlock()
		select {
		case <-next:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
