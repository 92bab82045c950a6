package runtime

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
)

// seenForms are the forms of what tools have answered in this process, for search_tools: names of fields and types only, of
// the answers that a client's own runs got.
type seenForms struct {
	wanted atomic.Bool // a file has a plan

	mu sync.Mutex
	of map[seenKey]*seenForm
}

type seenKey struct{ subject, server, tool string }

// seenForm is the form of values of one place.
type seenForm struct {
	run     string // the last one that had it
	again   bool   // another run had it before
	count   int    // of values
	objects int    // of them
	kinds   []string
	fields  map[string]*seenForm
	names   []string // of the fields, in the order in which they were seen
	items   *seenForm
}

const (
	mostSeenForms  = 1000 // tools of subjects; others are not noted
	mostSeenValues = 2000 // of one answer that are looked at
	mostSeenNames  = 24   // of an object: one with more has data as names
	longestName    = 64
	mostSeenItems  = 20
	mostSeenLevels = 4
)

// caller notes the answers of calls.
func (s *seenForms) caller(next execution.ToolCaller) execution.ToolCaller {
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		v, err := next.CallTool(ctx, c)
		if err == nil && s.wanted.Load() {
			s.add(seenKey{server.SubjectOf(ctx), c.Server, c.Tool}, c.Run, v)
		}
		return v, err
	})
}

func (s *seenForms) add(key seenKey, run string, v value.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	form := s.of[key]
	if form == nil {
		if len(s.of) >= mostSeenForms {
			return
		}
		if s.of == nil {
			s.of = map[seenKey]*seenForm{}
		}
		form = &seenForm{}
		s.of[key] = form
	}
	left := mostSeenValues
	form.note(run, v, 0, &left)
}

// schema returns the form of what a tool has answered to a subject's runs as a JSON Schema; nil when fewer than two of them
// called it.
func (s *seenForms) schema(key seenKey) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	form := s.of[key]
	if form == nil || !form.again {
		return nil
	}
	raw, err := value.Encode(form.schema())
	if err != nil {
		return nil
	}
	return raw
}

func (f *seenForm) note(run string, v value.Value, level int, left *int) {
	if *left--; *left < 0 {
		return
	}
	f.again = f.again || f.run != "" && f.run != run
	f.run = run
	f.count++
	kind := schema.TypeName(v)
	if !slices.Contains(f.kinds, kind) {
		f.kinds = append(f.kinds, kind)
	}
	if level == mostSeenLevels {
		return
	}
	if object, isObject := value.ObjectOf(v); isObject {
		f.objects++
		names := object.Keys()
		for _, name := range names[:min(len(names), mostSeenNames+1)] {
			if f.fields[name] == nil {
				if len(name) > longestName || len(f.names) > mostSeenNames {
					continue
				}
				if f.fields == nil {
					f.fields = map[string]*seenForm{}
				}
				f.fields[name], f.names = &seenForm{}, append(f.names, name)
			}
			item, _ := object.Get(name)
			f.fields[name].note(run, item, level+1, left)
		}
	}
	if list, isList := v.([]any); isList {
		for _, item := range list[:min(len(list), mostSeenItems)] {
			if f.items == nil {
				f.items = &seenForm{}
			}
			f.items.note(run, item, level+1, left)
		}
	}
}

// schema has the fields that at least two runs had, in the order in which they were seen.
func (f *seenForm) schema() value.Value {
	out := value.NewMap()
	kinds := make([]any, len(f.kinds))
	for i, kind := range f.kinds {
		kinds[i] = kind
	}
	out.Set("type", kinds)
	if len(f.names) > 0 && len(f.names) <= mostSeenNames {
		fields, required := value.NewMap(), []any{}
		for _, name := range f.names {
			field := f.fields[name]
			if !field.again {
				continue
			}
			fields.Set(name, field.schema())
			if field.count == f.objects {
				required = append(required, name)
			}
		}
		out.Set("properties", fields)
		out.Set("required", required)
	}
	if f.items != nil && f.items.again {
		out.Set("items", f.items.schema())
	}
	return out
}
