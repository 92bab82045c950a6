package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

// Adoption is what becomes of the servers of a host, before and after it is done. Not safe for concurrent use.
type Adoption struct {
	Host    *hostconfig.Host
	File    string // of the host
	Entry   string // the name of the one entry
	Servers []Server

	place    Place
	registry registry.Registry
	src      []byte // the host's file as it was read
	base     []byte // without an earlier adoption
	earlier  *record
	launch   hostconfig.Launch
}

// Server is a server of the host.
type Server struct {
	Name  string   // in the host's file
	As    string   // in the registry
	Stays string   // why it stays in the host's file; "" when it is adopted
	Notes []string // what differs then

	server  hostconfig.Server
	isAdded bool // the registry gets it from here
}

// Options of Read.
type Options struct {
	Reader   hostconfig.Options // Keep is set here
	Registry registry.Registry
	Keep     []string // servers that stay
	Launch   func(graph string) (hostconfig.Launch, error)
}

// Read returns what would become of the servers of a host; nothing is written and started. The error says what is wrong
// with the host's file, or which server of Options.Keep it has not.
func Read(host *hostconfig.Host, o Options) (*Adoption, error) {
	a := &Adoption{Host: host, File: host.Target(hostconfig.UserScope, ""), registry: o.Registry, place: placeOf(o.Registry, host)}
	if a.File == "" {
		return nil, fmt.Errorf("the directory of the configuration of %s is not known, because HOME is not set", host.Title)
	}
	var err error
	if a.src, err = hostconfig.Load(a.File); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no file %s; there is nothing to adopt", host.Title, a.File)
		}
		return nil, err
	}
	if a.base, a.earlier, err = a.withoutEarlier(); err != nil {
		return nil, err
	}
	reader := o.Reader
	reader.Keep = true
	read, err := hostconfig.NewReader(host, reader).Read(a.File, a.base)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range read.Servers {
		names = append(names, read.Servers[i].Name)
	}
	for _, keep := range o.Keep {
		if !slices.Contains(names, keep) {
			return nil, fmt.Errorf("--keep %s: %s has no such server%s", keep, a.File, wording.Suggest(keep, names))
		}
	}
	for _, s := range read.Servers {
		one := Server{Name: s.Name, Stays: s.Left, Notes: s.Notes, server: s}
		if one.Stays == "" && slices.Contains(o.Keep, s.Name) {
			one.Stays = "--keep"
		}
		if one.Stays == "" {
			if err := a.nameOf(&one); err != nil {
				return nil, err
			}
		}
		a.Servers = append(a.Servers, one)
	}
	a.launch, err = o.Launch(a.place.graph())
	if err != nil {
		return nil, err
	}
	a.Entry = freeName(a.launch.Name, names)
	a.launch.Name = a.Entry
	return a, nil
}

// withoutEarlier returns the host's file as it would be without an earlier adoption, whose record it returns; nil when
// there is none in force.
func (a *Adoption) withoutEarlier() ([]byte, *record, error) {
	earlier, err := a.place.read()
	if err != nil || earlier == nil {
		return a.src, nil, err
	}
	content, err := earlier.undone(a.Host, a.File, a.src)
	return content, earlier, err
}

// nameOf finds the name of a server in the registry, which may have it already.
func (a *Adoption) nameOf(s *Server) error {
	if s.As = s.Name; !isName(s.As) {
		s.As = strings.Trim(notInName().ReplaceAllString(s.Name, "-"), "-")
		s.Notes = append(s.Notes, fmt.Sprintf("its name is %s for plans", wording.Quote(s.As)))
	}
	if !isName(s.As) || slices.ContainsFunc(a.Servers, func(other Server) bool { return other.Stays == "" && other.As == s.As }) {
		s.Stays = "its name has no letters that a registry takes, or is that of another server there; rename it"
		return nil
	}
	known, same, err := a.registry.Has(s.As, *s.server.Entry)
	switch {
	case err != nil:
		return err
	case known && !same && !a.earlier.isIn(a.registry, s.As):
		s.Stays = fmt.Sprintf("the registry %s has another server of its name", a.registry.Path)
	default:
		s.isAdded = !known || a.earlier.added(s.As)
	}
	return nil
}

func isName(name string) bool { return registry.CheckName(name) == nil }

var notInName = wording.Pattern(`[^A-Za-z0-9_-]+`)

// freeName returns a name like base that no server has.
func freeName(base string, taken []string) string {
	name := base
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// Adopted returns the servers that do not stay.
func (a *Adoption) Adopted() (all []Server) {
	for _, s := range a.Servers {
		if s.Stays == "" {
			all = append(all, s)
		}
	}
	return all
}

// Stay leaves a server, by its name in the registry, in the host's file.
func (a *Adoption) Stay(as, why string) {
	for i := range a.Servers {
		if s := &a.Servers[i]; s.As == as && s.Stays == "" {
			s.Stays = why
		}
	}
}

// Lookup returns the values of the variables of the adopted servers, as the host would give them. A server with a variable
// whose value only the host knows stays.
func (a *Adoption) Lookup(environment func(string) (string, bool)) func(string) (string, bool) {
	values := map[string]string{}
	for i := range a.Servers {
		s := &a.Servers[i]
		for _, v := range s.server.Values {
			value, known := a.Host.Resolve(v.Value, environment)
			if !known && s.Stays == "" {
				s.Stays = fmt.Sprintf("the value of %s is known to %s only; set it here, and run this again", v.Name, a.Host.Title)
				if own, set := environment(v.Name); set {
					value, s.Stays = own, ""
				}
			}
			values[v.Name] = value
		}
		for _, name := range s.server.Passed {
			if _, set := environment(name); !set && s.Stays == "" {
				s.Stays = fmt.Sprintf("the variable %s is not set here; set it, and run this again", name)
			}
		}
	}
	return func(name string) (string, bool) {
		if value, has := values[name]; has {
			return value, true
		}
		return environment(name)
	}
}

// Content returns the host's file after the adoption. It is the file of before when nothing is adopted.
func (a *Adoption) Content() ([]byte, error) { return a.swapped(a.base) }

func (a *Adoption) swapped(base []byte) ([]byte, error) {
	var names []string
	for _, s := range a.Adopted() {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return base, nil
	}
	return a.Host.Swap(a.File, base, a.entry(), names)
}

// entry is how the host starts this program: with the values that its file has for the adopted servers.
func (a *Adoption) entry() hostconfig.Launch {
	l := a.launch
	for _, s := range a.Adopted() {
		for _, v := range s.server.Values {
			if !slices.Contains(l.Env, v) {
				l.Env = append(l.Env, v)
			}
		}
		for _, name := range s.server.Passed {
			if !slices.Contains(l.Variables, name) {
				l.Variables = append(l.Variables, name)
			}
		}
	}
	slices.SortFunc(l.Env, func(x, y hostconfig.Setting) int { return cmp.Compare(x.Name, y.Name) })
	return l
}

// Next returns what the user of the host sees or has to do then, each a sentence.
func (a *Adoption) Next() []string { return a.Host.Next(hostconfig.UserScope, a.launch) }

// Before returns the host's file as it was read.
func (a *Adoption) Before() []byte { return a.src }

// Place is where the files of an adoption are: a directory for each host beside the registry.
type Place struct{ dir string }

func placeOf(r registry.Registry, host *hostconfig.Host) Place {
	return placeIn(r.Path, host)
}

// placeIn is where the files of an adoption are beside a registry.
func placeIn(registry string, host *hostconfig.Host) Place {
	return Place{filepath.Join(filepath.Dir(registry), "adopted", host.Name)}
}

func (p Place) graph() string  { return filepath.Join(p.dir, "gateway.yaml") }
func (p Place) record() string { return filepath.Join(p.dir, "adopted.json") }
