package habit

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Habit is a chain of acts that one client did again and again.
type Habit struct {
	Subject     string   // the client, as Add has it
	File        string   // the graph file of the runs; "" for transcripts
	Chain       []string // the tools in order, * after one that is repeated
	Occurrences [][]Ref  // in the order of time
	First, Last time.Time
	Bytes       int // of the answers that the client read only to go on, all but the last of each occurrence, and of plans
}

// Finder finds habits in acts. It remembers hashes of their values only.
type Finder struct {
	Least   int // occurrences of a habit; default 3
	streams map[string]*stream
}

// Add takes the next act of a client, in the order of time.
func (f *Finder) Add(subject string, a Act) {
	if f.streams == nil {
		f.streams = map[string]*stream{}
	}
	s := f.streams[subject]
	if s == nil {
		s = newStream()
		f.streams[subject] = s
	}
	s.add(a)
}

// Find returns the habits, those with the most occurrences first.
func (f *Finder) Find() (all []Habit) {
	least := cmp.Or(f.Least, 3)
	for subject, s := range f.streams {
		for _, h := range s.habits(least) {
			h.Subject = subject
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b Habit) int {
		return cmp.Or(cmp.Compare(len(b.Occurrences), len(a.Occurrences)), cmp.Compare(a.Subject, b.Subject), slices.Compare(a.Chain, b.Chain))
	})
	return all
}

// habits returns the habits of a stream.
func (s *stream) habits(least int) (all []Habit) {
	taken := make([]bool, len(s.acts))
	for at := range s.acts {
		taken[at] = s.acts[at].failed
	}
	s.dropRepeats(taken)
	var episodes []episode
	for _, e := range s.linked(least, taken) {
		episodes = append(episodes, s.split(e)...)
	}
	var found [][]episode
	for _, group := range s.frequent(least, s.joinedEpisodes(least, episodes)) {
		mark(taken, group)
		found = append(found, group)
	}
	for i := range found {
		for j, e := range found[i] {
			found[i][j] = s.complete(e, taken)
		}
	}
	for i := range found {
		found[i] = s.extend(found[i], taken)
	}
	for _, group := range s.sequences(least, taken) {
		found = append(found, s.extend(group, taken))
	}
	found = append(found, s.plans(least, taken)...)
	return s.merged(found)
}

// frequent returns the groups of episodes of one signature that are large enough: larger where there are many acts, and
// two of them may be neighbours by chance.
func (s *stream) frequent(least int, episodes []episode) (all [][]episode) {
	groups := map[string][]episode{}
	for _, e := range episodes {
		groups[s.signature(e)] = append(groups[s.signature(e)], e)
	}
	for _, signature := range sortedKeys(groups) {
		group, needed := groups[signature], least
		if strings.Count(signature, "\n") == 2 {
			needed += bits.Len(uint(len(s.acts) / 100))
		}
		if len(group) >= needed {
			all = append(all, group)
		}
	}
	return all
}

// plans returns the groups of requests of one shape that are no part of a chain.
func (s *stream) plans(least int, taken []bool) (all [][]episode) {
	groups := map[int32][]episode{}
	for at := range s.acts {
		if a := s.acts[at]; a.plan && !taken[at] {
			groups[a.name] = append(groups[a.name], episode{int32(at)}) //nolint:gosec // a place
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if len(groups[name]) >= least {
			all = append(all, groups[name])
		}
	}
	return all
}

// merged returns a habit for each chain of tools: what was done by a plan once and by single calls another time is one.
func (s *stream) merged(groups [][]episode) (all []Habit) {
	byChain := map[string]int{}
	for _, group := range groups {
		h := s.habit(group)
		if len(toolsOf(h.Chain)) < 2 {
			continue
		}
		key := strings.ReplaceAll(strings.Join(h.Chain, " "), "*", "")
		at, is := byChain[key]
		if !is {
			byChain[key] = len(all)
			all = append(all, h)
			continue
		}
		known := &all[at]
		known.Occurrences = append(known.Occurrences, h.Occurrences...)
		known.Bytes += h.Bytes
		if known.First.After(h.First) {
			known.First = h.First
		}
		if known.Last.Before(h.Last) {
			known.Last = h.Last
		}
	}
	return all
}

// sortedKeys returns the signatures of groups in an order that does not depend on the run.
func sortedKeys(groups map[string][]episode) []string {
	keys := make([]string, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// mark marks the acts of episodes as parts of a chain.
func mark(taken []bool, group []episode) {
	for _, e := range group {
		for _, at := range e {
			taken[at] = true
		}
	}
}

// habit describes a group of episodes.
func (s *stream) habit(group []episode) (h Habit) {
	for _, e := range group {
		var refs []Ref
		for i, at := range e {
			refs = append(refs, s.acts[at].ref)
			h.Bytes += s.acts[at].written
			if i < len(e)-1 {
				h.Bytes += s.acts[at].bytes
			}
		}
		h.Occurrences = append(h.Occurrences, refs)
		first, last := s.acts[e[0]].time, s.acts[e[len(e)-1]].time
		if h.First.IsZero() || first.Before(h.First) {
			h.First = first
		}
		if last.After(h.Last) {
			h.Last = last
		}
	}
	h.Chain = s.chain(group)
	return h
}

// chain returns the tools of the first episode, with * after those that are repeated in one of them.
func (s *stream) chain(group []episode) (chain []string) {
	repeated := map[int32]bool{}
	for _, e := range group {
		for i := 1; i < len(e); i++ {
			if s.acts[e[i]].name == s.acts[e[i-1]].name {
				repeated[s.acts[e[i]].name] = true
			}
		}
	}
	for i, at := range group[0] {
		name := s.acts[at].name
		if i > 0 && s.acts[group[0][i-1]].name == name {
			continue
		}
		for _, tool := range s.tools[name] {
			if repeated[name] && !strings.HasSuffix(tool, "*") {
				tool += "*"
			}
			chain = append(chain, tool)
		}
	}
	return chain
}

// toolsOf returns the different tools of a chain.
func toolsOf(chain []string) (all []string) {
	for _, tool := range chain {
		if tool = strings.TrimSuffix(tool, "*"); !slices.Contains(all, tool) {
			all = append(all, tool)
		}
	}
	return all
}
