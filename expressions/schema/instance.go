package schema

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// instance is a compiled schema with its meter, for one validation at a time: the library
// hands nothing through to the guards, so that each validation needs its own.
type instance struct {
	root  *jsonschema.Schema
	parts map[string]*jsonschema.Schema // by JSON pointer: those that Schema.pointers names
	meter *meter
}

// instances are the instances of one schema. Validation is work for a processor, so that
// there need be no more of them than processors.
type instances struct {
	spare chan *instance

	mu   sync.Mutex // guards what follows
	made int
}

func newInstances() *instances { return &instances{spare: make(chan *instance, runtime.GOMAXPROCS(0))} }

// take is an instance that nobody uses; give brings it back.
func (s *Schema) take(ctx context.Context) (*instance, error) {
	select {
	case i := <-s.instances.spare:
		return i, nil
	default:
	}
	if s.instances.more() {
		i, err := s.compile()
		if err != nil { // it has compiled before
			s.instances.less()
		}
		return i, err
	}
	select {
	case i := <-s.instances.spare:
		return i, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Schema) give(i *instance) {
	i.meter.known = nil
	s.instances.spare <- i
}

// more reports whether one more instance may be made, and counts it.
func (p *instances) more() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == cap(p.spare) {
		return false
	}
	p.made++
	return true
}

func (p *instances) less() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made--
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
	var err error
	if i.root, err = compiler.Compile(ownURL); err != nil {
		return nil, err
	}
	roots := []*jsonschema.Schema{i.root}
	for _, pointer := range s.pointers {
		part, err := compiler.Compile(ownURL + "#" + pointer)
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

// dynamicAnchors are the pointers to the parts that $dynamicRef can lead to and that no
// field of the library names.
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
				walk(item, append(path[:len(path):len(path)], key))
			}
		case []any:
			for n, item := range v {
				walk(item, append(path[:len(path):len(path)], strconv.Itoa(n)))
			}
		}
	}
	walk(document, nil)
	return found
}

// errStopped is a validation that ended with its context.
var errStopped = errors.New("the validation was stopped")

var escaper = strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", "#", "%23")

// pointerTo is the JSON pointer to a part, as a URL's fragment has it.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteString("/" + escaper.Replace(token))
	}
	return b.String()
}
