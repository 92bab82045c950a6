package completion

import "sync"

// operator describes an operator of rules: its operands in YAML, as they are written behind it, what it
// yields, and an example with its value over {"n": 3, "list": [1, 2], "text": "graph"}. $1, $2 … are the
// places that a snippet stops at.
type operator struct{ operands, doc, rule, value string }

const twoOperands = "[{var: ${1:path}}, ${2:value}]"

// operators has every operator of JSON Logic; a test compares it with the engine's and evaluates the rules.
var operators = sync.OnceValue(func() map[string]operator {
	return map[string]operator{
		"var":          {"${1:path}", "The value at a path of the context: a JSONata expression, so that $.node.field, functions and $vars work. [path, default] gives a default for a missing value.", `{"var": "n"}`, `3`},
		"missing":      {"[${1:path}]", "Those of the given paths that have no value, as a list.", `{"missing": ["n", "m"]}`, `["m"]`},
		"missing_some": {"[${1:1}, [${2:path}]]", "The missing ones of the paths when fewer than the number are there; else an empty list.", `{"missing_some": [1, ["n", "m"]]}`, `[]`},

		"==":  {twoOperands, "Whether two values are equal, after conversion: 1 equals \"1\".", `{"==": [{"var": "n"}, "3"]}`, `true`},
		"===": {twoOperands, "Whether two values have the same type and are equal.", `{"===": [{"var": "n"}, "3"]}`, `false`},
		"!=":  {twoOperands, "Whether two values differ, after conversion.", `{"!=": [{"var": "n"}, 4]}`, `true`},
		"!==": {twoOperands, "Whether two values differ in type or value.", `{"!==": [{"var": "n"}, "3"]}`, `true`},
		">":   {twoOperands, "Whether the first value is greater than the second.", `{">": [{"var": "n"}, 2]}`, `true`},
		">=":  {twoOperands, "Whether the first value is greater than the second, or equal.", `{">=": [{"var": "n"}, 3]}`, `true`},
		"<":   {twoOperands, "Whether the first value is less than the second. With three operands: whether the second is between the others.", `{"<": [1, {"var": "n"}, 5]}`, `true`},
		"<=":  {twoOperands, "Whether the first value is less than the second, or equal. With three operands: whether the second is between the others, or equal to one.", `{"<=": [{"var": "n"}, 3]}`, `true`},

		"!":   {"{var: ${1:path}}", "Whether the value is false: an empty string or list, 0, null and a missing value are.", `{"!": [{"var": "m"}]}`, `true`},
		"!!":  {"{var: ${1:path}}", "Whether the value is true.", `{"!!": [{"var": "list"}]}`, `true`},
		"and": {"[${1:rule}, ${2:rule}]", "The first operand that is false, else the last one.", `{"and": [{">": [{"var": "n"}, 2]}, {"<": [{"var": "n"}, 9]}]}`, `true`},
		"or":  {"[${1:rule}, ${2:rule}]", "The first operand that is true, else the last one.", `{"or": [{"var": "m"}, {"var": "n"}]}`, `3`},
		"if":  {"[${1:condition}, ${2:value}, ${3:otherwise}]", "The value behind the first condition that is true, else the last operand.", `{"if": [{">": [{"var": "n"}, 2]}, "many", "few"]}`, `"many"`},
		"?:":  {"[${1:condition}, ${2:value}, ${3:otherwise}]", "The same as if.", `{"?:": [false, "many", "few"]}`, `"few"`},

		"in":     {"[${1:value}, {var: ${2:path}}]", "Whether a list has the value, or a string has it in it.", `{"in": ["rap", {"var": "text"}]}`, `true`},
		"cat":    {twoOperands, "All operands as one string.", `{"cat": [{"var": "text"}, ".yaml"]}`, `"graph.yaml"`},
		"substr": {"[{var: ${1:path}}, ${2:start}]", "A part of a string from a position on; a negative one counts from the end. A third operand is the length.", `{"substr": [{"var": "text"}, 0, 2]}`, `"gr"`},

		"+":   {twoOperands, "The sum of the operands; with one operand, the number that it is.", `{"+": [{"var": "n"}, 1]}`, `4`},
		"-":   {twoOperands, "The first operand without the second; with one operand, its negative.", `{"-": [{"var": "n"}, 1]}`, `2`},
		"*":   {twoOperands, "The product of the operands.", `{"*": [{"var": "n"}, 2]}`, `6`},
		"/":   {twoOperands, "The first operand divided by the second.", `{"/": [{"var": "n"}, 2]}`, `1.5`},
		"%":   {twoOperands, "What a division of the first operand by the second leaves.", `{"%": [{"var": "n"}, 2]}`, `1`},
		"min": {twoOperands, "The smallest operand.", `{"min": [{"var": "n"}, 2]}`, `2`},
		"max": {twoOperands, "The largest operand.", `{"max": [{"var": "n"}, 2]}`, `3`},

		"map":    {"[{var: ${1:list}}, ${2:rule}]", "The value of the rule for each item. A var in it is read from the item; $ctx is the context.", `{"map": [{"var": "list"}, {"*": [{"var": ""}, 2]}]}`, `[2,4]`},
		"filter": {"[{var: ${1:list}}, ${2:rule}]", "The items for which the rule holds. A var in it is read from the item; $ctx is the context.", `{"filter": [{"var": "list"}, {">": [{"var": ""}, 1]}]}`, `[2]`},
		"reduce": {"[{var: ${1:list}}, ${2:rule}, ${3:0}]", "All items joined to one value: in the rule, current is the item and accumulator what was joined before; the third operand is the start.", `{"reduce": [{"var": "list"}, {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0]}`, `3`},
		"all":    {"[{var: ${1:list}}, ${2:rule}]", "Whether the rule holds for all items. A var in it is read from the item. It never holds for an empty list.", `{"all": [{"var": "list"}, {">": [{"var": ""}, 0]}]}`, `true`},
		"some":   {"[{var: ${1:list}}, ${2:rule}]", "Whether the rule holds for an item. A var in it is read from the item.", `{"some": [{"var": "list"}, {">": [{"var": ""}, 1]}]}`, `true`},
		"none":   {"[{var: ${1:list}}, ${2:rule}]", "Whether the rule holds for no item. A var in it is read from the item.", `{"none": [{"var": "list"}, {">": [{"var": ""}, 5]}]}`, `true`},
		"merge":  {twoOperands, "The items of all operands as one list.", `{"merge": [{"var": "list"}, [3]]}`, `[1,2,3]`},

		"log": {"{var: ${1:path}}", "The operand itself, which is also written to the log of the run.", `{"log": "seen"}`, `"seen"`},
	}
})

// docOfOperator describes an operator: what it yields, and an example.
func docOfOperator(name string) string {
	o, known := operators()[name]
	if !known {
		return ""
	}
	return o.doc + "\n\nExample: " + o.rule + " is " + o.value + ` over {"n": 3, "list": [1, 2], "text": "graph"}`
}
