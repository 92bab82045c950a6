package names

import (
	"slices"
	"sort"

	"toolgraph/config"
)

// Index is all names of some files. It is not changed after Read, and is then safe for concurrent use.
type Index struct {
	graphs  map[string]*graphFile
	texts   map[string][]byte
	all     []Occurrence // sorted
	unread  []string     // files that cannot be read
	unclear []Unclear

	expressions map[string][]config.Text // by the path of the file
}

// Unclear is a place where an expression may have a name that cannot be found.
type Unclear struct {
	File string // the graph file
	Tool string
	In   string // the parallel node, when only the names of its branches may be missed
	Pos  config.Pos
	Why  string
}

// In returns the occurrences in a file, in order. The caller must not change the slice.
func (x *Index) In(path string) []Occurrence {
	from := sort.Search(len(x.all), func(i int) bool { return x.all[i].Path >= path })
	to := from
	for to < len(x.all) && x.all[to].Path == path {
		to++
	}
	return x.all[from:to]
}

// At returns the occurrence at a byte of a file; just behind a name counts as in it. Of several names
// that one text has, it returns the first.
func (x *Index) At(path string, offset int) (Occurrence, bool) {
	best, found := Occurrence{}, false
	for _, o := range x.In(path) {
		if o.From <= offset && offset <= o.To && (!found || best.To == offset && o.From == offset) {
			best, found = o, true
		}
	}
	return best, found
}

// Of returns all occurrences of a name, in the order of files and places.
func (x *Index) Of(n Name) []Occurrence {
	var all []Occurrence
	for _, o := range x.all {
		if o.Name == n {
			all = append(all, o)
		}
	}
	return all
}

// Definitions returns where a name is defined. A tool of a server that a lock has and several files
// call has one definition in each lock.
func (x *Index) Definitions(n Name) []Occurrence {
	return slices.DeleteFunc(x.Of(n), func(o Occurrence) bool { return !o.Definition })
}

// FileAt returns the path of the file that the text at a byte names: an import of a graph file, or the graph
// file of a test file. "": the text names none.
func FileAt(path string, src []byte, offset int) string {
	root, _ := config.ParseWritten(path, src)
	if root == nil {
		return ""
	}
	f := &file{path: path, src: src, root: root}
	found := ""
	look := func(t config.Text) {
		if from, to, ok := t.Scalar(); ok && from <= offset && offset <= to && t.Value != "" {
			found = besides(path, t.Value)
		}
	}
	if isTest(f) {
		look(text(root, "graph"))
		return found
	}
	each(root.Get("imports"), func(_ config.Text, of *config.Data) { look(of.Text) })
	return found
}

// Target returns the path of the file that an import reads; "" for other names.
func (x *Index) Target(n Name) string {
	if g := x.graphs[n.File]; n.Kind == Import && g != nil {
		return g.imports[n.Name]
	}
	return ""
}
