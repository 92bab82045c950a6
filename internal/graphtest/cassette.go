package graphtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"toolgraph/expressions/value"
)

// Cassette is calls that were recorded once, by the run that made them.
type Cassette struct {
	Runs []RecordedRun
}

// RecordedRun is one run of a case.
type RecordedRun struct {
	Test  string // the name of the case; "" is for every case
	Tool  string
	Calls []Recorded // in the order in which they were made
	Steps []RecordedStep
}

// Recorded is one call and what came of it.
type Recorded struct {
	Node, Server, Tool string
	Args               value.Value
	Result             value.Value // nil when it is nothing, or Failed
	Failed             bool
	Error              string          // the failure's text
	Code               string          // the failure's code, such as tool-error
	Structured         json.RawMessage // the structuredContent that a failed tool answered with; nil: none
}

// RecordedStep is one execution of a node.
type RecordedStep struct {
	Node    string
	Output  value.Value // of transforms, when it is not large; else nil
	Nothing bool        // of transforms: the node yielded nothing
}

func (r *Recorded) err() error {
	if !r.Failed {
		return nil
	}
	return &toolError{code: r.Code, text: r.Error, structured: r.Structured}
}

// cassetteVersion is that of the form of cassettes.
const cassetteVersion = 1

// recordAgain is the remedy for a cassette that cannot be read. Nothing but its owner puts
// one away: recordings that cannot be made again here may be in it.
const recordAgain = "mend it, or remove it and run toolgraph test --record"

// maxCassette is the most that a cassette may have, in bytes.
const maxCassette = 256 << 20

// The form of a cassette in its file.
type (
	cassetteFile struct {
		Version int       `json:"version"`
		Runs    []runFile `json:"runs"`
	}
	runFile struct {
		Test  string     `json:"test,omitempty"`
		Tool  string     `json:"graphTool,omitempty"`
		Calls []callFile `json:"calls"`
		Steps []stepFile `json:"steps,omitempty"`
	}
	callFile struct {
		Node    string          `json:"node,omitempty"`
		Server  string          `json:"server"`
		Tool    string          `json:"tool"`
		Args    json.RawMessage `json:"args"`
		Result  json.RawMessage `json:"result,omitempty"`
		Nothing bool            `json:"nothing,omitempty"`
		Error   *errorFile      `json:"error,omitempty"`
	}
	errorFile struct {
		Code       string          `json:"code,omitempty"`
		Message    string          `json:"message"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
	}
	stepFile struct {
		Node    string          `json:"node"`
		Output  json.RawMessage `json:"output,omitempty"`
		Nothing bool            `json:"nothing,omitempty"`
	}
)

// LoadCassette is the calls of a cassette, those of its first run first. The error
// says where the file is broken, or is that of opening it.
func LoadCassette(path string) ([]Recorded, error) {
	c, err := readCassette(path)
	if err != nil {
		return nil, err
	}
	var all []Recorded
	for _, run := range c.Runs {
		all = append(all, run.Calls...)
	}
	return all, nil
}

func readCassette(path string) (*Cassette, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxCassette+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxCassette {
		return nil, fmt.Errorf("%s: the cassette is larger than 256 MiB; split the tests into several files", path)
	}
	return parseCassette(path, src)
}

func parseCassette(path string, src []byte) (*Cassette, error) {
	var file cassetteFile
	if err := json.Unmarshal(src, &file); err != nil {
		return nil, fmt.Errorf("%s is no cassette: %w; "+recordAgain, brokenAt(path, src, err), err)
	}
	if file.Version != cassetteVersion {
		return nil, fmt.Errorf("%s: the cassette has version %d, expected %d; "+recordAgain, path, file.Version, cassetteVersion)
	}
	c := &Cassette{}
	for i, run := range file.Runs {
		r := RecordedRun{Test: run.Test, Tool: run.Tool}
		for j, call := range run.Calls {
			recorded, err := call.recorded()
			if err != nil {
				return nil, fmt.Errorf("%s: call %d of run %d: %w; "+recordAgain, path, j+1, i+1, err)
			}
			r.Calls = append(r.Calls, recorded)
		}
		for _, step := range run.Steps {
			output, err := decoded(step.Output)
			if err != nil {
				return nil, fmt.Errorf("%s: the steps of run %d: %w", path, i+1, err)
			}
			r.Steps = append(r.Steps, RecordedStep{Node: step.Node, Output: output, Nothing: step.Nothing})
		}
		c.Runs = append(c.Runs, r)
	}
	return c, nil
}

// brokenAt is where a JSON text is broken, as far as that is known.
func brokenAt(path string, src []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return path
	}
	before := src[:min(max(offset-1, 0), int64(len(src)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}

func (c callFile) recorded() (Recorded, error) {
	r := Recorded{Node: c.Node, Server: c.Server, Tool: c.Tool}
	if c.Server == "" || c.Tool == "" {
		return r, errors.New("it names no server and tool")
	}
	given := 0
	for _, is := range []bool{c.Result != nil, c.Nothing, c.Error != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return r, errors.New("it has not one of result, nothing and error")
	}
	var err error
	if r.Args, err = decoded(c.Args); err != nil {
		return r, err
	}
	if c.Error != nil {
		r.Failed, r.Code, r.Error = true, c.Error.Code, c.Error.Message
		v, err := decoded(c.Error.Structured)
		if v != nil {
			r.Structured = json.RawMessage(exactText(v)) // without the file's spaces
		}
		return r, err
	}
	r.Result, err = decoded(c.Result)
	return r, err
}

// decoded is a value, nil when nothing stands there.
func decoded(src json.RawMessage) (value.Value, error) {
	if src == nil {
		return nil, nil
	}
	return value.Decode(src)
}

// encode is the cassette as it stands in its file: the same bytes for the same calls.
func (c *Cassette) encode() ([]byte, error) {
	file := cassetteFile{Version: cassetteVersion, Runs: make([]runFile, len(c.Runs))}
	for i, run := range c.Runs {
		out := runFile{Test: run.Test, Tool: run.Tool, Calls: make([]callFile, len(run.Calls))}
		for j, call := range run.Calls {
			raw, err := call.file()
			if err != nil {
				return nil, err
			}
			out.Calls[j] = raw
		}
		for _, step := range run.Steps {
			s := stepFile{Node: step.Node, Nothing: step.Nothing}
			if step.Output != nil {
				raw, err := value.Encode(step.Output)
				if err != nil {
					return nil, err
				}
				s.Output = raw
			}
			out.Steps = append(out.Steps, s)
		}
		file.Runs[i] = out
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(file)
	return b.Bytes(), err
}

func (r *Recorded) file() (callFile, error) {
	out := callFile{Node: r.Node, Server: r.Server, Tool: r.Tool}
	var err error
	if out.Args, err = value.Encode(r.Args); err != nil {
		return out, err
	}
	if r.Failed {
		out.Error = &errorFile{Code: r.Code, Message: r.Error, Structured: r.Structured}
		return out, nil
	}
	if r.Result == nil {
		out.Nothing = true
		return out, nil
	}
	out.Result, err = value.Encode(r.Result)
	return out, err
}
