package shape

import "strings"

// builtin is what is known of a function of the library.
type builtin struct {
	params []param
	strict bool  // the engine refuses more arguments
	result Shape // unless infer tells
	infer  func(in *inferrer, s *site) fact
}

// param is a parameter of a builtin.
type param struct {
	kinds    kinds // that it takes
	items    kinds // when it takes arrays of these, or one of them
	optional bool
	context  bool // what stands before the call can take its place
	lax      bool // the engine does not look at it in every case
}

// probes are the functions that ask whether something is there.
var probes = map[string]bool{"exists": true, "boolean": true, "not": true, "type": true}

// gatherers are those that take what there is.
var gatherers = map[string]bool{"count": true, "append": true, "merge": true}

// builtins are the functions of the library, filled by init: they call each other.
var builtins map[string]builtin

// signatures are the parameters that an evaluation checks, some of them less strictly
// than it does: n number, s string or pattern, b boolean, o object,
// f function, x anything; a<n> an array of numbers or one number; ? optional; -
// the context can stand in for it; ~ not looked at in every case; ! at the end: more arguments are an error.
var signatures = map[string]string{
	"abs": "n-", "average": "a<n>!", "ceil": "n-", "clone": "x-", "floor": "n-", "max": "a<n>!", "min": "a<n>!", "power": "n- n",
	"random": "", "round": "n- n?", "sqrt": "n-", "sum": "a<n>!", "number": "c-!",
	"base64decode": "s-", "base64encode": "s-", "contains": "s- s", "decodeUrl": "s-", "decodeUrlComponent": "s-",
	"encodeUrl": "s-", "encodeUrlComponent": "s-", "formatBase": "n- n?", "formatInteger": "n- s", "formatNumber": "n- s x?",
	"fromMillis": "n- s? x?", "join": "a<s> s?~", "length": "s-!", "lowercase": "s-!", "match": "s- sf n?", "now": "s? x?",
	"pad": "s- n s?", "parseInteger": "s- s", "replace": "s- s sf n?", "split": "s- s n?", "string": "x- b?!",
	"substring": "s- n n?!", "substringAfter": "s- s!", "substringBefore": "s- s!", "toMillis": "s- s?", "trim": "s-",
	"uppercase": "s-!", "millis": "",
	"append": "x x", "count": "x?!", "distinct": "x?", "filter": "x- f", "flatten": "x? n?", "map": "x- f", "reduce": "x- f? x?",
	"reverse": "x?", "shuffle": "x?", "single": "x- f?", "sort": "x- f?", "zip": "x?",
	"each": "o- f", "keys": "x-", "lookup": "x- s", "merge": "a<o>?", "sift": "x- f", "spread": "x-", "values": "x?",
	"assert": "b x?!", "boolean": "x-!", "error": "x?", "exists": "x!", "not": "x-", "type": "x?",
	"executionCount": "s!", "nodeExecution": "s n!", "nodeExecutions": "s!", "previousNode": "n?!",
}

// results are the shapes of what the functions give whose arguments do not matter.
var results = map[string]Shape{
	"abs": Number(), "ceil": Number(), "floor": Number(), "power": Number(), "random": Number(), "round": Number(),
	"sqrt": Number(), "sum": Number(), "number": Number(), "length": Number(), "millis": Number(),
	"parseInteger": Union(Number(), Nothing()), "toMillis": Union(Number(), Nothing()),
	"base64decode": String(), "base64encode": String(), "decodeUrl": String(), "decodeUrlComponent": String(),
	"encodeUrl": String(), "encodeUrlComponent": String(), "formatBase": String(), "formatInteger": String(),
	"formatNumber": String(), "fromMillis": String(), "join": String(), "lowercase": String(), "now": String(),
	"pad": String(), "replace": String(), "string": String(), "substring": String(), "substringAfter": String(),
	"substringBefore": String(), "trim": String(), "uppercase": String(), "contains": Boolean(), "split": Array(String()),
	"assert": Nothing(), "error": none,
	"match": sequence(Object([]Field{
		{Name: "match", Shape: String()}, {Name: "index", Shape: Number()}, {Name: "groups", Shape: Array(String())},
	}, true)),
}

var parameterKinds = map[byte]kinds{
	'n': kindNumber, 's': kindString, 'b': kindBoolean, 'o': kindObject, 'f': kindFunction, 'x': kindAll,
	'c': kindNumber | kindString | kindBoolean,
}

func init() {
	inferences := inferences()
	builtins = make(map[string]builtin, len(signatures))
	for name, signature := range signatures {
		b := builtin{result: results[name], infer: inferences[name]}
		signature, b.strict = strings.CutSuffix(signature, "!")
		for word := range strings.FieldsSeq(signature) {
			b.params = append(b.params, paramOf(word))
		}
		builtins[name] = b
	}
}

// paramOf reads one parameter of a signature.
func paramOf(word string) param {
	var p param
	word, p.lax = strings.CutSuffix(word, "~")
	word, p.optional = strings.CutSuffix(word, "?")
	word, p.context = strings.CutSuffix(word, "-")
	if item, ok := strings.CutPrefix(word, "a<"); ok {
		p.items = parameterKinds[item[0]]
		p.kinds = p.items | kindArray
		return p
	}
	for i := range len(word) {
		p.kinds |= parameterKinds[word[i]]
	}
	return p
}
