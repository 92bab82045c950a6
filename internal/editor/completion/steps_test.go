package completion

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const stepsFile = `version: "1.0"
server: {name: test, version: 1.0.0}
vars: {region: eu}
mcpServers:
  files: {command: files}
tools:
  - name: digest
    description: d
    inputSchema:
      type: object
      properties: {directory: {type: string}, deep: {type: boolean}}
      required: [directory]
    steps:
      - id: list
        call: files.find_files
        args: {path: {expr: args.directory}}
      - {id: big, expr: 'list.entries[size > 10]'}
      - id: rows
        each: list.entries
        as: file
        steps:
          - {id: text, call: files.read_file, args: {path: {expr: $file.name}}}
          - {id: size, expr: '$file.size + list.total'}
        return: '{"size": size, "text": text}'
        onError: {value: {expr: $failure.message}}
      - id: wait
        call: files.find_files
        args: {path: {expr: '"a" & $n'}}
        after: [list]
        repeat: {until: $result.total > 3}
    return: '{"rows": rows, "wait": wait.total, "big": $count(big)}'
  - name: other
    description: e
    steps:
      - {id: one, call: digest, args: {directory: /tmp}}
`

// What can be written in steps; the text is the file with one piece replaced.
func TestCandidatesOfSteps(t *testing.T) {
	known := knownOf(t, stepsFile)
	for name, c := range map[string]struct{ old, new, want, not string }{
		"a step and the arguments":      {"expr: 'list.entries[size > 10]'", "expr: ‸", "list args $count", "rows wait big text $item entry $return"},
		"a field of a value":            {"list.entries[size > 10]", "list.‸", "entries total", "name list"},
		"a field of the arguments":      {"args.directory", "args.‸", "directory deep", "list"},
		"a field in a filter":           {"list.entries[size > 10]", "list.entries[‸", "name size $$.list $$.args", "total"},
		"the list of an each":           {"each: list.entries", "each: ‸", "list big args", "rows $file"},
		"a step of a block":             {"'$file.size + list.total'", "'‸'", "text list big args $file $index", "rows size wait"},
		"the item of a block":           {"'$file.size + list.total'", "$file.‸", "name size kind", "list"},
		"the item by its name":          {"{expr: $file.name}", "{expr: $‸}", "$file $index", "$item $failure"},
		"the value of a block":          {`'{"size": size, "text": text}'`, `'{"size": ‸'`, "size text list $file", "rows wait"},
		"the failure of a block":        {"$failure.message", "$‸", "$failure $file", "$result"},
		"the result of a turn":          {"$result.total > 3", "$result.‸", "entries total", "list"},
		"variables of a turn":           {`'"a" & $n'`, "$‸", "$n $previous", "$result $file"},
		"the value before":              {`'"a" & $n'`, "$previous.‸", "entries total", "list"},
		"the value of a step with each": {`"big": $count(big)`, `"big": rows.‸`, "size text", "name"},
		"the value of the tool":         {`"big": $count(big)`, `"big": ‸`, "list big rows wait args", "text $file"},
		"what a step calls":             {"call: files.read_file", "call: ‸", "files.find_files files.read_file digest other", "files.*"},
		"what a step waits for":         {"after: [list]", "after: [‸]", "list big rows", "wait text args"},
		"an argument":                   {"args: {path: {expr: $file.name}}", "args: {‸}", "path", "order"},
		"an argument of a tool":         {"args: {directory: /tmp}", "args: {‸}", "directory deep", ""},
		"a key of a call":               {"        call: files.find_files\n        args: {path: {expr: args", "        call: files.find_files\n        ‸\n        args: {path: {expr: args", "if each retry onError effect", "next nodes type"},
		"a new step":                    {"      - id: wait\n", "      - {id: new, expr: ‸}\n      - id: wait\n", "list big rows args", "wait"},
		"a constant":                    {`"big": $count(big)`, `"big": $vars.‸`, "region", "list"},
	} {
		t.Run(name, func(t *testing.T) { offers(t, known, stepsFile, c.old, c.new, c.want, c.not) })
	}
}

// Each step has its type, those of blocks by their paths.
func TestOutputsOfSteps(t *testing.T) {
	types := knownOf(t, stepsFile).Outputs(t.Context(), "digest")
	want := []string{"big", "list", "rows", "rows.size", "wait"}
	if got := slices.Sorted(maps.Keys(types)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := types["rows.size"]; got != "number" && got != "integer" {
		t.Errorf("rows.size is %s", got)
	}
}

// A step is described where it is defined and where it is read.
func TestDescribeSteps(t *testing.T) {
	known := knownOf(t, stepsFile)
	for piece, want := range map[string][]string{
		"id: li‸st\n":               {"list|value: {total: integer, ", "step: mcp files.find_files", "tool: Finds files.", "reads: args.directory", "read by: big, rows, wait"},
		"each: li‸st.entries":       {"list|", "step: mcp files.find_files", "entries: array of object"},
		`"size": si‸ze`:             {"size|", "step: transform", "list.total"},
		"call: files.find_fi‸les\n": {"find_files"},
	} {
		_, got := described(t, known, stepsFile, piece)
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", piece, line, got)
			}
		}
	}
}
