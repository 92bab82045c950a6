package completion

import (
	"strings"
	"sync"

	"toolgraph/expressions/jsonata"
)

// function describes a function of JSONata: the names of its parameters, what it returns, and a call
// with its value. A call without a value depends on the run, the time or chance.
type function struct{ params, doc, call, value string }

// functions has every function that an expression can call; a test compares it with the library and
// evaluates the calls.
var functions = sync.OnceValue(func() map[string]function {
	return map[string]function{
		// The history of the run.
		"previousNode":   {"n", "Returns the output of the node execution before this one, or of the n-th before it. Nothing when there is none.", `$previousNode().text`, ""},
		"executionCount": {"id", "Returns how often a node has finished in this run.", `$executionCount("fetch") < 5`, ""},
		"nodeExecution":  {"id, i", "Returns one output of a node: 0 is the first, -1 the latest. Nothing when there is none.", `$nodeExecution("fetch", 0)`, ""},
		"nodeExecutions": {"id", "Returns all outputs of a node as an array, the oldest first.", `$sum($nodeExecutions("page").total)`, ""},

		// Strings.
		"string":          {"value, indent", "Converts a value to a string: a string stays as it is, other values become JSON. With true as indent, the JSON has lines and indentation.", `$string({"a": 1})`, `"{\"a\":1}"`},
		"length":          {"text", "Counts the characters of a string.", `$length("graph")`, `5`},
		"substring":       {"text, start, length", "Returns a part of a string from a position, counted from 0; a negative one counts from the end. Without length, the part reaches to the end.", `$substring("toolgraph", 4, 3)`, `"gra"`},
		"substringBefore": {"text, separator", "Returns the part before the first occurrence of the separator; the whole string when there is none.", `$substringBefore("a=b=c", "=")`, `"a"`},
		"substringAfter":  {"text, separator", "Returns the part behind the first occurrence of the separator; the whole string when there is none.", `$substringAfter("a=b=c", "=")`, `"b=c"`},
		"uppercase":       {"text", "Returns a string in upper case.", `$uppercase("eu")`, `"EU"`},
		"lowercase":       {"text", "Returns a string in lower case.", `$lowercase("EU")`, `"eu"`},
		"trim":            {"text", "Removes blanks at both ends of a string, and makes each run of blanks inside it one space.", `$trim("  a   b ")`, `"a b"`},
		"pad":             {"text, width, with", "Fills a string up to a width: behind it, or before it when the width is negative. The filling is spaces, or the text with.", `$pad("7", -3, "0")`, `"007"`},
		"contains":        {"text, pattern", "Reports whether a string has a text or a match of a regular expression in it.", `$contains("main.go", /\.go$/)`, `true`},
		"split":           {"text, separator, limit", "Splits a string at a text or a regular expression into an array of at most limit strings.", `$split("a, b, c", ", ")`, `["a","b","c"]`},
		"join":            {"texts, separator", "Joins an array of strings to one, with the separator between them.", `$join(["a", "b"], "/")`, `"a/b"`},
		"match":           {"text, pattern, limit", "Finds the matches of a regular expression: objects with match, index and groups.", `$match("v12", /v(\d+)/).groups`, `["12"]`},
		"replace":         {"text, pattern, by, limit", "Replaces each match of a text or a regular expression. by is a text, in which $1 is the first group, or a function of the match.", `$replace("a-b-c", "-", "/")`, `"a/b/c"`},

		// Encodings.
		"base64encode":       {"text", "Encodes a string, as UTF-8, in base64.", `$base64encode("graph")`, `"Z3JhcGg="`},
		"base64decode":       {"text", "Decodes base64 to a string of UTF-8.", `$base64decode("Z3JhcGg=")`, `"graph"`},
		"encodeUrl":          {"url", "Escapes what a URL cannot have, and leaves its punctuation as it is.", `$encodeUrl("https://a.example/b c?d=e")`, `"https://a.example/b%20c?d=e"`},
		"encodeUrlComponent": {"text", "Escapes a string as a part of a URL, such as a value of its query.", `$encodeUrlComponent("a b&c")`, `"a%20b%26c"`},
		"decodeUrl":          {"url", "Reverses $encodeUrl.", `$decodeUrl("https://a.example/b%20c")`, `"https://a.example/b c"`},
		"decodeUrlComponent": {"text", "Reverses $encodeUrlComponent.", `$decodeUrlComponent("a%20b%26c")`, `"a b&c"`},

		// Numbers.
		"number":        {"value", "Converts a string, a number or a boolean to a number. A text that is no number is an error.", `$number("12.5")`, `12.5`},
		"abs":           {"number", "Returns the absolute value of a number.", `$abs(-3)`, `3`},
		"floor":         {"number", "Rounds a number down to a whole one.", `$floor(2.7)`, `2`},
		"ceil":          {"number", "Rounds a number up to a whole one.", `$ceil(2.1)`, `3`},
		"round":         {"number, digits", "Rounds a number to so many digits behind the point; default 0, negative ones before it. Half goes to the even digit.", `$round(3.14159, 2)`, `3.14`},
		"sqrt":          {"number", "Returns the square root of a number. A negative one is an error.", `$sqrt(9)`, `3`},
		"power":         {"base, exponent", "Raises a number to a power.", `$power(2, 10)`, `1024`},
		"random":        {"", "Returns a random number from 0 up to, and without, 1.", `$random() < 0.5`, ""},
		"formatNumber":  {"number, picture, options", "Writes a number as a picture of digits says: 0 is a digit that is always there, # one that may be left out. options has other signs for the point and groups.", `$formatNumber(1234.5, "#,##0.00")`, `"1,234.50"`},
		"formatBase":    {"number, base", "Writes a whole number in a base from 2 to 36; default 10.", `$formatBase(255, 16)`, `"ff"`},
		"formatInteger": {"number, picture", "Writes a whole number as a picture says: 000 for digits, w for words, i or I for Roman numerals, a or A for letters.", `$formatInteger(7, "000")`, `"007"`},
		"parseInteger":  {"text, picture", "Reads a whole number that $formatInteger wrote with this picture.", `$parseInteger("1,200", "#,##0")`, `1200`},
		"sum":           {"numbers", "Adds the numbers of an array.", `$sum([1, 2, 3])`, `6`},
		"max":           {"numbers", "Returns the largest number of an array.", `$max([4, 9, 2])`, `9`},
		"min":           {"numbers", "Returns the smallest number of an array.", `$min([4, 9, 2])`, `2`},
		"average":       {"numbers", "Returns the mean of the numbers of an array.", `$average([1, 2, 6])`, `3`},

		// Types and conditions.
		"boolean": {"value", "Converts a value to true or false. Empty strings, arrays and objects, 0, null, and arrays without a true item are false.", `$boolean([0, ""])`, `false`},
		"not":     {"value", "Returns the opposite of $boolean.", `$not("")`, `true`},
		"exists":  {"value", "Reports whether a value is there. null is there; a field that its object does not have is not.", `$exists({"a": null}.a)`, `true`},
		"type":    {"value", "Returns the type of a value: string, number, boolean, array, object, null or function.", `$type([1])`, `"array"`},
		"error":   {"message", "Fails with a message. In a graph, the node fails with code raised, and onError can take it.", `$error("no items")`, ""},
		"assert":  {"condition, message", "Fails with the message when the condition is false.", `$assert($count([1]) = 1, "one item is expected")`, ""},

		// Arrays.
		"count":    {"array", "Counts the items of an array. A missing value counts 0, any other value 1.", `$count([7, 8])`, `2`},
		"append":   {"first, second", "Joins two arrays to one. A value that is no array counts as an array of one.", `$append([1, 2], 3)`, `[1,2,3]`},
		"sort":     {"array, swap", "Sorts an array of strings or of numbers in ascending order. For other items, swap(a, b) reports whether a goes behind b.", `$sort([3, 1, 2])`, `[1,2,3]`},
		"reverse":  {"array", "Returns an array in reverse order.", `$reverse([1, 2, 3])`, `[3,2,1]`},
		"shuffle":  {"array", "Returns an array in random order.", `$shuffle([1, 2, 3])`, ""},
		"distinct": {"array", "Removes repeated items from an array.", `$distinct(["a", "b", "a"])`, `["a","b"]`},
		"flatten":  {"array, depth", "Puts the items of nested arrays into one array; with depth, only so many levels deep.", `$flatten([1, [2, [3]]])`, `[1,2,3]`},
		"chunk":    {"array, n", "Splits an array into arrays of at most n items, in order: a forEach over them makes one call for each lot.", `$chunk([1, 2, 3], 2)`, `[[1,2],[3]]`},
		"zip":      {"arrays", "Puts the first items of all arrays into one array, the second ones into another, up to the length of the shortest.", `$zip([1, 2], ["a", "b"])`, `[[1,"a"],[2,"b"]]`},

		// Functions of functions.
		"map":    {"array, function", "Calls function(item, index, array) for each item and returns the results that have a value.", `$map([1, 2], function($n) { $n * 10 })`, `[10,20]`},
		"filter": {"array, function", "Returns the items for which function(item, index, array) is true.", `$filter([1, 5, 9], function($n) { $n > 4 })`, `[5,9]`},
		"single": {"array, function", "Returns the only item for which function(item, index, array) is true. None, or several, is an error.", `$single([1, 5], function($n) { $n > 4 })`, `5`},
		"reduce": {"array, function, start", "Joins all items to one value: function(joined, item, index, array) is called for one after the other. The first joined value is start, else the first item.", `$reduce([1, 2, 3], function($a, $b) { $a + $b })`, `6`},
		"each":   {"object, function", "Calls function(value, key, object) for each field of an object and returns the results as an array.", `$each({"a": 1, "b": 2}, function($v, $k) { $k & "=" & $v })`, `["a=1","b=2"]`},
		"sift":   {"object, function", "Returns an object with the fields for which function(value, key, object) is true.", `$sift({"a": 1, "b": 5}, function($v) { $v > 4 })`, `{"b":5}`},

		// Objects.
		"keys":   {"object", "Returns the names of the fields of an object, or of all objects of an array, each once.", `$keys({"a": 1, "b": 2})`, `["a","b"]`},
		"values": {"object", "Returns the values of the fields of an object as an array.", `$values({"a": 1, "b": 2})`, `[1,2]`},
		"lookup": {"object, key", "Returns the field of an object with this name; of an array, those of all its objects.", `$lookup({"a b": 1}, "a b")`, `1`},
		"spread": {"object", "Returns an array with one object for each field of an object.", `$spread({"a": 1, "b": 2})`, `[{"a":1},{"b":2}]`},
		"merge":  {"objects", "Joins an array of objects to one. Of equal fields, the last one counts.", `$merge([{"a": 1}, {"a": 2, "b": 3}])`, `{"a":2,"b":3}`},
		"clone":  {"value", "Returns a copy of a value.", `$clone({"a": 1})`, `{"a":1}`},

		// Time.
		"now":        {"picture, timezone", "Returns the time of the evaluation, in UTC and ISO 8601, or as a picture and a time zone such as +0100 say.", `$now("[Y]-[M01]-[D01]")`, ""},
		"millis":     {"", "Returns the time of the evaluation in milliseconds since 1970.", `$millis() - 60000`, ""},
		"fromMillis": {"millis, picture, timezone", "Writes milliseconds since 1970 as a time, in ISO 8601 or as a picture says.", `$fromMillis(0, "[Y]-[M01]-[D01]")`, `"1970-01-01"`},
		"toMillis":   {"time, picture", "Reads a time, in ISO 8601 or as a picture says, as milliseconds since 1970.", `$toMillis("1970-01-01T00:00:01Z")`, `1000`},
	}
})

// parameter is one of a function, for people.
type parameter struct{ name, typ string }

// parametersOf returns the parameters of a function of the library, and the type of its result.
func parametersOf(name string) (all []parameter, result string) {
	signature := jsonata.Signature(name)
	list, result, _ := strings.Cut(strings.TrimPrefix(signature, "("), ")")
	result, _, _ = strings.Cut(strings.TrimPrefix(result, " → "), ":")
	names := strings.Split(functions()[name].params, ", ")
	for i, typ := range strings.Split(list, ", ") {
		if typ == "" {
			continue
		}
		if given, rest, ok := strings.Cut(typ, ": "); ok {
			all = append(all, parameter{given, rest})
			continue
		}
		p := parameter{typ: typ}
		if i < len(names) {
			p.name = names[i]
		}
		all = append(all, p)
	}
	return all, result
}

// signatureOf returns the call of a function for people, such as "$substring(text: string?, start: number,
// length: number?) → string".
func signatureOf(name string) string {
	params, result := parametersOf(name)
	words := make([]string, len(params))
	for i, p := range params {
		words[i] = p.name + ": " + p.typ
	}
	out := "$" + name + "(" + strings.Join(words, ", ") + ")"
	if result != "" {
		out += " → " + result
	}
	return out
}

// library are the candidates of all functions, by name, with what does not depend on their place.
var library = sync.OnceValue(func() map[string]Candidate {
	all := map[string]Candidate{}
	for name := range functions() {
		all[name] = Candidate{
			Kind: "function", Detail: strings.TrimPrefix(signatureOf(name), "$"+name), Doc: docOf(name), Rank: -1,
			Insert: "$" + name + "(", Snippet: `\$` + name + "($0)",
		}
	}
	return all
})

// FunctionDoc describes a function of JSONata, as $name, or an operator of rules; "" for other labels.
func FunctionDoc(label string) string {
	if name, is := strings.CutPrefix(label, "$"); is {
		return docOf(name)
	}
	return docOfOperator(label)
}

// docOf describes a function: what it does, and an example.
func docOf(name string) string {
	f, known := functions()[name]
	if !known {
		return ""
	}
	example := f.call
	if f.value != "" {
		example += " is " + f.value
	}
	return f.doc + "\n\nExample: " + example
}
