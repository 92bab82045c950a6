package habit

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"time"
)

// Habit is a chain of acts that one client did again and again.
type Habit struct {
	Subject     string
	Chain       []string // the tools in order, * after one that is repeated
	Occurrences [][]Ref  // in the order of time
	First, Last time.Time
	Linked      bool // values go from one to the next
}

// Finder finds habits in acts. It remembers hashes of their values only.
type Finder struct {
	Least   int // occurrences of a habit; default 3
	seed    maphash.Seed
	streams map[string]*stream
}

// Add takes the next act of a client, in the order of time.
func (f *Finder) Add(subject string, a Act) {
	if f.streams == nil {
		f.seed, f.streams = maphash.MakeSeed(), map[string]*stream{}
	}
	s := f.streams[subject]
	if s == nil {
		s = newStream(f.seed)
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

// episode is acts that belong together, in order.
type episode []int32

// habits returns the habits of a stream.
func (s *stream) habits(least int) (all []Habit) {
	taken := make([]bool, len(s.acts))
	for at := range s.acts {
		taken[at] = s.acts[at].failed
	}
	s.dropRepeats(taken)
	groups := map[string][]episode{}
	for _, e := range s.linked(least, taken) {
		for _, one := range s.split(e) {
			groups[s.signature(one)] = append(groups[s.signature(one)], one)
		}
	}
	for _, signature := range sortedKeys(groups) {
		group := groups[signature]
		if len(group) < least {
			continue
		}
		mark(taken, group)
	}
	for _, signature := range sortedKeys(groups) {
		group := groups[signature]
		if len(group) < least {
			continue
		}
		group = s.extend(group, taken)
		if h := s.habit(group); len(toolsOf(h.Chain)) > 1 {
			h.Linked = true
			all = append(all, h)
		}
	}
	for _, group := range s.sequences(least, taken) {
		if h := s.habit(s.extend(group, taken)); len(toolsOf(h.Chain)) > 1 {
			all = append(all, h)
		}
	}
	return all
}

func sortedKeys(groups map[string][]episode) []string {
	keys := make([]string, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func mark(taken []bool, group []episode) {
	for _, e := range group {
		for _, at := range e {
			taken[at] = true
		}
	}
}

// dropRepeats marks the acts that asked for the same as one shortly before.
func (s *stream) dropRepeats(taken []bool) {
	last := map[uint64]int{}
	for at := range s.acts {
		if taken[at] {
			continue
		}
		if before, is := last[s.acts[at].mark]; is && at-before <= window && s.near(before, at) {
			taken[at] = true
			continue
		}
		last[s.acts[at].mark] = at
	}
}

// near reports whether two acts may belong to the same chain.
func (s *stream) near(before, after int) bool {
	return s.acts[after].time.Sub(s.acts[before].time) <= longest
}

// edge is the kind of a link.
type edge struct {
	from  int32
	param uint32
	given bool
}

// linked returns the acts that are joined by links of kinds which occur often.
func (s *stream) linked(least int, taken []bool) []episode {
	often := s.often(least, taken)
	chain := make([]int32, len(s.acts)) // the first act of the chain of each
	chains := map[int32]episode{}
	for at := range s.acts {
		chain[at] = -1
		if taken[at] {
			continue
		}
		mine := int32(at) //nolint:gosec // a place
		for _, l := range s.acts[at].links {
			if !often[edge{s.acts[l.from].name, l.param, l.given}] || !s.holds(l, at, taken) {
				continue
			}
			root := chain[l.from]
			last := chains[root][len(chains[root])-1]
			if s.near(int(last), at) && root < mine {
				mine = root
			}
		}
		chain[at] = mine
		chains[mine] = append(chains[mine], int32(at)) //nolint:gosec // a place
	}
	var all []episode
	for at := range s.acts {
		if e := chains[int32(at)]; len(e) > 1 { //nolint:gosec // a place
			all = append(all, e)
		}
	}
	return all
}

// often returns the kinds of links that occur in enough chains.
func (s *stream) often(least int, taken []bool) map[edge]bool {
	type pair struct {
		edge edge
		from int32
	}
	seen := map[pair]bool{}
	count := map[edge]int{}
	total := map[int32]int{}
	for at := range s.acts {
		total[s.acts[at].name]++
		if taken[at] {
			continue
		}
		for _, l := range s.acts[at].links {
			e := edge{s.acts[l.from].name, l.param, l.given}
			if p := (pair{e, l.from}); !seen[p] && s.holds(l, at, taken) {
				seen[p] = true
				count[e]++
			}
		}
	}
	often := map[edge]bool{}
	for e, n := range count {
		if n >= least && (!e.given || n*4 >= total[e.from]) {
			often[e] = true
		}
	}
	return often
}

// holds reports whether a link says something: both acts are there and near, and the value is neither what the argument
// nearly always has nor found in many answers.
func (s *stream) holds(l link, at int, taken []bool) bool {
	if taken[l.from] || !s.near(int(l.from), at) || s.acts[l.from].name == s.acts[at].name {
		return false
	}
	uses, all := s.uses[paramValue{l.param, l.value}], s.usesOf[l.param]
	if uses >= 2 && uses*2 > all && all > 3 || uses >= 20 && uses*4 > all {
		return false
	}
	return int(s.common[l.value%filterLen]) <= 12+len(s.acts)/30
}

// split returns the parts of an episode that does the same several times.
func (s *stream) split(e episode) []episode {
	var starts []int // of the runs of one name
	for i := range e {
		if i == 0 || s.acts[e[i]].name != s.acts[e[i-1]].name {
			starts = append(starts, i)
		}
	}
	for width := 2; width <= len(starts)/2; width++ {
		if len(starts)%width != 0 {
			continue
		}
		same := true
		for i := width; i < len(starts) && same; i++ {
			same = s.acts[e[starts[i]]].name == s.acts[e[starts[i-width]]].name
		}
		if !same || s.acts[e[starts[0]]].name == s.acts[e[starts[width-1]]].name {
			continue
		}
		var parts []episode
		for i := 0; i < len(starts); i += width {
			end := len(e)
			if i+width < len(starts) {
				end = starts[i+width]
			}
			parts = append(parts, e[starts[i]:end])
		}
		return parts
	}
	return []episode{e}
}

// signature names the acts of an episode, those of one name beside each other once.
func (s *stream) signature(e episode) string {
	var b strings.Builder
	for i, at := range e {
		if i == 0 || s.acts[e[i-1]].name != s.acts[at].name {
			b.WriteString(s.names[s.acts[at].name])
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// extend adds what comes before or after nearly every one of the episodes, close to it.
func (s *stream) extend(group []episode, taken []bool) []episode {
	for _, step := range []int{1, -1} {
		for range 3 {
			counts := map[int32]int{}
			for _, e := range group {
				for _, name := range s.beside(e, step, taken) {
					counts[s.acts[name].name]++
				}
			}
			best, most := int32(-1), 0
			for name, n := range counts {
				if n > most || n == most && name < best {
					best, most = name, n
				}
			}
			if most*10 < len(group)*7 || most < 2 {
				break
			}
			for i, e := range group {
				for _, at := range s.beside(e, step, taken) {
					if s.acts[at].name != best {
						continue
					}
					taken[at] = true
					if group[i] = append(slices.Clone(e), at); step < 0 {
						group[i] = append(episode{at}, e...)
					}
					break
				}
			}
		}
	}
	return group
}

// beside returns the next acts after, or before, an episode that belong to no chain, each name once.
func (s *stream) beside(e episode, step int, taken []bool) (all []int32) {
	at := int(e[len(e)-1])
	if step < 0 {
		at = int(e[0])
	}
	from := at
	for range 3 {
		at += step
		if at < 0 || at >= len(s.acts) {
			break
		}
		if !s.near(min(from, at), max(from, at)) {
			break
		}
		if taken[at] || slices.ContainsFunc(all, func(other int32) bool { return s.acts[other].name == s.acts[at].name }) {
			continue
		}
		all = append(all, int32(at)) //nolint:gosec // a place
	}
	return all
}

// habit describes a group of episodes.
func (s *stream) habit(group []episode) (h Habit) {
	for _, e := range group {
		var refs []Ref
		for _, at := range e {
			refs = append(refs, s.acts[at].ref)
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
