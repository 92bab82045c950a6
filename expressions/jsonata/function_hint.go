package jsonata

import (
	"sync"

	"toolgraph/internal/base/wording"
)

// otherNames are names that other languages have for what a function, or a form, of JSONata does. A form begins
// with "write".
var otherNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"unique": "distinct", "uniq": "distinct", "dedupe": "distinct", "size": "count", "len": "length",
		"concat": "append", "push": "append", "flat": "flatten", "forEach": "map", "fold": "reduce", "find": "filter", "where": "filter", "select": "filter",
		"sortBy": "sort", "orderBy": "sort", "implode": "join", "explode": "split",
		"some": "exists", "any": "exists", "defined": "exists", "isDefined": "exists", "isset": "exists", "isEmpty": "exists", "empty": "exists",
		"upper": "uppercase", "toUpper": "uppercase", "toUpperCase": "uppercase", "upcase": "uppercase",
		"lower": "lowercase", "toLower": "lowercase", "toLowerCase": "lowercase", "downcase": "lowercase", "strip": "trim",
		"includes": "contains", "startsWith": "contains", "endsWith": "contains", "test": "contains", "regex": "match", "matches": "match",
		"substr": "substring", "replaceAll": "replace", "padStart": "pad", "padEnd": "pad",
		"parseInt": "number", "parseFloat": "number", "toNumber": "number", "int": "number", "float": "number", "Number": "number",
		"parse": noJSON, "json": noJSON, "parseJson": noJSON, "parseJSON": noJSON, "fromJson": noJSON, "fromJSON": noJSON, "jsonParse": noJSON, "jsonDecode": noJSON,
		"toString": "string", "str": "string", "String": "string", "stringify": "string", "toJson": "string", "toJSON": "string",
		"avg": "average", "mean": "average", "ceiling": "ceil", "pow": "power", "rand": "random", "total": "sum", "mod": "write a % b",
		"assign": "merge", "extend": "merge", "fromPairs": "merge", "fromEntries": "merge", "entries": "each", "toPairs": "each", "pick": "sift",
		"get": "lookup", "typeof": "type", "typeOf": "type", "bool": "boolean", "Boolean": "boolean",
		"today": "now", "date": "now", "time": "now", "timestamp": "millis", "parseDate": "toMillis", "toDate": "toMillis", "formatDate": "fromMillis", "dateFormat": "fromMillis",
		"throw": "error", "raise": "error", "fail": "error", "history": "nodeExecutions", "executions": "nodeExecutions",
		"first": "write list[0]", "head": "write list[0]", "last": "write list[-1]", "slice": "write list[[from..to]], or $substring of a text", "range": "write [from..to]",
		"every": "write $count(list[$not(…)]) = 0", "indexOf": "write x in list, or $contains of a text",
		"if": "write condition ? a : b", "iif": "write condition ? a : b", "and": "write a and b", "or": "write a or b",
		"toFixed": "write $round(x, 2), or $formatNumber(x, \"0.00\")", "charAt": "substring", "trimStart": "trim", "trimEnd": "trim", "lstrip": "trim", "rstrip": "trim",
		"toISOString": "fromMillis", "getTime": "toMillis", "strftime": "fromMillis", "strptime": "toMillis", "flatMap": "map", "isArray": "write $type(x) = \"array\"", "isString": "write $type(x) = \"string\"",
		"isNumber": "write $type(x) = \"number\"", "isinstance": "type", "hasOwnProperty": "exists", "hasKey": "exists", "groupBy": "write list{key: value}", "group_by": "write list{key: value}",
		"sort_by": "sort", "sorted": "sort", "reversed": "reverse", "unique_by": "distinct", "to_entries": "each", "from_entries": "merge", "tostring": "string", "tonumber": "number",
		"ascii_downcase": "lowercase", "startswith": "contains", "endswith": "contains", "ltrimstr": "substringAfter", "isNaN": "write $type(x) = \"number\"",
		"coalesce": "write a ?? b", "default": "write a ?? b", "ifNull": "write a ?? b", "isNull": "write value = null",
	}
})

// noJSON is the remedy for what other languages parse JSON with.
const noJSON = "write $match(text, /…/) for a part of it: no function parses JSON, and only a whole answer of a server is read as JSON"

// FunctionHint returns the remedy for a name, without $, that is not a function of JSONata: the function or the form
// that was probably meant; empty when none is known. function is the name of that
// function, without $; empty for a form.
func FunctionHint(name string) (hint, function string) {
	if wording.Misspelt(name, functionNames()) == "" {
		if known := otherNames()[name]; IsFunction(known) {
			return wording.Meant("$" + known), known
		} else if known != "" {
			return known, ""
		}
	}
	if near := wording.Nearest(name, functionNames()); near != "" {
		return wording.Meant("$" + near), near
	}
	return "", ""
}
