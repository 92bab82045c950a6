package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// Suggested is what is suggested for an argument of a prompt.
type Suggested struct {
	Expr   *Expr         // over the object {args: …} and the constants; nil: Values
	Values []value.Value // texts, numbers and booleans
}

// compileSuggested compiles what is suggested for arguments. It is no part of the hash: no run depends on it.
func (c *compiler) compileSuggested(ctx context.Context) map[string]*Suggested {
	if len(c.tool.Suggest) == 0 {
		return nil
	}
	all := map[string]*Suggested{}
	for _, s := range c.tool.Suggest {
		out := &Suggested{}
		for _, v := range s.Values {
			decoded, _ := value.Decode(v.JSON()) // the JSON of Data is valid
			out.Values = append(out.Values, decoded)
		}
		if s.Expr.IsSet() {
			compiled, err := jsonata.Compile(ctx, s.Expr.Value)
			if ctx.Err() != nil {
				return nil // Build reports it
			}
			if err != nil {
				c.addSyntax(s.Expr, err)
				continue
			}
			out.Expr = &Expr{Expression: compiled, Text: s.Expr}
			c.checkSuggested(s, compiled)
		}
		all[s.Argument.Value] = out
	}
	return all
}

// checkSuggested reports what an expression of suggest reads and never has.
func (c *compiler) checkSuggested(s *config.Suggestion, e *jsonata.Expression) {
	places := s.Expr.Places()
	properties := c.tool.InputSchema.Get("properties")
	for _, ref := range e.References() {
		var names []string
		for _, key := range properties.Keys {
			if key.Value != s.Argument.Value {
				names = append(names, key.Value)
			}
		}
		switch {
		case len(ref.Path) == 0:
		case ref.Path[0] != ArgsName:
			c.found.Add(places.At(ref.Offset), "suggest-reference", fmt.Sprintf("suggest of %q reads %q, expected args or $vars: there is no run yet", s.Argument.Value, shorten(ref.Path[0])),
				"write args.NAME for an argument that was given before")
		case len(ref.Path) > 1 && !slices.Contains(names, ref.Path[1]):
			hint, _ := suggest(ref.Path[1], names, "the other arguments are ")
			c.found.Add(places.At(ref.Offset), "suggest-reference", fmt.Sprintf("suggest of %q reads the argument %q, which is no other property of inputSchema", s.Argument.Value, shorten(ref.Path[1])), hint)
		}
	}
	read := maps.Clone(c.varsRead) // the hash has those that a run reads
	for _, v := range e.Variables() {
		switch {
		case v.Name == expressions.VarVars:
			c.readVar(places, v)
		case expressions.IsVariable(v.Name):
			c.found.Add(places.At(v.Offset), "unbound-variable", fmt.Sprintf("$%s has no value in this expression", v.Name), whereBound(v.Name))
		}
	}
	c.varsRead = read
}

// checkPrompts reports tools that cannot be prompts as the file says, and suggestions that nothing reads.
func checkPrompts(f *config.File, found *config.Diagnostics) {
	for _, t := range f.Tools {
		if sourceOf(f, t) != f { // it is no prompt here
			continue
		}
		name := t.Name.Value
		if !t.Prompt {
			for _, s := range t.Suggest {
				found.Warn(s.Pos, "unused-suggest", fmt.Sprintf("suggest of %q has no effect, because tool %q is no prompt", s.Argument.Value, name), "add prompt: true, or remove it")
			}
			continue
		}
		kind := t.OutputSchema.Get("type")
		switch {
		case t.OutputSchema == nil:
		case kind != nil && kind.Scalar != "string":
			found.Add(t.OutputSchema.Pos, "prompt-result", fmt.Sprintf("tool %q is a prompt, whose result is a text, and its outputSchema does not allow one", name), "remove outputSchema, and return a text").
				Fixed(config.RemoveNamed(t.Pos, "outputSchema"))
		case t.Result != config.TextResult:
			found.Add(t.PromptAt, "prompt-result", fmt.Sprintf("tool %q is a prompt with an outputSchema, expected result: text, so that its result is a text for all clients", name), "add result: text").
				Fixed(config.AddKey(t.Pos, "result", "text", ""))
		}
		checkPromptArguments(t, found)
	}
}

// checkPromptArguments reports arguments that no text can give.
func checkPromptArguments(t *config.Tool, found *config.Diagnostics) {
	properties := t.InputSchema.Get("properties")
	if properties == nil || properties.Kind != config.KindObject {
		return
	}
	for i, property := range properties.Items {
		kinds := kindsOf(property.Get("type"))
		inText := func(kind string) bool { return kind != "object" && kind != "array" && kind != "null" }
		if len(kinds) > 0 && !slices.ContainsFunc(kinds, inText) {
			is := "a list"
			if !slices.Contains(kinds, "array") {
				is = "an object"
			}
			found.Add(property.Pos, "prompt-argument", fmt.Sprintf("argument %q of prompt %q is %s, and clients give prompts texts", properties.Keys[i].Value, t.Name.Value, is),
				"give it the type string, number, integer or boolean")
		}
	}
}

// kindsOf returns the types that a schema names.
func kindsOf(of *config.Data) (kinds []string) {
	if of == nil {
		return nil
	}
	if text, isText := of.Scalar.(string); isText {
		return []string{text}
	}
	for _, item := range of.Items {
		if text, isText := item.Scalar.(string); isText {
			kinds = append(kinds, text)
		}
	}
	return kinds
}
