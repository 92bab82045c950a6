package shape

import (
	"strings"
	"sync"
)

// builtin is a function of the library.
type builtin struct {
	params []param
	more   bool  // it takes more arguments
	result Shape // unless infer is set
	infer  func(in *inferrer, s *site) fact
}

// param is a parameter of a builtin.
type param struct {
	kinds    kinds // of the values that it takes
	items    kinds // of the items when it takes arrays, or one item alone
	optional bool
	context  bool // the context can replace it
	lax      bool // the engine does not check it in every case
}

// probes are the functions that test whether a value exists.
var probes = map[string]bool{"exists": true, "boolean": true, "not": true, "type": true}

// gatherers are the functions that skip missing values.
var gatherers = map[string]bool{"count": true, "append": true, "merge": true}

// alwaysCalled are the functions without an inference that are called even when their first argument is
// missing.
var alwaysCalled = map[string]bool{"error": true, "now": true, "random": true, "millis": true}

// builtins returns the functions of the library.
var builtins = sync.OnceValue(func() map[string]builtin {
	inferences := inferencesOf()
	all := make(map[string]builtin, len(signatures()))
	for name, signature := range signatures() {
		signature, result, _ := strings.Cut(signature, ":")
		b := builtin{result: results()[result], infer: inferences[name]}
		signature, b.more = strings.CutSuffix(strings.TrimSpace(signature), "*")
		for word := range strings.FieldsSeq(signature) {
			b.params = append(b.params, paramOf(word))
		}
		all[name] = b
	}
	return all
})

// inferencesOf is inferences. It is set by init, because inferences look functions up in builtins.
var inferencesOf func() map[string]func(in *inferrer, s *site) fact

func init() { inferencesOf = inferences }

// signatures are the parameters and, behind a colon, the result of the functions of the
// library, in a notation like JSONata's. A function without a result has an inference.
// Parameters: n number, s string, b boolean, o object, f function, c number, string or
// boolean, x anything; several letters for alternatives; a<n> an array of numbers or one
// number; ? optional; - the context can replace it; ~ not always checked; * at the end:
// more arguments are allowed. Some evaluations check less than is checked here.
var signatures = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"abs": "n- :n", "average": "a<n>", "ceil": "n- :n", "clone": "x-", "floor": "n- :n", "max": "a<n>", "min": "a<n>",
		"power": "n- n :n", "random": ":n", "round": "n- n? :n", "sqrt": "n- :n", "sum": "a<n> :n", "number": "c- :n",
		"base64decode": "s- :s", "base64encode": "s- :s", "contains": "s- sf :b", "decodeUrl": "s- :s", "decodeUrlComponent": "s- :s",
		"encodeUrl": "s- :s", "encodeUrlComponent": "s- :s", "formatBase": "n- n? :s", "formatInteger": "n- s :s",
		"formatNumber": "n- s x? :s", "fromMillis": "n- s? x? :s", "join": "a<s> s?~ :s", "length": "s- :n", "lowercase": "s- :s",
		"match": "s- sf n? :matches", "now": "s? x? :s", "pad": "s- n s? :s", "parseInteger": "s- s :n?", "replace": "s- sf sf n? :s", //nolint:dupword // two parameters of one type
		"split": "s- sf n? :a<s>", "string": "x- b? :s", "substring": "s- n n? :s", "substringAfter": "s- s :s",
		"substringBefore": "s- s :s", "toMillis": "s- s? :n?", "trim": "s- :s", "uppercase": "s- :s", "millis": ":n",
		"append": "x x", "chunk": "x n", "count": "x?", "distinct": "x?", "filter": "x- f", "flatten": "x? n?", "map": "x- f", "reduce": "x- f? x?",
		"reverse": "x?", "shuffle": "x?", "single": "x- f?", "sort": "x- f?", "zip": "x?*",
		"each": "o- f", "keys": "x-", "lookup": "x- s", "merge": "a<o>?", "sift": "x- f", "spread": "x-", "values": "x?",
		"assert": "b x? :nothing", "boolean": "x-", "error": "x? :never", "exists": "x", "not": "x-", "type": "x?",
		"executionCount": "s", "nodeExecution": "s n", "nodeExecutions": "s", "previousNode": "n?",
	}
})

// results are the shapes of the results in signatures.
var results = sync.OnceValue(func() map[string]Shape {
	return map[string]Shape{
		"n": Number(), "n?": Union(Number(), Nothing()), "s": String(), "b": Boolean(), "a<s>": Array(String()),
		"nothing": Nothing(), "never": none,
		"matches": loose(Object([]Field{
			{Name: "match", Shape: String()}, {Name: "index", Shape: Number()}, {Name: "groups", Shape: Array(Union(String(), Null()))},
		}, false), false),
	}
})

var parameterKinds = map[byte]kinds{
	'n': kindNumber, 's': kindString, 'b': kindBoolean, 'o': kindObject, 'f': kindFunction, 'x': kindAll,
	'c': kindNumber | kindString | kindBoolean,
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

// inferences returns the functions whose result depends on their arguments.
func inferences() map[string]func(in *inferrer, s *site) fact {
	return map[string]func(in *inferrer, s *site) fact{
		"average": least, "max": least, "min": least,
		"match": matched, "append": appended, "chunk": chunked, "count": counted, "distinct": distinctItems, "filter": filtered, "flatten": flattened, "map": mapped,
		"reduce": reduced, "reverse": reordered, "shuffle": reordered, "single": single, "sort": sorted, "zip": zipped,
		"each": eachField, "keys": keys, "lookup": looked, "merge": merged, "sift": sifted, "spread": spread, "values": values,
		"boolean": asBoolean, "exists": exists, "not": negated, "type": typeName,
		"executionCount": executionCount, "nodeExecution": nodeExecution, "nodeExecutions": nodeExecutions, "previousNode": previousNode,
	}
}
