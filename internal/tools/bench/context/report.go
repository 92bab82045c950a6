package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// measured are the tokens of a job: what a model writes and what it reads, for each way to do it.
type measured struct {
	name                         string
	calls                        int
	naive, pipeline, plan, graph cost
	starlark                     int // written; it reads what a plan's result has
}

type cost struct{ writes, reads int }

// report measures everything, and prints tables.
func (b *bench) report() error {
	plans, err := b.graphFile("plans.yaml", "plan: {calls: [\"*\"], confirm: []}\npipeline: {calls: [\"fs.*\", \"git.*\", \"memory.*\"], maxSteps: 100}")
	if err != nil {
		return err
	}
	if err := b.atStart(); err != nil {
		return err
	}
	all, err := b.jobs()
	if err != nil {
		return err
	}
	fmt.Println("\n| job | calls | each call | pipeline | plan | the same in Starlark, written | tool made of the plan | plan ÷ Starlark, written |\n|---|---|---|---|---|---|---|---|")
	plan, starlark := 0, 0
	for _, j := range all {
		m, err := b.measure(plans, j)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		fmt.Printf("| %s | %d | %d + %d | %d + %d | %d + %d | %d | %d + %d | %.2f |\n", m.name, m.calls,
			m.naive.writes, m.naive.reads, m.pipeline.writes, m.pipeline.reads, m.plan.writes, m.plan.reads, m.starlark, m.graph.writes, m.graph.reads, float64(m.plan.writes)/float64(m.starlark))
		plan, starlark = plan+m.plan.writes, starlark+m.starlark
	}
	fmt.Printf("\nAll plans take %.2f of the tokens of the Starlark programs.\n", float64(plan)/float64(starlark))
	fmt.Println("\nTokens that a model writes + reads, by o200k_base; definitions of tools are not counted here.")
	return nil
}

// atStart prints what a host puts into the context at the start.
func (b *bench) atStart() error {
	fmt.Println("| at the start | tools | tokens of their definitions |\n|---|---|---|")
	for _, way := range [][2]string{{"each tool of the three servers", `expose: ["fs.*", "git.*", "memory.*"]`}, {"search_tools and run_plan", `plan: {calls: ["*"]}`}} {
		path, err := b.graphFile("start.yaml", way[1])
		if err != nil {
			return err
		}
		s, err := start(b.ctx, b.toolgraph, "serve", "-g", path, "--no-history")
		if err != nil {
			return err
		}
		tools, err := s.tools()
		s.end()
		if err != nil {
			return err
		}
		total, err := b.sum(tools...)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d |\n", way[0], len(tools), total)
	}
	return nil
}

// measure does a job with a plan; its recorded calls are what a client would make one by one.
func (b *bench) measure(file string, j job) (*measured, error) {
	state := filepath.Join(b.dir, "state-"+j.name)
	s, err := start(b.ctx, b.toolgraph, "serve", "-g", file, "--state", state)
	if err != nil {
		return nil, err
	}
	var plan json.RawMessage
	if err := json.Unmarshal([]byte(j.plan), &plan); err != nil {
		return nil, err
	}
	result, err := s.call("run_plan", plan)
	s.end()
	if err != nil {
		return nil, err
	}
	calls, err := b.recorded(j, state)
	if err != nil {
		return nil, err
	}
	m := &measured{name: j.name, calls: len(calls)}
	var writes, reads []string
	for _, c := range calls {
		request, err := json.Marshal(map[string]any{"name": c.Server + "__" + c.Tool, "arguments": c.Args})
		if err != nil {
			return nil, err
		}
		writes, reads = append(writes, string(request)), append(reads, string(c.Result))
	}
	for _, part := range []struct {
		into  *int
		texts []string
	}{
		{&m.naive.writes, writes},
		{&m.naive.reads, reads},
		{&m.plan.writes, []string{string(compact(plan))}},
		{&m.plan.reads, []string{result}},
		{&m.starlark, []string{string(must(json.Marshal(map[string]string{"code": j.starlark})))}},
		{&m.graph.writes, []string{`{"name":"` + j.name + `","arguments":{}}`}},
		{&m.graph.reads, []string{result}},
	} {
		if *part.into, err = b.sum(part.texts...); err != nil {
			return nil, err
		}
	}
	m.pipeline, err = b.pipeline(calls)
	return m, err
}

// pipeline is what two requests to the pipeline take: what is known at first, and then all other calls.
func (b *bench) pipeline(calls []call) (c cost, err error) {
	var first, second []map[string]any
	for i, one := range calls {
		step := map[string]any{"tool": one.Server + "." + one.Tool, "args": one.Args}
		if i == 0 {
			first = append(first, step)
		} else {
			second = append(second, step)
		}
	}
	var writes, reads []string
	for _, steps := range [][]map[string]any{first, second} {
		writes = append(writes, string(must(json.Marshal(map[string]any{"steps": steps}))))
	}
	for i, one := range calls { // its result has each value twice: in its step, and by name
		id := fmt.Sprintf("step_%d", i)
		reads = append(reads, fmt.Sprintf(`{"id":%q,"tool":%q,"status":"success","result":%s,"duration_ms":2}`, id, one.Server+"."+one.Tool, one.Result), fmt.Sprintf("%q:%s", id, one.Result))
	}
	if c.writes, err = b.sum(writes...); err == nil {
		c.reads, err = b.sum(reads...)
	}
	return c, err
}

// call is a recorded call.
type call struct {
	Server, Tool string
	Args, Result json.RawMessage
}

// recorded returns the calls of the plan that was run last: those of the test of a tool that is made of it.
func (b *bench) recorded(j job, state string) ([]call, error) {
	out := filepath.Join(b.dir, j.name+".yaml")
	servers := filepath.Join(b.dir, "servers.json")
	if err := os.WriteFile(servers, []byte(`{"mcpServers":{"fs":{"command":"node"},"git":{"command":"node"},"memory":{"command":"node"}}}`), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, b.toolgraph, "import", "run", "last", "--as", j.name, "-m", servers, "-o", out, "--test", "--state", state)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("import run: %w: %s", err, said)
	}
	src, err := os.ReadFile(strings.TrimSuffix(out, ".yaml") + ".cassette.json")
	if err != nil {
		return nil, err
	}
	var cassette struct{ Runs []struct{ Calls []call } }
	if err := json.Unmarshal(src, &cassette); err != nil {
		return nil, err
	}
	return cassette.Runs[0].Calls, nil
}

// compact returns JSON as a model writes it: without white space, and as it is otherwise.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func must(src []byte, err error) []byte {
	if err != nil {
		panic(err) // of maps of texts and of JSON that was read
	}
	return src
}
