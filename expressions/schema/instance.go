package schema

import (
	"context"
	"runtime"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// instance is a compiled schema with its meter, for one validation at a time: the library
// passes nothing through to the guards, so that each validation needs its own.
type instance struct {
	parts map[string]*jsonschema.Schema // by JSON pointer: "" and those in Schema.pointers
	meter *meter
}

// instances are the instances of one schema. A validation is work for a processor, so that
// there is at most one for each.
type instances struct {
	spare chan *instance
	more  chan struct{} // one for each instance that may still be made
}

func newInstances(first *instance) *instances {
	n := runtime.GOMAXPROCS(0)
	p := &instances{spare: make(chan *instance, n), more: make(chan struct{}, n)}
	p.spare <- first
	for range n - 1 {
		p.more <- struct{}{}
	}
	return p
}

// take returns an instance that no other validation uses; give returns it to the others.
func (s *Schema) take(ctx context.Context) (*instance, error) {
	select {
	case i := <-s.instances.spare:
		return i, nil
	default:
	}
	select {
	case i := <-s.instances.spare:
		return i, nil
	case <-s.instances.more:
		i, err := s.compile()
		if err != nil { // never happens: it has compiled before
			s.instances.more <- struct{}{}
		}
		return i, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *instances) give(i *instance) {
	i.meter.end()
	p.spare <- i
}

// compile makes an instance of the schema's document.
func (s *Schema) compile() (*instance, error) {
	i := &instance{meter: &meter{}, parts: map[string]*jsonschema.Schema{}}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(s.patterns.engine(i.meter))
	if err := compiler.AddResource(ownURL, s.document); err != nil {
		return nil, err
	}
	var roots []*jsonschema.Schema
	for _, pointer := range append([]string{""}, s.pointers...) {
		url := ownURL
		if pointer != "" {
			url += "#" + pointer
		}
		part, err := compiler.Compile(url)
		if err != nil {
			return nil, err
		}
		i.parts[pointer] = part
		roots = append(roots, part)
	}
	for _, pointer := range s.anchored {
		if part, err := compiler.Compile(ownURL + "#" + pointer); err == nil { // an example may look like a part
			roots = append(roots, part)
		}
	}
	(&guarding{meter: i.meter}).install(roots...)
	return i, nil
}

// dynamicAnchors returns the pointers to the parts that $dynamicRef can lead to and that
// no field of the library names.
func dynamicAnchors(document any) []string {
	var found []string
	var walk func(v any, path []string)
	walk = func(v any, path []string) {
		switch v := v.(type) {
		case map[string]any:
			if _, anchored := v["$dynamicAnchor"].(string); anchored {
				found = append(found, pointerTo(path))
			}
			for key, item := range v {
				walk(item, append(path, key))
			}
		case []any:
			for n, item := range v {
				walk(item, append(path, strconv.Itoa(n)))
			}
		}
	}
	walk(document, nil)
	return found
}
