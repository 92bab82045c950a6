package habit

import (
	"cmp"
	"slices"
	"strings"
)

// episode is acts that belong together, in order.
type episode []int32

// joinedEpisodes joins the episodes of which one nearly always follows the other.
func (s *stream) joinedEpisodes(least int, episodes []episode) []episode {
	for range 3 {
		slices.SortFunc(episodes, func(a, b episode) int { return cmp.Compare(a[0], b[0]) })
		total, follows := map[string]int{}, map[[2]string]int{}
		signatures := make([]string, len(episodes))
		for i, e := range episodes {
			signatures[i] = s.signature(e)
			total[signatures[i]]++
		}
		pairs := map[int]int{} // an episode and the one after it
		for i, e := range episodes {
			for j := i + 1; j < len(episodes) && j <= i+2; j++ {
				next := episodes[j]
				if last := e[len(e)-1]; signatures[i] != signatures[j] && next[0] > last && next[0]-last <= 3 && s.near(int(last), int(next[0])) {
					pairs[i] = j
					follows[[2]string{signatures[i], signatures[j]}]++
					break
				}
			}
		}
		var all []episode
		gone := map[int]bool{}
		for i, e := range episodes {
			if gone[i] {
				continue
			}
			if j, is := pairs[i]; is && !gone[j] {
				n := follows[[2]string{signatures[i], signatures[j]}]
				if n >= least && n*10 >= 6*min(total[signatures[i]], total[signatures[j]]) {
					e = slices.Concat(e, episodes[j])
					gone[j] = true
				}
			}
			all = append(all, e)
		}
		if len(all) == len(episodes) {
			break
		}
		episodes = all
	}
	return episodes
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
	return s.acts[after].apart == s.acts[before].apart && s.acts[after].time.Sub(s.acts[before].time) <= longest
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
		here := int32(at) //nolint:gosec // a place
		for _, l := range s.acts[at].links {
			if !often[edge{s.acts[l.from].name, l.param, l.given}] || !s.holds(l, at, taken) {
				continue
			}
			root := chain[l.from]
			last := chains[root][len(chains[root])-1]
			if s.near(int(last), at) && root < here {
				here = root
			}
		}
		chain[at] = here
		chains[here] = append(chains[here], int32(at)) //nolint:gosec // a place
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
	return int(s.common[l.word%filterLen]) <= 12+len(s.acts)/30
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
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// complete adds the acts between those of an episode that have the name of one of them: of what is done for each item of a
// list, some have no link that says enough.
func (s *stream) complete(e episode, taken []bool) episode {
	names := map[int32]bool{}
	for _, at := range e {
		names[s.acts[at].name] = true
	}
	first, last := e[0], e[len(e)-1]
	for next := last + 1; int(next) < len(s.acts) && next <= last+2; next++ {
		if !taken[next] && s.acts[next].name == s.acts[last].name && s.near(int(last), int(next)) {
			last = next
		}
	}
	all := episode{}
	for at := first; at <= last; at++ {
		if slices.Contains(e, at) || !taken[at] && names[s.acts[at].name] && s.acts[at].apart == s.acts[first].apart {
			taken[at] = true
			all = append(all, at)
		}
	}
	return all
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
