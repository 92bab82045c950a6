package jsonata

// encodingFunctions encode and decode texts for URLs and as base64.
var encodingFunctions = []builtin{
	{name: "base64encode", signature: mustSignature("<s-:s>"), arity: 1, fn: ofText(func(s string) any { return base64Encode(s) })},
	{name: "base64decode", signature: mustSignature("<s-:s>"), arity: 1, fn: ofText(func(s string) any { return base64Decode(s) })},
	{name: "encodeUrl", signature: mustSignature("<s-:s>"), arity: 1, fn: coded(encodeURL)},
	{name: "encodeUrlComponent", signature: mustSignature("<s-:s>"), arity: 1, fn: coded(encodeURLComponent)},
	{name: "decodeUrl", signature: mustSignature("<s-:s>"), arity: 1, fn: coded(decodeURL)},
	{name: "decodeUrlComponent", signature: mustSignature("<s-:s>"), arity: 1, fn: coded(decodeURLComponent)},
}

// coded is a function of one string that some strings are refused by.
func coded(f func(string) (string, bool)) function {
	return func(c call) (any, error) {
		s, ok := c.args[0].(string)
		if !ok {
			return nil, nil
		}
		out, ok := f(s)
		if !ok {
			return nil, c.fail("D3140", "found a text that cannot be encoded or decoded")
		}
		return out, nil
	}
}
