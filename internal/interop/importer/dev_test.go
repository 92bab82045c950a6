package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/authoring/habit"
)

func TestDev(t *testing.T) {
	dir := os.Getenv("TRACES")
	if dir == "" {
		t.Skip()
	}
	src, _ := os.ReadFile(filepath.Join(dir, "truth.json"))
	var truth map[string]struct {
		File        string
		Times       int
		Occurrences []struct{ Calls []int }
		Chain       []string
		Steps       int
		Todo        []string
	}
	if err := json.Unmarshal(src, &truth); err != nil {
		t.Fatal(err)
	}
	var names []string
	for n := range truth {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if one := os.Getenv("ONE"); one != "" && one != n {
			continue
		}
		c := truth[n]
		src, _ := os.ReadFile(filepath.Join(dir, c.File))
		tr, err := readTrace(c.File, src)
		if err != nil {
			t.Error(err)
			continue
		}
		var jobs []habit.Job
		for _, o := range c.Occurrences {
			j := habit.Job{}
			for _, at := range o.Calls {
				k := tr.calls[at-1]
				j.Calls = append(j.Calls, &habit.Call{Server: k.server, Tool: k.tool, Args: k.args, Result: k.result, Failed: k.failed, Asked: k.asked, Answered: k.answered})
			}
			jobs = append(jobs, j)
		}
		var f habit.Finder
		f.Least = 2
		for i, k := range tr.calls {
			f.Add("", habit.Act{Name: k.server + "." + k.tool, Tools: []string{k.server + "." + k.tool}, Args: k.args, Result: k.result, Failed: k.failed, Ref: habit.Ref{At: i + 1}})
		}
		for _, h := range f.Find() {
			fmt.Println("   found", n, c.Times, h.Chain)
			for _, o := range h.Occurrences {
				fmt.Print("      ")
				for _, r := range o {
					fmt.Print(r.At, " ")
				}
				fmt.Println()
			}
		}
		whole := habit.Job{}
		for _, k := range tr.calls {
			whole.Calls = append(whole.Calls, &habit.Call{Server: k.server, Tool: k.tool, Args: k.args, Result: k.result, Failed: k.failed, Asked: k.asked, Answered: k.answered})
		}
		if d, err := habit.New(context.Background(), []habit.Job{whole}); err != nil {
			fmt.Println("   whole", err)
		} else {
			fmt.Println("   whole", d.Reproduced(), d.Chain, d.Parts)
		}
		fmt.Println("   truth", c.Occurrences)
		d, err := habit.New(context.Background(), jobs)
		if err != nil {
			t.Error(n, err)
			continue
		}
		out, err := config.Format("x", d.Tool("job", ""), d.Notes)
		fmt.Println("=====", n, c.Chain, "→", d.Chain, d.Reproduced(), "of", len(jobs), len(d.Steps.Items), "steps; todos", len(d.Todos), c.Todo, d.Parts, err)
		if os.Getenv("SHOW") != "" {
			fmt.Println(string(out))
		}
	}
}
