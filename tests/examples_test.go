package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/authoring/convert"
	"toolgraph/tests/examplefile"
	"toolgraph/tests/testbin"
)

// Every example gives what its expectations say, as a user would run it. Those on
// servers from npm run where TOOLGRAPH_CLIENTS is set, for they download them.
func TestExamples(t *testing.T) {
	cases, err := examplefile.Load(filepath.Join("..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(c.Graph), ".yaml")+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			prepare(t, &c)
			runExample(t, c)
		})
	}
}

// prepare skips a case that cannot run here and fills in its directories.
func prepare(t *testing.T, c *examplefile.Case) {
	t.Helper()
	for _, program := range c.Needs {
		if os.Getenv("TOOLGRAPH_CLIENTS") == "" {
			t.Skipf("needs %s and downloads; set TOOLGRAPH_CLIENTS=1", program)
		}
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s: %v", program, err)
		}
	}
	values := map[string]string{"temp": t.TempDir()}
	if slices.Contains(c.Needs, "git") {
		values["repository"] = t.TempDir()
		if err := examplefile.Repository(t.Context(), values["repository"]); err != nil {
			t.Fatal(err)
		}
	}
	c.Fill(values)
}

func runExample(t *testing.T, c examplefile.Case) {
	t.Helper()
	args, err := json.Marshal(c.Args)
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"),
		"run", filepath.Base(c.Graph), c.Tool, "--args", string(args), "--trace")
	cmd.Dir = filepath.Dir(c.Graph)
	cmd.Env = os.Environ()
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	failed := errors.As(err, &exit)
	if err != nil && !failed {
		t.Fatal(err)
	}
	text := out.String()
	if failed {
		text = stderr.String()
	}
	if err := c.Expect.Match(text, failed); err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	if c.Expect.Path != nil && !slices.Equal(tracePath(stderr.String()), c.Expect.Path) {
		t.Errorf("the path is %v, want %v", tracePath(stderr.String()), c.Expect.Path)
	}
}

// tracePath are the nodes of a trace table, without parts and nodes of called tools.
func tracePath(table string) []string {
	var path []string
	for line := range strings.Lines(table) {
		if columns := strings.Fields(line); len(columns) > 2 && columns[0] >= "0" && columns[0] <= "999" && !strings.ContainsAny(columns[0], "./") {
			path = append(path, columns[1])
		}
	}
	return path
}

// The examples whose tools are a chain of nodes pass their tests as steps, too.
func TestExamplesConverted(t *testing.T) {
	t.Parallel()
	toolgraph := testbin.Build(t, "toolgraph")
	files, err := filepath.Glob("../examples/*.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	converted := 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".test.yaml")
		src, err := os.ReadFile("../examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		file, err := config.Parse(name+".yaml", src, config.Options{AssumeEnv: true})
		if err != nil {
			t.Fatal(err)
		}
		text := src
		for _, tool := range file.Tools {
			if tool.StepsAt.IsValid() {
				continue
			}
			steps, _, err := convert.ToSteps(t.Context(), name+".yaml", text, tool.Name.Value, config.Options{AssumeEnv: true})
			if err == nil {
				text, converted = steps, converted+1
			} else if !strings.Contains(err.Error(), "[cannot-convert]") {
				t.Error(err)
			}
		}
		if bytes.Equal(text, src) {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{config.TestEnding, config.CassetteEnding} {
			if beside, err := os.ReadFile("../examples/" + name + ending); err == nil {
				beside = regexp.MustCompile(`(?m)^ *path: \[.*\]\n`).ReplaceAll(beside, nil) // steps have none
				if err := os.WriteFile(filepath.Join(dir, name+ending), beside, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if out, err := programCommand(t, toolgraph, "test", filepath.Join(dir, name+config.TestEnding)).CombinedOutput(); err != nil {
			t.Errorf("%s as steps: %v\n%s\n%s", name, err, out, text)
		}
	}
	if converted < 3 {
		t.Errorf("%d tools were converted", converted)
	}
}
